import type { BarId } from '../bars.ts';
import type { Bench } from '../bench-run.ts';
import { writeHome } from '../config.ts';
import { start } from '../processes.ts';
import { loadFigures, type Sample, sample } from '../sampling.ts';
import { slowSyncIn } from '../slow-sync.ts';

const FSYNC_MS = [5, 20];
const CONNECTIONS = [1, 64, 512, 1_000];
const LOAD_SECONDS = 5;
/** Of what has a bar; of the rest, one round shows enough. */
const JUDGED_ROUNDS = 3;
/** More than any disk of 5 ms can commit in that time, so that time is the limit. */
const VOTES_MAX = 40_000;

const BARS: Readonly<Record<string, Readonly<Record<string, BarId>>>> = {
  '20 ms, 64': { 'votes/s': 'slow-64-rate', 'p99 ms': 'slow-64-p99', failed: 'slow-64-failed' },
  '20 ms, 512': { 'votes/s': 'slow-512-rate', failed: 'slow-512-failed' },
};

/** Votes on a disk whose fsync is slow, as on many shared hosts. */
export async function slowDisk(bench: Bench): Promise<void> {
  const { installed } = bench;
  const slow = slowSyncIn(bench.folder('slow-sync'));
  if (typeof slow === 'string') return bench.skip(slow);
  const { config } = writeHome(bench.folder('slow-disk'));
  const server = await start(installed, [installed.cli, 'run', '--config', config], { env: slow.env });
  const target = { name: 'v2', version: 'v2', server } as const;
  await sample(bench, target, { votes: bench.sizes.votes, connections: 64 });
  for (const ms of FSYNC_MS) {
    slow.set(ms);
    for (const connections of CONNECTIONS) {
      const name = `${ms} ms, ${connections}`;
      bench.say(`fsync ${name} connections`);
      const samples: Sample[] = [];
      for (let round = 0; round < (name in BARS ? JUDGED_ROUNDS : 1); round++)
        samples.push(await sample(bench, target, { votes: VOTES_MAX, connections, seconds: LOAD_SECONDS }));
      bench.row(`fsync ${name} connections`, loadFigures(samples), BARS[name]);
    }
  }
  slow.set(0);
  await server.stop();
}
