import type { Database, RunResult, Statement } from 'better-sqlite3';

/**
 * Lets a database compile each statement when it first runs. A ledger prepares a thousand and a command runs a few of
 * them: compiling all of them when it is opened took 27 ms of CPU and 5 MiB.
 */
export function compileLater(database: Database): void {
  const compile = database.prepare.bind(database);
  const prepare = (sql: string): LaterStatement => new LaterStatement(() => compile(sql));
  // It has what our code uses of a statement.
  database.prepare = prepare as unknown as Database['prepare'];
}

type Compiled = Statement<unknown[]>;

class LaterStatement {
  private compiled: Compiled | null = null;
  private rows: 'pluck' | 'raw' | null = null;

  /** @param compile throws a SqliteError if the statement does not fit the tables. */
  constructor(private readonly compile: () => Compiled) {}

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

  private answering(rows: 'pluck' | 'raw'): this {
    this.rows = rows;
    this.compiled?.[rows]();
    return this;
  }

  private statement(): Compiled {
    if (this.compiled === null) {
      this.compiled = this.compile();
      if (this.rows !== null) this.compiled[this.rows]();
    }
    return this.compiled;
  }
}
