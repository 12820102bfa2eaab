import { setPriority } from 'node:os';
import { parentPort, workerData } from 'node:worker_threads';
import { openTemporaryLedger } from '../../../ledger/sqlite/temporary.ts';
import { systemClock } from '../../../platform/clock.ts';
import { likeThePast, madeUp } from './coming.ts';
import { Past } from './past.ts';
import { isStopped, type MonthAnswer, type MonthMessage, type MonthTask } from './thread-messages.ts';

const LEAST_PRIORITY = 19;

/** The thread of `comingMonth`: it simulates one month and ends. */
const { order, voters, stop } = workerData as MonthTask;
// It computes for many seconds, and votes and pages come first. Only on Linux this is the priority of the thread alone.
if (process.platform === 'linux') yieldToOthers();
const past = new Past(order.config, order.rules.zone, order.today);
const answer = (message: MonthAnswer): void => parentPort?.postMessage(message);

class Stopped extends Error {}

const tools = {
  openLedger: () => openTemporaryLedger(systemClock),
  onProgress: (progress: { readonly done: number; readonly of: number }): void => {
    if (isStopped(stop)) throw new Stopped();
    answer({ kind: 'progress', progress });
  },
};

parentPort?.on('message', (message: MonthMessage) => {
  switch (message.kind) {
    case 'votes':
      return past.addVotes(message.votes);
    case 'totals':
      return past.addTotals(message.totals);
    case 'start':
      return void run();
  }
});

/** A container may forbid it; the month is then simulated with the priority of all others. */
function yieldToOthers(): void {
  try {
    setPriority(LEAST_PRIORITY);
  } catch {}
}

async function run(): Promise<void> {
  try {
    const calendar = voters === null ? likeThePast(order, past, tools) : madeUp(order, voters, tools);
    answer({ kind: 'calendar', calendar: await calendar });
  } catch (error) {
    if (!(error instanceof Stopped)) throw error;
  } finally {
    parentPort?.close();
  }
}
