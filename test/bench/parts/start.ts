import { setTimeout as pause } from 'node:timers/promises';
import type { Bench } from '../bench-run.ts';
import { writeHome } from '../config.ts';
import { median, percentile } from '../figures.ts';
import { start } from '../processes.ts';
import { sample } from '../sampling.ts';

/** By then V8 has given back what only the start needed. A Teller is idle for hours. */
const IDLE_AFTER_MS = 20_000;

/** Start-up of an installed Teller, its memory when idle, and its memory after many votes. */
export async function startUp(bench: Bench): Promise<void> {
  const { installed, sizes } = bench;
  const { config } = writeHome(bench.folder('start'));
  const startOne = () => start(installed, [installed.cli, 'run', '--config', config]);
  // The first start creates the keys and is not counted.
  await (await startOne()).stop();
  const times: number[] = [];
  const cpu: number[] = [];
  for (let run = 0; run < sizes.rounds; run++) {
    bench.say(`start ${run + 1} of ${sizes.rounds}`);
    const server = await startOne();
    times.push(server.startMs);
    cpu.push((await server.usage()).cpu);
    await server.stop();
  }
  const ready = {
    'median ms': median(times),
    'fastest ms': percentile(times, 0),
    'slowest ms': percentile(times, 1),
    'CPU s': median(cpu),
  };
  bench.row('start to ready', ready, { 'median ms': 'ready-ms' });

  const server = await startOne();
  bench.say('idle memory');
  await pause(IDLE_AFTER_MS);
  const idle = await server.usage();
  bench.row('idle', { MiB: idle.rssMiB }, { MiB: 'idle-mib' });
  bench.say(`memory after ${sizes.many} votes`);
  await sample(
    bench,
    { name: 'v2', version: 'v2', server },
    { votes: sizes.many, connections: 64, seconds: 90 },
  );
  const { rssMiB } = await server.usage();
  bench.row(`after ${sizes.many.toLocaleString('en-US')} votes`, { MiB: rssMiB });
  await server.stop();
}
