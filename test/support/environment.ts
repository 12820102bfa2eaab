/** The ledgers and the environment of a whole Teller in the process of a test. */
import { join } from 'node:path';
import { MessageChannel, type MessagePort, Worker } from 'node:worker_threads';
import type { Clock } from '../../src/core/clock.ts';
import { openLedgerThread } from '../../src/ledger/sqlite/threaded.ts';
import { type Environment, environment } from '../../src/main/environment.ts';
import { systemRandom } from '../../src/platform/random.ts';
import type { Thread } from '../../src/platform/thread.ts';
import { placeEmptyLedger } from './folder.ts';
import { compiled } from './processes.ts';

/** Opens a ledger as `teller run` does, on a thread that other tests use too, and without creating its tables. */
export const openSharedLedger =
  (clock: Clock): Environment['openLedger'] =>
  (file, watchers) => {
    placeEmptyLedger(file);
    return openLedgerThread(file, { clock, ...watchers, start: onSharedThread });
  };

/** The environment of a whole Teller in this process. */
export const testEnvironment = (clock: Clock, log: Environment['log']): Environment => ({
  ...environment(clock, systemRandom, log),
  openLedger: openSharedLedger(clock),
});

const SCRIPT = join(import.meta.dirname, 'shared-thread-script.ts');

let worker: Worker | null = null;
let underWay = 0;
let waiting: (() => void)[] = [];

/** How many calls of ledgers have been sent to their thread and have no answer yet. */
export const callsUnderWay = (): number => underWay;

/** Resolves with the next answer. */
export const answered = (): Promise<void> => new Promise((resolve) => waiting.push(resolve));

/**
 * Starts what a ledger sees as a thread of its own: a connection and a port for it alone, on one thread for all
 * ledgers of a test file. A thread for each would take 0.2 s of a core, and one from TypeScript 0.7 s.
 */
function onSharedThread(): Thread {
  worker ??= startWorker();
  const { port1, port2 } = new MessageChannel();
  worker.postMessage(port2, [port2]);
  return new SharedThread(port1);
}

function startWorker(): Worker {
  const started = new Worker(compiled(SCRIPT));
  started.unref();
  return started;
}

/** One port of the shared thread, with the methods of a `Worker`. */
class SharedThread implements Thread {
  readonly threadId = worker?.threadId ?? 0;

  private unanswered = 0;

  constructor(private readonly port: MessagePort) {
    port.on('message', () => this.count(-1)).on('close', () => this.count(-this.unanswered));
  }

  private count(more: number): void {
    this.unanswered += more;
    underWay += more;
    if (more > 0) return;
    for (const resolve of waiting) resolve();
    waiting = [];
  }

  on(event: 'message' | 'error' | 'exit', listener: (value: unknown) => void): void {
    this.port.on(event === 'exit' ? 'close' : event, listener);
  }

  /** Each message has one answer. */
  postMessage(message: unknown): void {
    this.count(1);
    this.port.postMessage(message);
  }

  ref(): void {
    this.port.ref();
  }

  unref(): void {
    this.port.unref();
  }

  async terminate(): Promise<void> {
    this.port.close();
  }
}
