/** What can happen to the file of a ledger while a Teller has it open. */
import { renameSync } from 'node:fs';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { onTestFinished } from 'vitest';

type Place = { readonly folder: string };

export const ledgerFileOf = ({ folder }: Place): string => join(folder, 'data/teller.db');

/** Another process holds its write lock, so that what Teller writes waits, for up to 3 s. @returns what releases it. */
export function lockLedger(place: Place): () => void {
  const other = new Sqlite(ledgerFileOf(place));
  other.exec('BEGIN IMMEDIATE');
  onTestFinished(() => void other.close());
  return () => other.exec('COMMIT');
}

/** The file is moved away, so that Teller stores nothing. @returns what moves it back. */
export function moveLedgerAway(place: Place): () => void {
  const file = ledgerFileOf(place);
  renameSync(file, `${file}.away`);
  return () => renameSync(`${file}.away`, file);
}
