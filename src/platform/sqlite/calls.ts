/**
 * How a call of a database is run:
 * - `write`: in the transaction of its batch, in a savepoint of its own
 * - `settle`: the same; if that transaction fails, it is tried once more, without the calls of other kinds
 * - `look`: reads what the calls before it have written
 * - `read`: on a connection that only reads, so that it delays no other call
 * - `outside`: before the transaction, for what no transaction can undo
 */
export type CallKind = 'write' | 'settle' | 'look' | 'read' | 'outside';

/** The kind of each call. Arguments and results are plain values, which can be sent to another thread. */
export type Kinds<Of> = { readonly [Name in keyof Of]: CallKind };

/** Calls as the thread of the database runs them: statements run synchronously. */
export type Synchronous<Of> = {
  readonly [Name in keyof Of]: Of[Name] extends (...args: infer Args) => Promise<infer Result>
    ? (...args: Args) => Result
    : never;
};

export interface Call {
  readonly name: string;
  readonly args: readonly unknown[];
}

/** A call that waits for its turn. */
export interface Request extends Call {
  /** How long to wait if another process has locked the database. */
  readonly patienceMs: number;
}

export type Answer = { readonly value: unknown } | { readonly error: unknown };

/** The answers to a batch, in the order of its requests. */
export interface Answered {
  readonly answers: readonly Answer[];
  /** What the transaction has to tell besides; see `DatabaseWork.committed`. */
  readonly news: readonly unknown[];
}

/** How long a call waits while another process has the database locked; shorter than a sender's deadline. */
export const LOCKED_PATIENCE_MS = 3_000;
