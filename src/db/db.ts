/**
 * What code that stores things sees of a database: a transaction, which is a parameter, and the closed list of what can go wrong.
 *
 * A call is an exported function `(tx, …args)`. It awaits each statement, one after another, and nothing else, so that its
 * transaction is as short as its statements. Statements are written once, in what SQLite and PostgreSQL share; parameters are `$1`,
 * `$2`, … in the order of the values.
 */
import { Problem, type ProblemCode } from '../core/problem.ts';

/** What a parameter can be. There are no booleans: a flag is 0 or 1 in both engines. */
export type Value = string | number | null | Uint8Array;

/** A transaction. It belongs to one call and throws once that call has ended, so that a forgotten `await` cannot write later. */
export interface Tx {
  all<Row>(sql: string, values?: readonly Value[]): Promise<Row[]>;
  /** The first row; null if there is none. */
  get<Row>(sql: string, values?: readonly Value[]): Promise<Row | null>;
  /** @returns how many rows were changed. */
  run(sql: string, values?: readonly Value[]): Promise<number>;
  /** SQL for the values of a list, which is bound as one parameter: `WHERE id IN (${tx.each('$1', 'number')})` with `listOf(ids)`. */
  each(parameter: `$${number}`, of: 'text' | 'number'): string;
  /**
   * What was read once, for later calls too. It is read again after another process has written, after a transaction was rolled
   * back, and after `forget`.
   */
  memo<Read>(key: string, read: () => Promise<Read>): Promise<Read>;
  /** Call this where the call changes what a memo has read. */
  forget(key: string): void;
  /** Is called once the transaction is on disk, before anyone is answered. */
  afterCommit(act: () => void): void;
  /** Something that the process should be told once the transaction is on disk: a plain value. */
  tell(news: unknown): void;
}

/** A list as the value of one parameter, for `Tx.each`. */
export const listOf = (values: readonly (string | number)[]): string => JSON.stringify(values);

/** A function of a transaction as its callers see it: each call is a transaction of its own, or shares one with its neighbours. */
type CallOf<Fn> = Fn extends (tx: Tx, ...args: infer Args) => Promise<infer Result>
  ? (...args: Args) => Promise<Result>
  : never;
export type CallsOf<Module> = { readonly [Name in keyof Module]: CallOf<Module[Name]> };

export type Call = (tx: Tx, ...args: never[]) => Promise<unknown>;

/**
 * The calls of a database by how they are run:
 * - `writes`: in the transaction of their batch
 * - `settles`: the same; if that transaction fails, they are tried once more without the others, because nothing else knows what
 *   happened on a game server
 * - `looks`: they read what the calls before them have written
 * - `reads`: on a connection that only reads, so that they delay no other call; each sees one state of the database
 */
export interface Schedule {
  readonly writes: Readonly<Record<string, Call>>;
  readonly settles: Readonly<Record<string, Call>>;
  readonly looks: Readonly<Record<string, Call>>;
  readonly reads: Readonly<Record<string, Call>>;
}

/** The value of a statement that finds one `value`; null if it finds no row. */
export async function valueFrom<Found extends Value>(
  tx: Tx,
  sql: string,
  values: readonly Value[] = [],
): Promise<Found | null> {
  return (await tx.get<{ value: Found | null }>(sql, values))?.value ?? null;
}

/** The `value` of each row that a statement finds. */
export const valuesFrom = async <Found extends Value>(
  tx: Tx,
  sql: string,
  values: readonly Value[] = [],
): Promise<readonly Found[]> => (await tx.all<{ value: Found }>(sql, values)).map(({ value }) => value);

/** Inserts rows with one statement; does nothing without rows. @param then what follows the values, such as `ON CONFLICT …`. */
export async function insertRows(
  tx: Tx,
  into: string,
  rows: readonly (readonly Value[])[],
  then = '',
): Promise<void> {
  if (rows.length > 0) await tx.run(insertFor(into, rows, then), valuesOf(rows));
}

/** The same, and returns what the database fills in, in no order that can be relied on. */
export const insertReturning = <Row>(
  tx: Tx,
  into: string,
  rows: readonly (readonly Value[])[],
  returning: string,
): Promise<Row[]> =>
  rows.length === 0
    ? Promise.resolve([])
    : tx.all<Row>(insertFor(into, rows, `RETURNING ${returning}`), valuesOf(rows));

function valuesOf(rows: readonly (readonly Value[])[]): readonly Value[] {
  const [first = []] = rows;
  if (rows.length === 1) return first;
  const values: Value[] = [];
  for (const row of rows) for (const value of row) values.push(value);
  return values;
}

/** By table and columns, what follows, and the number of rows. Putting the texts of a vote together each time took some 7 % of its time. */
const inserts = new Map<string, Map<string, string[]>>();

function insertFor(into: string, rows: readonly (readonly Value[])[], then: string): string {
  const byEnd = inserts.get(into) ?? new Map<string, string[]>();
  const texts = byEnd.get(then) ?? [];
  const known = texts[rows.length];
  if (known !== undefined) return known;
  let at = 0;
  const values = rows.map((row) => `(${row.map(() => `$${++at}`).join(', ')})`).join(', ');
  const text = `INSERT INTO ${into} VALUES ${values} ${then}`;
  if (rows.length <= ROWS_KEPT) {
    texts[rows.length] = text;
    inserts.set(into, byEnd.set(then, texts));
  }
  return text;
}

/** Larger inserts are rare, and their texts long. */
const ROWS_KEPT = 20;

/** What can be wrong with a database or its disk while it is used, each with the sentence for the operator. */
const faults = {
  locked: [
    'ledger-locked',
    (name: string) => `Another program has locked the ${name}. End that program, or wait until it is done.`,
  ],
  full: [
    'ledger-full',
    (name: string) =>
      `The ${name} cannot grow because the disk is full. Free some space; Teller then continues automatically.`,
  ],
  corrupt: [
    'ledger-corrupt',
    (name: string, why: string) => `The ${name} is damaged (${why}). Restore the last backup.`,
  ],
  failed: [
    'ledger-failed',
    (name: string, why: string) =>
      `The ${name} could not be read or written (${why}). Check its disk, owner and quota; Teller tries again automatically.`,
  ],
} as const satisfies Record<string, readonly [ProblemCode, (name: string, why: string) => string]>;

export type DatabaseFault = keyof typeof faults;

/** @param name how sentences call the database, after “the”. */
export function databaseProblem(fault: DatabaseFault, name: string, error: Error): Problem {
  const [code, sentence] = faults[fault];
  return new Problem(code, sentence(name, error.message), { cause: error });
}
