/** What can happen to the file of a ledger while a Teller has it open, or has not. */
import { renameSync } from 'node:fs';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { onTestFinished } from 'vitest';
import { openMark, readMark } from '../../src/db/lock.ts';
import type { Ledger } from '../../src/ledger/ledger.ts';
import { type LedgerOptions, ledgerInProcess, openLedger, openLedgerFile } from '../../src/ledger/ledger.ts';
import { systemClock } from '../../src/platform/clock.ts';
import type { GrantSeen } from './witness.ts';

export { acquireLock, isLockHeld, lockFileOf } from '../../src/db/lock.ts';

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

/** Opens it as Teller does (`create`), or a command that writes or reads. It rejects with a code. It is closed with the test. */
export async function opened(file: string, mode: 'create' | 'write' | 'read' = 'create'): Promise<Ledger> {
  const ledger = await openLedger(file, mode, { clock: systemClock });
  onTestFinished(() => ledger.close());
  return ledger;
}

/** Opens it on this thread, and creates it if there is none. Its days are those of UTC. */
export function ledgerAt(
  file: string,
  options: Partial<LedgerOptions> = {},
): { readonly database: Sqlite.Database; readonly ledger: Ledger } {
  const opened = openLedgerFile(file, 'create');
  const ledger = ledgerInProcess(opened, { clock: systemClock, ...options });
  return { database: opened.work.file.connection, ledger };
}

/** Opens it for reading while a Teller runs or after it has ended. */
function lookInto(file: string): Ledger {
  const ledger = ledgerInProcess(openLedgerFile(file, 'read'), { clock: systemClock });
  onTestFinished(() => ledger.close());
  return ledger;
}

/** How many commands were claimed in it, as the mark beside it says; null: there is none that can be read. */
export const markOf = (file: string): number | null => readMark(`${file}.mark`);

export function setMark(file: string, claims: number): void {
  const mark = openMark(`${file}.mark`);
  mark.set(claims);
  mark.close();
}

export type LookedGrant = Pick<GrantSeen, 'reward' | 'occasion' | 'state'> & {
  readonly voteId: number | null;
  readonly commands: readonly { readonly command: string }[];
};

export interface Looked {
  /** Oldest first, as `grants`. */
  votes(): Promise<
    readonly {
      readonly id: number;
      readonly service: string;
      readonly player: string | null;
      readonly decision: string;
    }[]
  >;
  grants(): Promise<readonly LookedGrant[]>;
}

/** What a ledger has, for tests that look again and again while a Teller works on it: a command would open it each time. */
export function looking(place: Place): Looked {
  const ledger = lookInto(ledgerFileOf(place));
  const all = { limit: 10_000 };
  return {
    votes: async () => (await ledger.votes(all)).toReversed(),
    grants: async () => (await ledger.grants(all)).toReversed(),
  };
}
