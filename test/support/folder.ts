/** Files and folders of tests. */
import { spawnSync } from 'node:child_process';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statfsSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path, { basename, dirname } from 'node:path';
import { inject, onTestFinished } from 'vitest';

/** Some tests write 50,000 files. */
const REMOVING_MS = 60_000;

const ROOM = 2 ** 31;

function hasRoom(folder: string): boolean {
  if (!existsSync(folder)) return false;
  const { bavail, bsize } = statfsSync(folder);
  return bavail * bsize > ROOM;
}

/** In memory if there is room, so that no test waits for this machine's disk. */
const HOME = hasRoom('/dev/shm') ? '/dev/shm' : tmpdir();

/** A folder with these files, by relative path, that is removed after the test. */
export function temporaryFolder(files: Readonly<Record<string, string>> = {}): string {
  const folder = mkdtempSync(path.join(HOME, 'teller-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }), REMOVING_MS);
  for (const [name, text] of Object.entries(files)) {
    const file = path.join(folder, name);
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
  return folder;
}

/**
 * Puts a ledger without votes there if nothing of a ledger is, because creating its tables takes longer than most tests of a
 * ledger. Started processes create their own.
 */
export function placeEmptyLedger(file: string): void {
  const [folder, name] = [dirname(file), basename(file)];
  if (file === ':memory:') return;
  // A -wal, mark or lock without a ledger means that one was lost, which is for the ledger to find.
  if (!existsSync(folder) || readdirSync(folder).some((entry) => entry.startsWith(name))) return;
  copyFileSync(inject('emptyLedger'), file);
}

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

/** The files and folders below a folder that others than the owner have a right to, sorted. Without sockets. */
export const openToOthersIn = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() || entry.isDirectory())
    .map(({ parentPath, name }) => path.join(parentPath, name))
    .filter((each) => (statSync(each).mode & 0o077) !== 0)
    .map((each) => path.relative(folder, each))
    .toSorted();

/** Node has no call for it. A test that opens it and waits ends with its time limit. */
export function makePipe(file: string): void {
  const { status } = spawnSync('mkfifo', [file]);
  if (status !== 0) throw new Error(`mkfifo ended with ${status}`);
}

/** Writes the key pair of all tests of a run, because creating one takes a fifth of a second. */
export function writeKeyPair(folder: string): void {
  const { privateKey, publicKey } = inject('keyPair');
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  writeFileSync(path.join(folder, 'private.key'), privateKey, { mode: 0o600 });
  writeFileSync(path.join(folder, 'public.key'), publicKey);
}
