import { constants } from 'node:fs';
import { copyFile, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { giveToOwnerOf, isThere, makeFolder, unwritable, writeNew } from './write-file.ts';

/** One file of a set that is written completely or not at all. */
export interface NewFile {
  readonly file: string;
  readonly text: string;
  readonly mode: number;
  /** Where to keep the present file; null: do not keep it. */
  readonly oldTo: string | null;
}

/**
 * Writes all of the files or none: all drafts are on disk before the first file is replaced, and an error restores the
 * old files. Files are replaced in order, so a file that names the others has to come last. A kill between two
 * replacements leaves the earlier files replaced.
 * @throws Problem `data-unwritable`
 */
export async function writeSet(files: readonly NewFile[]): Promise<void> {
  const drafts = files.map(({ file }) => `${file}.${process.pid}.draft`);
  const undo: (() => Promise<unknown>)[] = [];
  let at = '';
  try {
    for (const [index, { file, text, mode }] of files.entries()) {
      at = file;
      await makeFolder(path.dirname(file));
      // A killed process may have left a draft: in containers, process IDs repeat.
      await rm(drafts[index] as string, { force: true });
      await writeNew(drafts[index] as string, text, mode);
    }
    for (const [index, { file, oldTo }] of files.entries()) {
      at = oldTo ?? file;
      const old = await keepOld(file, oldTo);
      undo.unshift(old === null ? () => rm(file, { force: true }) : () => rename(old, file));
      at = file;
      await giveToOwnerOf(file, drafts[index] as string);
      await rename(drafts[index] as string, file);
    }
  } catch (error) {
    for (const step of undo) await step().catch(() => undefined);
    await removeAll(drafts);
    throw unwritable(at, error);
  }
  await removeAll(files.flatMap(({ file, oldTo }) => (oldTo === null ? [temporaryNameOf(file)] : [])));
}

const temporaryNameOf = (file: string): string => `${file}.${process.pid}.old`;

/** Copies the file, because it stays in its place until the new one replaces it. */
async function keepOld(file: string, oldTo: string | null): Promise<string | null> {
  if (!(await isThere(file))) return null;
  const to = oldTo ?? temporaryNameOf(file);
  await copyFile(file, to, oldTo === null ? 0 : constants.COPYFILE_EXCL);
  return to;
}

const removeAll = async (files: readonly string[]): Promise<void> => {
  for (const file of files) await rm(file, { force: true }).catch(() => undefined);
};
