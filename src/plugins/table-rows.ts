import { csvRows } from './csv.ts';
import { begun, isJson, jsonObjects } from './line-fields.ts';
import type { Row, RowFault } from './rows.ts';

/**
 * The rows of a table: of JSON lines if the text begins with `{`, otherwise of CSV or TSV with a first line that names the
 * columns.
 *
 * @param chunks the text, cut anywhere.
 */
export async function* tableRows(chunks: AsyncIterable<string>): AsyncGenerator<Row | RowFault> {
  const { begin, all } = await begun(chunks);
  if (!isJson(begin)) {
    yield* csvRows(all);
    return;
  }
  for await (const { line, value } of jsonObjects(all)) {
    const at = `line ${line}`;
    if (typeof value === 'string') yield { at, why: value };
    else yield { at, values: new Map(Object.entries(value).map(([key, each]) => [key, textOf(each)])) };
  }
}

const textOf = (value: unknown): string | null =>
  value === null ? null : typeof value === 'object' ? JSON.stringify(value) : String(value);
