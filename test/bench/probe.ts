/**
 * Loaded into a measured process with `node --import`: reports CPU time and memory, and the delay of the event loop of
 * the main thread, when the benchmark asks. So the program itself needs no code for it.
 */
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { isMainThread } from 'node:worker_threads';

export interface Usage {
  /** Seconds of CPU since the start, user and system, of all threads. */
  readonly cpu: number;
  readonly rssMiB: number;
  /** The delays of the event loop since the question before. */
  readonly p999Ms: number;
  readonly maxMs: number;
}

const NANOSECONDS = 1e6;

// Worker threads load this as well.
if (isMainThread && process.channel !== undefined) {
  // It times a timer of this many milliseconds, which are part of each figure; a control process has the same.
  const histogram = monitorEventLoopDelay({ resolution: 5 });
  process.on('message', () => {
    const { user, system } = process.cpuUsage();
    const usage: Usage = {
      ...{ cpu: (user + system) / 1e6, rssMiB: process.memoryUsage.rss() / 2 ** 20 },
      ...{ p999Ms: histogram.percentile(99.9) / NANOSECONDS, maxMs: histogram.max / NANOSECONDS },
    };
    histogram.reset();
    histogram.enable();
    process.send?.(usage);
  });
  process.channel.unref();
}
