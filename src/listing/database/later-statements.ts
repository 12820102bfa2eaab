import type { Database, RunResult, Statement } from 'better-sqlite3';

type Compiled = Statement<unknown[]>;
/** What a statement answers with, besides rows as objects. */
type Rows = 'pluck' | 'raw' | null;

/** A ledger's process runs some 150 different statements; an operator's searches have one for each set of filters. */
const KEPT_MAX = 512;

/**
 * Lets a database compile each statement when it first runs, and only once for the same text. A ledger prepares a thousand
 * and a command runs a few of them: compiling all of them when it is opened took 27 ms of CPU and 5 MiB. And a search is put
 * together for each question: compiling it anew took a tenth of the time of a page.
 */
export function compileLater(database: Database): void {
  const statements = new CompiledStatements(database.prepare.bind(database));
  const prepare = (sql: string): LaterStatement => new LaterStatement(sql, statements);
  // It has what our code uses of a statement.
  database.prepare = prepare as unknown as Database['prepare'];
}

class CompiledStatements {
  /** The one that was taken last is the last. */
  private readonly kept = new Map<string, Compiled>();

  constructor(private readonly compile: (sql: string) => Compiled) {}

  /** One that is not running. Throws a SqliteError if the text does not fit the tables. */
  take(sql: string, rows: Rows): Compiled {
    const key = `${rows} ${sql}`;
    const known = this.kept.get(key);
    const statement = known === undefined || known.busy ? this.compiled(sql, rows) : known;
    this.kept.delete(key);
    this.kept.set(key, statement);
    if (this.kept.size > KEPT_MAX) this.kept.delete(this.kept.keys().next().value ?? '');
    return statement;
  }

  private compiled(sql: string, rows: Rows): Compiled {
    const statement = this.compile(sql);
    return rows === null ? statement : statement[rows]();
  }
}

class LaterStatement {
  private compiled: Compiled | null = null;
  private rows: Rows = null;

  constructor(
    private readonly sql: string,
    private readonly statements: CompiledStatements,
  ) {}

  pluck(): this {
    return this.answering('pluck');
  }

  raw(): this {
    return this.answering('raw');
  }

  run(...values: unknown[]): RunResult {
    return this.statement().run(...values);
  }

  get(...values: unknown[]): unknown {
    return this.statement().get(...values);
  }

  all(...values: unknown[]): unknown[] {
    return this.statement().all(...values);
  }

  iterate(...values: unknown[]): IterableIterator<unknown> {
    return this.statement().iterate(...values);
  }

  private answering(rows: Rows): this {
    this.rows = rows;
    this.compiled = null;
    return this;
  }

  /** Another statement with the same text may be running, in the middle of its rows. */
  private statement(): Compiled {
    if (this.compiled === null || this.compiled.busy)
      this.compiled = this.statements.take(this.sql, this.rows);
    return this.compiled;
  }
}
