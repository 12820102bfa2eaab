import { PGlite } from '@electric-sql/pglite';
import { expect, onTestFinished, test } from 'vitest';
import { askedAll, TABLES_OF_POSTGRES } from '../kit/asked.ts';

/** A list that is one parameter, as SQLite reads it. */
const LIST = /\(SELECT value FROM json_each\((\$\d+)\)\)/;

/** The statement as PostgreSQL reads its lists: each can be of numbers or of texts, which SQLite does not tell apart. */
function forms(sql: string): readonly string[] {
  if (!LIST.test(sql)) return [sql];
  return ['bigint', 'text'].flatMap((type) =>
    forms(sql.replace(LIST, `(SELECT CAST(value AS ${type}) FROM json_array_elements_text($1::json))`)),
  );
}

test('PostgreSQL has the same tables, and takes the same statements', async () => {
  const { asked } = await askedAll();
  const database = new PGlite();
  onTestFinished(() => database.close());
  await database.exec(TABLES_OF_POSTGRES);
  const refusal = async (sql: string): Promise<string | null> => {
    let why = '';
    for (const form of forms(sql)) {
      const failed = await database.exec(`PREPARE one AS ${form}; DEALLOCATE one`).catch((error) => error);
      if (!(failed instanceof Error)) return null;
      why = failed.message;
    }
    return `${why}: ${sql.replaceAll(/\s+/g, ' ').trim()}`;
  };
  const refused: string[] = [];
  for (const sql of asked) refused.push(...[await refusal(sql)].filter((one) => one !== null));
  expect(refused).toEqual([]);
});
