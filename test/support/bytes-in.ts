import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

/** Every match in the bytes of all files below a folder, whatever wrote them, such as `teller.db-wal: Alex`. */
export function bytesIn(folder: string, what: RegExp): string[] {
  const all = new RegExp(what, `g${what.flags}`);
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .flatMap(({ parentPath, name }) =>
      [...textOf(path.join(parentPath, name)).matchAll(all)].map(([match]) => `${name}: ${match}`),
    );
}

/** Empty for a file that is gone: a running Teller writes drafts and renames them. */
function textOf(file: string): string {
  try {
    return readFileSync(file, 'latin1');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return '';
    throw error;
  }
}
