/** Fills a ledger. One JSON argument: a `LedgerOrder`. Prints its progress, and last a `FilledLedger`. */
import { fillLedger } from './big-ledger.ts';

const say = (line: string): void => {
  process.stdout.write(`${line}\n`);
};
say(JSON.stringify(fillLedger(JSON.parse(process.argv[2] ?? ''), say)));
