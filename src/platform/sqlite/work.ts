import type { Call, Kinds, Synchronous } from './calls.ts';
import type { Database } from './open.ts';

/** An open database with the calls that can be made to it. */
export interface DatabaseWork<Of> {
  readonly database: Database;
  readonly kinds: Kinds<Of>;
  readonly calls: Synchronous<Of>;
  /** Called before each transaction. Throws if nothing may be written. */
  beforeWriting?(): void;
  /** Called in each transaction, with all calls of the batch, before the first of them. */
  begin?(calls: readonly Call[]): void;
  /** Called when a transaction is on disk, before its calls are answered. @returns what the caller should be told. */
  committed?(): readonly unknown[];
  /** The error to answer with; a Problem for an error of the database or its disk. */
  asProblem(error: unknown): unknown;
  close(): void;
}
