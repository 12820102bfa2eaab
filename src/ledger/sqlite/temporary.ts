import type { Clock } from '../../core/clock.ts';
import { openDatabase, TEMPORARY } from '../../platform/sqlite/open.ts';
import type { Ledger } from '../ledger.ts';
import { ledgerInProcess } from './in-process.ts';
import { ledgerSchema } from './schema.ts';
import { ledgerWork } from './work.ts';

/**
 * A new ledger for votes that nobody cast. It records like any other, but does not wait for the disk. Nothing is delivered
 * from it, so the lock and the mark, which are named after the file of a ledger, are never used. Rejects with a Problem (see
 * `openDatabase`).
 */
export const openTemporaryLedger = async (clock: Clock): Promise<Ledger> => {
  const work = ledgerWork(openDatabase(TEMPORARY, ledgerSchema, 'create'));
  return ledgerInProcess({ work, replacesLost: false }, { clock });
};
