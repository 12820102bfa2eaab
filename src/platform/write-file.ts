import { closeSync, constants, mkdirSync, openSync } from 'node:fs';
import { chown, copyFile, link, mkdir, open, rename, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { Problem } from '../core/problem.ts';

/** For files with secrets, or with who voted from where: other users can neither read nor lock them (rule 10). */
export const OWNER_ONLY = 0o600;
export const OWNER_ONLY_FOLDER = 0o700;

export const FOR_ALL = 0o644;

/** Creates a folder, and those above it, if there is none. Those that exist keep their mode: they may be others' too. */
export const makeFolder = async (folder: string): Promise<void> =>
  void (await mkdir(folder, { recursive: true, mode: OWNER_ONLY_FOLDER }));

export const makeFolderSync = (folder: string): void =>
  void mkdirSync(folder, { recursive: true, mode: OWNER_ONLY_FOLDER });

/**
 * Creates an empty file that only its owner can use, if there is none. Call this before SQLite opens a new file: SQLite creates it
 * for everyone to read, and gives -wal, -shm and -journal the mode of the file.
 */
export function makeFileSync(file: string): void {
  try {
    closeSync(openSync(file, 'wx', OWNER_ONLY));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}

/**
 * Replaces a file atomically: a crash leaves the old one. Creates missing folders.
 * @throws Problem `data-unwritable`
 */
export async function writeWhole(file: string, text: string, mode: number): Promise<void> {
  const draft = draftOf(file);
  try {
    await makeFolder(path.dirname(file));
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
 * Creates a file atomically if it does not exist. If several processes try at once, one of them creates it.
 * @returns whether this call created the file.
 * @throws Problem `data-unwritable`
 */
export async function writeFirst(file: string, text: string, mode: number): Promise<boolean> {
  const draft = draftOf(file);
  try {
    await makeFolder(path.dirname(file));
    await rm(draft, { force: true });
    await writeNew(draft, text, mode);
    return await placeFirst(draft, file);
  } catch (error) {
    throw unwritable(file, error);
  } finally {
    await rm(draft, { force: true }).catch(() => undefined);
  }
}

/** A hard link appears with its whole content, and never replaces a file. */
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

/** Error codes of FAT, some network shares and some container volumes. */
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

/** A unique name next to the file, because a rename is atomic only within one file system. */
const draftOf = (file: string): string => `${file}.${process.pid}-${drafts++}.draft`;

/** Creates a file and flushes it to disk. */
export async function writeNew(file: string, text: string, mode: number): Promise<void> {
  const handle = await open(file, 'wx', mode);
  try {
    await handle.writeFile(text);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Keeps the owner of a file that root replaces, so that Teller's user can still read it. */
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
