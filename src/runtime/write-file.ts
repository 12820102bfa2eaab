import { constants } from 'node:fs';
import { chown, copyFile, link, mkdir, open, rename, rm, stat } from 'node:fs/promises';
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
  const draft = draftOf(file);
  try {
    await mkdir(path.dirname(file), { recursive: true });
    await rm(draft, { force: true });
    await writeNew(draft, text, mode);
    await giveToOwnerOf(file, draft);
    await rename(draft, file);
  } catch (error) {
    await rm(draft, { force: true }).catch(() => undefined);
    throw unwritable(file, error);
  }
}

/**
 * Makes a whole file where there is none. Of several processes that try at once, one makes it and the others learn that
 * it is there. @returns whether this call made it.
 * @throws Problem `data-unwritable`
 */
export async function writeFirst(file: string, text: string, mode: number): Promise<boolean> {
  const draft = draftOf(file);
  try {
    await mkdir(path.dirname(file), { recursive: true });
    await rm(draft, { force: true });
    await writeNew(draft, text, mode);
    return await placeFirst(draft, file);
  } catch (error) {
    throw unwritable(file, error);
  } finally {
    await rm(draft, { force: true }).catch(() => undefined);
  }
}

/** A link appears at once with all its content, and never replaces a file. */
async function placeFirst(draft: string, file: string): Promise<boolean> {
  try {
    await link(draft, file);
    return true;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST') return false;
    if (!NO_HARD_LINKS.has(code ?? '')) throw error;
    return await copyFirst(draft, file);
  }
}

/** FAT, some network shares and some containers' volumes. */
const NO_HARD_LINKS: ReadonlySet<string> = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK']);

async function copyFirst(draft: string, file: string): Promise<boolean> {
  try {
    await copyFile(draft, file, constants.COPYFILE_EXCL);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

let drafts = 0;

/** Beside the file, because a rename is atomic only within one file system. Each draft has a name of its own. */
const draftOf = (file: string): string => `${file}.${process.pid}-${drafts++}.draft`;

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

/** What the administrator replaces, Teller's own user must still be able to read. */
export async function giveToOwnerOf(file: string, draft: string): Promise<void> {
  if (process.getuid?.() !== 0) return;
  const owner = await stat(file).catch(() => null);
  if (owner !== null) await chown(draft, owner.uid, owner.gid);
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
