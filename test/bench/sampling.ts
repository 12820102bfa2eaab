import type { Bench } from './bench-run.ts';
import { median, sum } from './figures.ts';
import type { Load, LoadOrder } from './load.ts';
import { type Measured, runScript } from './processes.ts';

/** A listener, and how votes are sent to it. */
export interface Target extends Pick<LoadOrder, 'version' | 'keys' | 'players'> {
  readonly name: string;
  readonly server: Measured;
}

export type LoadSize = Pick<LoadOrder, 'votes' | 'connections'> &
  Partial<Pick<LoadOrder, 'seconds' | 'perSecond'>>;

export interface Sample extends Load {
  /** CPU seconds of the listener for each 1,000 votes. */
  readonly cpuPer1000: number;
}

/** A load that takes longer is cut short. */
const SECONDS_MAX = 30;
let run = 0;

/** Sends votes and measures the listener meanwhile. */
export async function sample(bench: Bench, target: Target, size: LoadSize): Promise<Sample> {
  const { name, server, ...how } = target;
  const order: LoadOrder = {
    port: server.ready.listener.port,
    seconds: SECONDS_MAX,
    ...how,
    ...size,
    run: ++run,
  };
  const before = await server.usage();
  const load = await runScript<Load>(bench.installed, 'load', order);
  const after = await server.usage();
  return { ...load, cpuPer1000: ((after.cpu - before.cpu) / load.votes) * 1_000 };
}

/** Measures the targets in turn, round by round, so that what else the machine does affects all of them. */
export async function interleaved(
  bench: Bench,
  targets: readonly Target[],
  size: LoadSize,
): Promise<ReadonlyMap<string, readonly Sample[]>> {
  const samples = new Map<string, Sample[]>(targets.map(({ name }) => [name, []]));
  for (let round = 0; round < bench.sizes.rounds; round++) {
    const order = round % 2 === 0 ? targets : targets.toReversed();
    for (const target of order) {
      bench.say(
        `${size.connections} connections, round ${round + 1} of ${bench.sizes.rounds}: ${target.name}`,
      );
      samples.get(target.name)?.push(await sample(bench, target, size));
    }
  }
  return samples;
}

/** The medians of the rounds. */
export const loadFigures = (samples: readonly Sample[]) => ({
  'votes/s': median(samples.map(({ votes, seconds }) => votes / seconds)),
  'CPU s/1,000': median(samples.map(({ cpuPer1000 }) => cpuPer1000)),
  'median ms': median(samples.map(({ medianMs }) => medianMs)),
  'p99 ms': median(samples.map(({ p99Ms }) => p99Ms)),
  failed: sum(samples.map(({ failed }) => failed)),
});
