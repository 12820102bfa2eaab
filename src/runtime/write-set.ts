import { constants } from 'node:fs';
import { copyFile, mkdir, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { giveToOwnerOf, isThere, unwritable, writeNew } from './write-file.ts';

/** One file of a set that is written whole or not at all. */
export interface NewFile {
  readonly file: string;
  readonly text: string;
  readonly mode: number;
  /** Where the file that is there now is kept; null: it is not. */
  readonly oldTo: string | null;
}

/**
 * Writes all of the files or none: every text is on the disk before the first takes its place, and an error puts back
 * what was there. They take their places in order, so the one that names the others comes last. A kill between two of
 * them leaves the earlier ones.
 * @throws Problem `data-unwritable`
 */
export async function writeSet(files: readonly NewFile[]): Promise<void> {
  const drafts = files.map(({ file }) => `${file}.${process.pid}.draft`);
  const undo: (() => Promise<unknown>)[] = [];
  let at = '';
  try {
    for (const [index, { file, text, mode }] of files.entries()) {
      at = file;
      await mkdir(path.dirname(file), { recursive: true });
      // A killed process may have left it: in containers, process IDs come again.
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
  await removeAll(files.flatMap(({ file, oldTo }) => (oldTo === null ? [passingName(file)] : [])));
}

const passingName = (file: string): string => `${file}.${process.pid}.old`;

/** A copy beside it, because the file itself stays in its place until the new one takes it. */
async function keepOld(file: string, oldTo: string | null): Promise<string | null> {
  if (!(await isThere(file))) return null;
  const to = oldTo ?? passingName(file);
  await copyFile(file, to, oldTo === null ? 0 : constants.COPYFILE_EXCL);
  return to;
}

const removeAll = async (files: readonly string[]): Promise<void> => {
  for (const file of files) await rm(file, { force: true }).catch(() => undefined);
};
