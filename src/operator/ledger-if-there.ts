import { Problem } from '../core/problem.ts';
import type { Ledger } from '../ledger/ledger.ts';

/** Runs `body` with the ledger, or with null before the first start, when there is no ledger. */
export async function withLedgerIfThere<Result>(
  file: string,
  openLedger: (file: string) => Promise<Ledger>,
  body: (ledger: Ledger | null) => Promise<Result>,
): Promise<Result> {
  const ledger = await openIfThere(file, openLedger);
  try {
    return await body(ledger);
  } finally {
    await ledger?.close();
  }
}

async function openIfThere(
  file: string,
  openLedger: (file: string) => Promise<Ledger>,
): Promise<Ledger | null> {
  try {
    return await openLedger(file);
  } catch (error) {
    if (error instanceof Problem && error.code === 'ledger-missing') return null;
    throw error;
  }
}
