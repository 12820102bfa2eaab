/**
 * Loaded into a measured process with `node --import`: reports CPU time and memory, and the delay of the event loop of
 * the main thread, when the benchmark asks; and, with the environment's STATEMENTS, what SQLite is asked, a line each, in that file.
 * So the program itself needs no code for it.
 */
import { appendFileSync } from 'node:fs';
import { createRequire } from 'node:module';
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

const { STATEMENTS: file } = process.env;
if (file !== undefined) {
  // The program's own copy of the driver is the one whose statements are counted.
  const Sqlite = createRequire(process.argv[1] ?? import.meta.url)(
    'better-sqlite3',
  ) as typeof import('better-sqlite3');
  const memory = new Sqlite(':memory:');
  const statements = Object.getPrototypeOf(memory.prepare('SELECT 1')) as object;
  memory.close();
  for (const name of ['run', 'get', 'all', 'iterate']) {
    const make = Reflect.get(statements, name) as (...given: unknown[]) => unknown;
    Reflect.set(statements, name, function (this: { readonly source: string }, ...given: unknown[]): unknown {
      appendFileSync(file, `${this.source.trim().replaceAll(/\s+/g, ' ')}\n`);
      return make.apply(this, given);
    });
  }
}

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
