/** The ledgers of Tellers in the process of a test. */
import { join } from 'node:path';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { MessageChannel, type MessagePort, Worker } from 'node:worker_threads';
import type { Clock } from '../../src/core/clock.ts';
import { openLedgerThread } from '../../src/ledger/on-threads.ts';
import type { Environment } from '../../src/main/environment.ts';
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

let worker: Worker | null = null;
/** How many calls of ledgers have been sent to their thread and have no answer yet. */
let underWay = 0;
let waiting: (() => void)[] = [];

/** Resolves with the next answer. */
export const answered = (): Promise<void> => new Promise((resolve) => waiting.push(resolve));

/**
 * Starts what a ledger sees as a thread of its own: a connection and a port for it alone, on one thread for all
 * ledgers of a test file. A thread for each would take 0.2 s of a core, and one from TypeScript 0.7 s.
 */
function onSharedThread(): Thread {
  if (worker === null) {
    worker = new Worker(compiled(join(import.meta.dirname, 'shared-thread-script.ts')));
    worker.unref();
  }
  const { port1, port2 } = new MessageChannel();
  worker.postMessage(port2, [port2]);
  return new SharedThread(port1);
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

/** Peers in this process hear from each other within a turn or two, and a conversation takes several. */
const TURNS = 8;
/** Whatever takes longer in real time is waiting for something else, such as a lock that another process holds. */
const LONGEST_MS = 20;
const READING = /^(?:FSReq|FileHandleCloseReq|GetAddrInfo)/;

/**
 * Waits for what is under way in this process, so that the time that a test moves does not overtake it: resolves when no ledger is
 * being asked, no file is being read and no name is being looked up.
 */
export async function quiet(): Promise<void> {
  const end = performance.now() + LONGEST_MS;
  do {
    for (let turn = 0; turn < TURNS; turn += 1) await nextTurn();
    if (underWay > 0) await Promise.race([answered(), sleep(LONGEST_MS)]);
    else if (process.getActiveResourcesInfo().some((name) => READING.test(name))) await sleep(1);
    else return;
  } while (performance.now() < end);
}
