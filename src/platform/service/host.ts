import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { lstat, readdir, readFile, realpath, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Problem } from '../../core/problem.ts';
import { FOR_ALL, writeWhole } from '../write-file.ts';
import type { Program } from './unit.ts';

/** Who may change a file or folder, as its inode says. */
export interface Rights {
  readonly uid: number;
  readonly gid: number;
  /** The permission bits; what else the inode's mode says is ignored. */
  readonly mode: number;
  readonly isLink: boolean;
}

/** The machine that the service is installed on, so that tests install it on none. */
export interface Host {
  /** Whether systemd manages the services of this machine. */
  readonly hasSystemd: boolean;
  /** null on Windows. */
  readonly uid: number | null;
  /** null in a clone, whose owner can change what runs. */
  readonly program: () => Promise<Program | null>;
  /** null: there is nothing. */
  readonly rights: (path: string) => Promise<Rights | null>;
  /** Every file, folder and link below a folder, by its whole path. */
  readonly below: (folder: string) => Promise<readonly string[]>;
  readonly userId: (name: string) => Promise<number | null>;
  /** null: there is no such file. */
  readonly read: (file: string) => Promise<string | null>;
  readonly write: (file: string, text: string) => Promise<void>;
  readonly remove: (file: string) => Promise<void>;
  /** @throws Problem `service-failed` */
  readonly run: (command: readonly [string, ...string[]]) => Promise<void>;
}

const execute = promisify(execFile);

/** @param isInClone whether Teller runs from a clone. */
export const systemHost = (isInClone: boolean): Host => ({
  hasSystemd: existsSync('/run/systemd/system'), // where systemd's documentation says to look
  uid: process.getuid?.() ?? null,
  program: async () =>
    isInClone
      ? null
      : { node: await realpath(process.execPath), script: await realpath(process.argv[1] ?? '') },
  rights,
  below: async (folder) =>
    (await readdir(folder, { recursive: true })).map((relative) => join(folder, relative)),
  userId,
  read: (file) => orNull(readFile(file, 'utf8')),
  write: (file, text) => writeWhole(file, text, FOR_ALL),
  remove: (file) => rm(file),
  run,
});

async function rights(path: string): Promise<Rights | null> {
  const found = await orNull(lstat(path));
  if (found === null) return null;
  return { uid: found.uid, gid: found.gid, mode: found.mode & 0o7777, isLink: found.isSymbolicLink() };
}

/** `id` knows users of every source that the system has, /etc/passwd only the local ones. */
async function userId(name: string): Promise<number | null> {
  try {
    return Number((await execute('id', ['-u', name])).stdout);
  } catch {
    return null;
  }
}

async function run([program, ...given]: readonly [string, ...string[]]): Promise<void> {
  try {
    await execute(program, given);
  } catch (error) {
    const { stderr = '', message } = error as Error & { stderr?: string };
    const why = stderr.trim() === '' ? message : stderr.trim();
    throw new Problem('service-failed', `\`${[program, ...given].join(' ')}\` failed: ${why}`, {
      cause: error,
    });
  }
}

async function orNull<Value>(reading: Promise<Value>): Promise<Value | null> {
  try {
    return await reading;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}
