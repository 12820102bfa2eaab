import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Clock } from '../../core/clock.ts';
import type { Ledger } from '../ledger.ts';
import { ledgerInProcess } from './in-process.ts';
import { openLedgerFile } from './open.ts';

/**
 * A new ledger for votes that nobody cast, in a folder of its own that `close` removes. It records like any other, but does
 * not wait for the disk. Rejects with a Problem (see `openLedgerFile`).
 */
export async function openTemporaryLedger(clock: Clock): Promise<Ledger> {
  const folder = mkdtempSync(join(tmpdir(), 'teller-ledger-'));
  const remove = (): void => rmSync(folder, { recursive: true, force: true });
  try {
    const opened = openLedgerFile({ file: join(folder, 'teller.db'), mode: 'create' });
    opened.work.database.pragma('synchronous = OFF');
    const ledger = ledgerInProcess(opened, { clock });
    return { ...ledger, close: () => ledger.close().finally(remove) };
  } catch (error) {
    remove();
    throw error;
  }
}
