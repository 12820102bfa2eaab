/**
 * A process that opens ledgers as `teller run` does, each at the same instant as other processes do, and prints the
 * outcomes. Arguments: ledger files, then when to open the first, in milliseconds since the epoch.
 */
import { openLedger } from '../../src/ledger/ledger.ts';
import { systemClock } from '../../src/platform/clock.ts';

const [files, start] = [process.argv.slice(2, -1), Number(process.argv.at(-1))];
/** Longer than opening one takes: the processes keep in step by the clock. */
const APART_MS = 200;
const SPIN_MS = 10;

/** Sleeps until shortly before, so that only the last moment keeps a core busy. */
async function untilJust(at: number): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, at - systemClock.now() - SPIN_MS));
  while (systemClock.now() < at);
}

async function outcomeOf(file: string): Promise<string> {
  try {
    const ledger = await openLedger(file, 'create', { clock: systemClock });
    await ledger.close();
    return 'opened';
  } catch (error) {
    return String(error);
  }
}

const outcomes: string[] = [];
for (const [number, file] of files.entries()) {
  await untilJust(start + number * APART_MS);
  outcomes.push(await outcomeOf(file));
}
process.stdout.write(`${JSON.stringify({ msg: 'ready', outcomes })}\n`);
