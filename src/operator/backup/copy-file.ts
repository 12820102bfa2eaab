import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import path from 'node:path';
import Database from 'better-sqlite3';
import { Problem } from '../../core/problem.ts';
import { makeFolder } from '../../platform/write-file.ts';

export interface Digest {
  readonly bytes: number;
  readonly sha256: string;
}

export async function digestOf(file: string): Promise<Digest> {
  const hash = createHash('sha256');
  let bytes = 0;
  for await (const chunk of createReadStream(file)) {
    hash.update(chunk);
    bytes += chunk.length;
  }
  return { bytes, sha256: hash.digest('hex') };
}

/** Copies into a new file and flushes it to disk. Creates missing folders. */
export async function copyFile(from: string, to: string, mode: number): Promise<void> {
  await makeFolder(path.dirname(to));
  const handle = await open(to, 'wx', mode);
  try {
    for await (const chunk of createReadStream(from)) await handle.appendFile(chunk);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Flushes a file or the names in a folder to disk. Errors are ignored, because some systems cannot flush folders. */
export async function sync(file: string): Promise<void> {
  let handle: FileHandle | null = null;
  try {
    handle = await open(file, 'r');
    await handle.sync();
  } catch {
    // See above.
  } finally {
    await handle?.close();
  }
}

/** Turns an error of the operating system or SQLite into `data-unwritable`; returns any other unchanged. */
export function asUnwritable(error: unknown, place: string): unknown {
  const isSystemFault =
    error instanceof Database.SqliteError || (error instanceof Error && 'syscall' in error);
  if (!isSystemFault) return error;
  const sentence = `${place} cannot be written (${error.message}); check the folder’s owner and space.`;
  return new Problem('data-unwritable', sentence, { cause: error });
}
