import type { Work } from '../../db/batch.ts';
import type { Call, Tx } from '../../db/db.ts';
import { type Mode, openSqlite, type SqliteFile, usingProblem } from '../../db/sqlite.ts';
import { allChanges, type Changes } from '../changes/changes.ts';
import { allReads, type Reads } from '../reads/reads.ts';
import { listingSchema } from '../store/schema.ts';
import { compileLater } from './later-statements.ts';

/** Everything that is asked of the threads of the listing service's database. */
export type ListingCalls = Changes & Reads;

/** Opens it, and creates it with the mode `create`. @throws Problem as `openSqlite`. */
export function openListingFile(file: string, mode: Mode): SqliteFile {
  const opened = openSqlite(file, listingSchema, mode);
  compileLater(opened.connection);
  return opened;
}

/** The calls on an open database, which `close` closes. */
export const listingWork = (file: SqliteFile): Work => ({
  file,
  writes: withTransaction(allChanges(file.connection)),
  reads: withTransaction(allReads(file.connection)),
  ...{ settles: {}, looks: {}, outside: {} },
  beforeWriting: () => {},
  asProblem: (error) => usingProblem(error, 'listing service’s database'),
  close: () => file.close(),
});

type Synchronous = (...args: readonly never[]) => unknown;

/** The stores have the connection, so they do not ask for the transaction. */
const withTransaction = (calls: Readonly<Record<string, Synchronous>>): Readonly<Record<string, Call>> =>
  Object.fromEntries(
    Object.entries(calls).map(([name, call]) => [
      name,
      async (_: Tx, ...args: readonly never[]) => call(...args),
    ]),
  );
