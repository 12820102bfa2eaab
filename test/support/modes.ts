import { readdirSync, statSync } from 'node:fs';
import path from 'node:path';

/** The files and folders below a folder that others than the owner have a right to, sorted. Without sockets. */
export const openToOthersIn = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() || entry.isDirectory())
    .map(({ parentPath, name }) => path.join(parentPath, name))
    .filter((each) => (statSync(each).mode & 0o077) !== 0)
    .map((each) => path.relative(folder, each))
    .toSorted();
