import { mkdir, open, rename, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { Problem } from '../core/problem.ts';

/** Only its owner reads it. For everything that holds a secret (rule 10). */
export const OWNER_ONLY = 0o600;

export const FOR_ALL = 0o644;

/**
 * Writes a whole file or none of it: a crash leaves the old one. Folders on the way are made.
 * @throws Problem `data-unwritable`
 */
export async function writeWhole(file: string, text: string, mode: number): Promise<void> {
  // Beside the file, because a rename is atomic only within one file system.
  const draft = `${file}.${process.pid}.draft`;
  try {
    await mkdir(path.dirname(file), { recursive: true });
    await rm(draft, { force: true });
    await writeNew(draft, text, mode);
    await rename(draft, file);
  } catch (error) {
    await rm(draft, { force: true }).catch(() => undefined);
    throw unwritable(file, error);
  }
}

/** A file that was not there; it is on the disk when this resolves. */
export async function writeNew(file: string, text: string, mode: number): Promise<void> {
  const handle = await open(file, 'wx', mode);
  try {
    await handle.writeFile(text);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

export function unwritable(file: string, error: unknown): Problem {
  const { code, message } = error as NodeJS.ErrnoException;
  const toDo = code === 'ENOSPC' ? 'its disk is full: make room' : 'give this user the right to write there';
  const sentence = `${file} cannot be written (${code ?? message}); ${toDo}`;
  return new Problem('data-unwritable', sentence, { cause: error });
}

export const isThere = async (file: string): Promise<boolean> =>
  stat(file).then(
    () => true,
    () => false,
  );
