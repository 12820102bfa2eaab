/**
 * A process that opens ledgers as `teller run` does, each at the same instant as other processes do, and prints the
 * outcomes. Arguments: ledger files, then when to open the first, in milliseconds since the epoch.
 */
import { openLedger } from '../../src/ledger/sqlite-ledger.ts';
import { systemClock } from '../../src/runtime/clock.ts';

const [files, start] = [process.argv.slice(2, -1), Number(process.argv.at(-1))];
/** Longer than opening one takes: the processes keep in step by the clock. */
const APART_MS = 200;

function outcomeOf(file: string): string {
  try {
    openLedger(file, 'create', systemClock).close();
    return 'opened';
  } catch (error) {
    return String(error);
  }
}

const outcomes = files.map((file, number) => {
  while (systemClock.now() < start + number * APART_MS);
  return outcomeOf(file);
});
process.stdout.write(`${JSON.stringify({ msg: 'ready', outcomes })}\n`);
