import { type Row, type RowFault, rowOf } from './rows.ts';
import {
  createdTable,
  HEAD_MAX,
  insertHead,
  isInsert,
  ROW_MAX,
  readTuple,
  skipSpace,
  statementEnd,
  statementStart,
} from './sql-text.ts';

/** A row of a table. */
export interface DumpRow {
  readonly table: string;
  readonly row: Row | RowFault;
}

/**
 * The rows of all INSERT and REPLACE statements, in order. Other statements are passed over, apart from CREATE TABLE,
 * which names the columns. At most a row and a chunk are in memory, because one statement of mysqldump can have
 * megabytes of rows.
 *
 * A statement that cannot be read is reported, and the rest of it is left out.
 *
 * @param chunks the text of the dump, cut anywhere.
 */
export async function* dumpRows(chunks: AsyncIterable<string>): AsyncGenerator<DumpRow> {
  const reader = new DumpReader();
  for await (const chunk of chunks) {
    reader.add(chunk);
    yield* reader.rows();
  }
  reader.add('\n;\n');
  yield* reader.rows();
  const unfinished = reader.unfinished();
  if (unfinished !== null) yield unfinished;
}

interface Statement {
  readonly table: string;
  readonly columns: readonly string[] | null;
}

class DumpReader {
  #text = '';
  #at = 0;
  /** Line breaks in everything before `#counted`, a place in `#text`. */
  #lines = 0;
  #counted = 0;
  /** The INSERT whose rows are being read. */
  #insert: Statement | null = null;
  readonly #columns = new Map<string, readonly string[]>();

  add(chunk: string): void {
    this.#countTo(this.#at);
    this.#text = this.#text.slice(this.#at) + chunk;
    this.#at = 0;
    this.#counted = 0;
  }

  *rows(): Generator<DumpRow> {
    for (;;) {
      const found = this.#insert === null ? this.#nextStatement() : this.#nextRow(this.#insert);
      if (found === 'more') break;
      if (found !== null) yield found;
    }
    if (this.#text.length - this.#at > ROW_MAX) yield this.#giveUp('is longer than a row of a plugin can be');
  }

  /** What is left at the end of the file, apart from comments, is a statement that was cut off. */
  unfinished(): DumpRow | null {
    const isDone = this.#insert === null && statementStart(this.#text, this.#at) === null;
    return isDone ? null : this.#giveUp('is cut off: the dump is not complete');
  }

  #nextStatement(): DumpRow | null | 'more' {
    const start = statementStart(this.#text, this.#at);
    if (start === null) return 'more';
    this.#at = start;
    if (isInsert(this.#text, start)) return this.#beginInsert(start);
    const end = statementEnd(this.#text, start);
    if (end === null) return 'more';
    const created = createdTable(this.#text.slice(start, end));
    if (created !== null) this.#columns.set(created.table, created.columns);
    this.#at = end;
    return null;
  }

  #beginInsert(start: number): DumpRow | null | 'more' {
    const head = insertHead(this.#text, start);
    if (head !== null) {
      this.#insert = { table: head.table, columns: head.columns ?? this.#columns.get(head.table) ?? null };
      this.#at = head.end;
      return null;
    }
    const end = statementEnd(this.#text, start);
    if (end === null && this.#text.length - start < HEAD_MAX) return 'more';
    return this.#giveUp('is an INSERT that does not list its rows as VALUES');
  }

  #nextRow({ table, columns }: Statement): DumpRow | null | 'more' {
    const at = skipSpace(this.#text, this.#at);
    if (at === null) return 'more';
    const char = this.#text[at];
    if (char === ',') return this.#to(at + 1);
    if (char !== '(') return this.#endInsert(at);
    try {
      const read = readTuple(this.#text, at);
      if (read === null) return 'more';
      const where = this.#where(at);
      this.#at = read.end;
      const row =
        columns === null
          ? { at: where, why: 'belongs to a table whose columns the dump does not name' }
          : rowOf(where, columns, read.value);
      return { table, row };
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
      return this.#giveUp(error.message);
    }
  }

  #to(at: number): null {
    this.#at = at;
    return null;
  }

  /** Behind the rows, there can be ON DUPLICATE KEY UPDATE. */
  #endInsert(at: number): null | 'more' {
    const end = statementEnd(this.#text, at);
    if (end === null) return 'more';
    this.#insert = null;
    return this.#to(end);
  }

  /** Leaves out the text up to the end of the line, where the next statement begins in every dump. */
  #giveUp(why: string): DumpRow {
    const fault = { table: this.#insert?.table ?? '', row: { at: this.#where(this.#at), why } };
    const end = this.#text.indexOf('\n', this.#at);
    this.#at = end < 0 ? this.#text.length : end;
    this.#insert = null;
    return fault;
  }

  #where(at: number): string {
    this.#countTo(at);
    return `line ${this.#lines + 1}`;
  }

  #countTo(at: number): void {
    this.#lines += lineBreaks(this.#text, this.#counted, at);
    this.#counted = Math.max(at, this.#counted);
  }
}

function lineBreaks(text: string, from: number, to: number): number {
  let found = 0;
  for (let at = text.indexOf('\n', from); at >= 0 && at < to; at = text.indexOf('\n', at + 1)) found++;
  return found;
}
