import { Problem } from '../core/problem.ts';
import type { Ledger } from '../ledger/ledger.ts';

/** Runs `body` with the ledger, or with null before the first start, when there is no ledger. */
export async function withLedgerIfThere<Result>(
  file: string,
  openLedger: (file: string) => Ledger,
  body: (ledger: Ledger | null) => Promise<Result>,
): Promise<Result> {
  const ledger = openIfThere(file, openLedger);
  try {
    return await body(ledger);
  } finally {
    ledger?.close();
  }
}

function openIfThere(file: string, openLedger: (file: string) => Ledger): Ledger | null {
  try {
    return openLedger(file);
  } catch (error) {
    if (error instanceof Problem && error.code === 'ledger-missing') return null;
    throw error;
  }
}
