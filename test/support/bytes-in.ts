import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

/** Every match in the bytes of all files below a folder, whatever wrote them, such as `teller.db-wal: Alex`. */
export function bytesIn(folder: string, what: RegExp): string[] {
  const all = new RegExp(what, `g${what.flags}`);
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .flatMap(({ parentPath, name }) =>
      [...readFileSync(path.join(parentPath, name), 'latin1').matchAll(all)].map(
        ([match]) => `${name}: ${match}`,
      ),
    );
}
