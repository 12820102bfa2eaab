/**
 * Loaded into a measured process with `node --import`: reports CPU time and memory, and the delay of the event loop of
 * the main thread, when the benchmark asks. So the program itself needs no code for it.
 */
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { isMainThread } from 'node:worker_threads';

export type Question = 'usage' | 'watch-delay' | 'delay';

export interface Usage {
  /** Seconds of CPU since the start, user and system, of all threads. */
  readonly cpu: number;
  readonly rssMiB: number;
}

export interface Delay {
  readonly p999Ms: number;
  readonly maxMs: number;
}

const NANOSECONDS = 1e6;

/** It times a timer of this many milliseconds, which are part of each figure; a control process has the same. */
const histogram = monitorEventLoopDelay({ resolution: 5 });

function answer(question: Question): Usage | Delay {
  switch (question) {
    case 'usage': {
      const { user, system } = process.cpuUsage();
      return { cpu: (user + system) / 1e6, rssMiB: process.memoryUsage.rss() / 2 ** 20 };
    }
    case 'watch-delay':
      histogram.reset();
      histogram.enable();
      return delay();
    case 'delay':
      histogram.disable();
      return delay();
  }
}

const delay = (): Delay => ({
  p999Ms: histogram.percentile(99.9) / NANOSECONDS,
  maxMs: histogram.max / NANOSECONDS,
});

// Worker threads load this as well.
if (isMainThread && process.channel !== undefined) {
  process.on('message', (question: Question | object) => {
    // Objects are for the script.
    if (typeof question === 'string') process.send?.(answer(question));
  });
  process.channel.unref();
}
