import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { Problem } from '../core/problem.ts';
import { requireNoPipe } from '../platform/plain-file.ts';

/** How a plugin's data is written, by the name of the file. */
export type DataForm = 'table' | 'sqlite' | 'folder';

const ENDINGS: Readonly<Record<string, DataForm>> = {
  ...{ csv: 'table', tsv: 'table', json: 'table', jsonl: 'table' },
  ...{ db: 'sqlite', sqlite: 'sqlite', sqlite3: 'sqlite' },
};

/** @throws Problem `import-nothing` if the file does not exist, `import-unreadable` if its ending says nothing. */
export async function formOf(file: string): Promise<DataForm> {
  const found = await stat(file).catch(() => null);
  if (found === null) throw new Problem('import-nothing', `${file} does not exist`);
  if (found.isDirectory()) return 'folder';
  await requireNoPipe(file);
  const form = ENDINGS[/\.([a-z0-9]+)$/i.exec(file)?.[1]?.toLowerCase() ?? ''];
  if (form !== undefined) return form;
  const endings = Object.keys(ENDINGS).map((ending) => `.${ending}`);
  throw new Problem(
    'import-unreadable',
    `the ending of ${file} does not say what it is; name it with one of ${endings.join(', ')}`,
  );
}

const CHUNK_BYTES = 256 * 1024;

/** The text of a file in chunks. @throws Problem `import-unreadable` */
export async function* textOf(file: string): AsyncGenerator<string> {
  await requireNoPipe(file);
  try {
    yield* createReadStream(file, { encoding: 'utf8', highWaterMark: CHUNK_BYTES });
  } catch (error) {
    throw new Problem('import-unreadable', `${file} cannot be read: ${(error as Error).message}`);
  }
}

/** When the newest of these files was written, in ms since the Unix epoch; 0 if none of them exists. */
export async function writtenAt(files: readonly string[]): Promise<number> {
  const found = await Promise.all(files.map((file) => stat(file).catch(() => null)));
  return Math.max(0, ...found.map((each) => Math.floor(each?.mtimeMs ?? 0)));
}
