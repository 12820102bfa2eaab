/**
 * Loaded into a measured process with `node --import`, and with NODE_OPTIONS also into its threads: reports CPU time and memory, and the delay of the event loop of
 * the main thread, when the benchmark asks; and, with the environment's STATEMENTS, what SQLite is asked, a line each, in that file,
 * after how many milliseconds it took.
 * So the program itself needs no code for it.
 */
import { appendFileSync, existsSync, readFileSync, readlinkSync } from 'node:fs';
import { createRequire } from 'node:module';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { BroadcastChannel, isMainThread } from 'node:worker_threads';

export interface Usage {
  /** Seconds of CPU since the start, user and system, of all threads. */
  readonly cpu: number;
  /** The same of the thread that writes the ledger; 0 where the system does not tell. */
  readonly ledgerCpu: number;
  readonly rssMiB: number;
  /** The delays of the event loop since the question before. */
  readonly p999Ms: number;
  readonly maxMs: number;
}

const NANOSECONDS = 1e6;
const THREAD = '/proc/thread-self';

const { STATEMENTS: file } = process.env;
if (file !== undefined) {
  // The program's own copy of the driver is the one whose statements are counted.
  const load = createRequire(process.argv[1] ?? import.meta.url);
  const Sqlite = load('better-sqlite3') as typeof import('better-sqlite3');
  const memory = new Sqlite(':memory:');
  const statements = Object.getPrototypeOf(memory.prepare('SELECT 1')) as object;
  memory.close();
  for (const name of ['run', 'get', 'all', 'iterate']) {
    const make = Reflect.get(statements, name) as (...given: unknown[]) => unknown;
    Reflect.set(statements, name, function (this: { readonly source: string }, ...given: unknown[]): unknown {
      const startedAt = performance.now();
      try {
        return make.apply(this, given);
      } finally {
        const ms = (performance.now() - startedAt).toFixed(3);
        appendFileSync(file, `${ms} ${this.source.trim().replaceAll(/\s+/g, ' ')}\n`);
      }
    });
  }
}

const ledgerThreads: string[] = [];
if (process.env.NODE_OPTIONS !== undefined && existsSync(THREAD)) {
  const channel = new BroadcastChannel('threads');
  if (isMainThread) channel.onmessage = ({ data }) => void ledgerThreads.push(String(data));
  else if (process.argv[1]?.includes('ledger-thread')) channel.postMessage(readlinkSync(THREAD));
  channel.unref();
}
const nanosecondsOf = (thread: string): number =>
  Number(readFileSync(`/proc/${thread}/schedstat`, 'utf8').split(' ')[0]);

if (isMainThread && process.channel !== undefined) {
  // It times a timer of this many milliseconds, which are part of each figure; a control process has the same.
  const histogram = monitorEventLoopDelay({ resolution: 5 });
  process.on('message', () => {
    const { user, system } = process.cpuUsage();
    const usage: Usage = {
      ...{ cpu: (user + system) / 1e6, ledgerCpu: Math.max(0, ...ledgerThreads.map(nanosecondsOf)) / 1e9 },
      ...{ rssMiB: process.memoryUsage.rss() / 2 ** 20 },
      ...{ p999Ms: histogram.percentile(99.9) / NANOSECONDS, maxMs: histogram.max / NANOSECONDS },
    };
    histogram.reset();
    histogram.enable();
    process.send?.(usage);
  });
  process.channel.unref();
}
