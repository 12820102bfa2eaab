import {
  type Bench,
  cpuOf,
  interleaved,
  keysIn,
  loadFigures,
  type Sample,
  sample,
  startTeller,
  type Target,
} from '../measuring.ts';
import { runScript, slowSyncIn, start } from '../processes.ts';
import { type BarId, median, pairedRatio } from '../report.ts';
import type { RsaCost } from '../scripts.ts';

const CONNECTIONS = [1, 64, 1_000];
/** Most bars are for this many. */
const USUAL = 64;
const BARE_BARS: Readonly<Record<number, BarId>> = { 1: 'cpu-one', [USUAL]: 'cpu-bare' };
const COLD_VOTES = 2_000;
const RSA_OPERATIONS = 2_000;

/**
 * What a vote costs: v1 and v2, beside a server that only does the handshake; the first votes after a start; and votes on a slow
 * disk.
 */
export async function intake(bench: Bench): Promise<void> {
  const { installed, sizes, profiling } = bench;
  const folder = bench.folder('stored');
  const stored = await startTeller(bench, folder, {}, { flags: profiling });
  const bare = await start(installed, [installed.script('scripts'), 'bare']);
  const targets: readonly Target[] = [
    { name: 'bare', version: 'v2', server: bare },
    { name: 'v2', version: 'v2', server: stored },
    { name: 'v1', version: 'v1', server: stored, keys: keysIn(folder) },
  ];
  for (const target of targets) await sample(bench, target, { votes: sizes.warming, connections: USUAL });
  for (const connections of CONNECTIONS) {
    // A single connection sends one vote after the other, so fewer are enough.
    const votes = connections === 1 ? Math.ceil(sizes.votes / 3) : sizes.votes;
    const samplesOf = await interleaved(bench, targets, { votes, connections });
    for (const { name } of targets) {
      const times = pairedRatio(cpuOf(samplesOf(name)), cpuOf(samplesOf('bare')));
      const figures = { ...loadFigures(samplesOf(name)), '× bare CPU': times };
      const bar = name === 'v2' ? BARE_BARS[connections] : undefined;
      const bars = bar === undefined ? {} : { '× bare CPU': bar };
      bench.row(`${name}, ${connections} connections`, figures, bars);
    }
    if (connections === USUAL) await addV1Row(bench, cpuOf(samplesOf('v1')), cpuOf(samplesOf('v2')));
  }
  await addColdRow(bench, { name: 'v2', version: 'v2', server: stored });
  for (const server of [bare, stored]) await server.stop();
  await onSlowDisk(bench);
}

/** A v1 vote can cost little less than one RSA operation and what a v2 vote costs. */
async function addV1Row(bench: Bench, v1: readonly number[], v2: readonly number[]): Promise<void> {
  const costs: number[] = [];
  for (let round = 0; round < bench.sizes.rounds; round++) {
    const order = { operations: RSA_OPERATIONS };
    costs.push((await runScript<RsaCost>(bench.installed, ['scripts', 'rsa'], order)).per1000);
  }
  const least = v2.map((cpu, round) => cpu + (costs[round] ?? 0));
  bench.row('one raw RSA operation', { 'CPU s/1,000': median(costs) });
  const figures = { '× CPU': pairedRatio(v1, least) };
  bench.row('v1, of an RSA operation and a v2 vote', figures, { '× CPU': 'v1-cpu' });
}

/** The first votes of a new process, each beside the same number of votes of a process that is warm. */
async function addColdRow(bench: Bench, warm: Target): Promise<void> {
  const { sizes } = bench;
  const size = { votes: Math.min(COLD_VOTES, sizes.votes), connections: USUAL };
  const [cold, base]: [Sample[], Sample[]] = [[], []];
  for (let round = 0; round < sizes.rounds; round++) {
    bench.say(`the first ${size.votes} votes after a start, round ${round + 1} of ${sizes.rounds}`);
    const server = await startTeller(bench, bench.folder('cold'));
    cold.push(await sample(bench, { name: 'v2 cold', version: 'v2', server }, size));
    await server.stop();
    base.push(await sample(bench, warm, size));
  }
  const figures = { ...loadFigures(cold), '× warm CPU': pairedRatio(cpuOf(cold), cpuOf(base)) };
  const name = `v2, the first ${size.votes} after a start, ${USUAL} connections`;
  bench.row(name, figures, { '× warm CPU': 'cold-cpu' });
}

const FSYNC_MS = [5, 20];
const SLOW_CONNECTIONS = [1, 64, 512, 1_000];
const LOAD_SECONDS = 5;
/** Of what has a bar; of the rest, one round shows enough. */
const JUDGED_ROUNDS = 3;
/** More than any disk of 5 ms can commit in that time, so that time is the limit. */
const VOTES_MAX = 40_000;

const SLOW_BARS: Readonly<Record<string, Readonly<Record<string, BarId>>>> = {
  'fsync 20 ms, 64 connections': {
    'votes/s': 'slow-64-rate',
    'p99 ms': 'slow-64-p99',
    failed: 'slow-64-failed',
  },
  'fsync 20 ms, 512 connections': { 'votes/s': 'slow-512-rate', failed: 'slow-512-failed' },
};

/** Votes on a disk whose fsync is slow, as on many shared hosts. */
async function onSlowDisk(bench: Bench): Promise<void> {
  const slow = slowSyncIn(bench.folder('slow-sync'));
  if (typeof slow === 'string') return bench.skip(slow);
  for (const ms of FSYNC_MS) {
    const server = await startTeller(bench, bench.folder('slow-disk'), {}, { env: slow(ms) });
    const target = { name: 'v2', version: 'v2', server } as const;
    await sample(bench, target, { votes: bench.sizes.votes, connections: USUAL });
    for (const connections of SLOW_CONNECTIONS) {
      const name = `fsync ${ms} ms, ${connections} connections`;
      bench.say(name);
      const samples: Sample[] = [];
      for (let round = 0; round < (name in SLOW_BARS ? JUDGED_ROUNDS : 1); round++)
        samples.push(await sample(bench, target, { votes: VOTES_MAX, connections, seconds: LOAD_SECONDS }));
      bench.row(name, loadFigures(samples), SLOW_BARS[name]);
    }
    await server.stop();
  }
}
