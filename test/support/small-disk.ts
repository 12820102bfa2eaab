import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, fstatSync, ftruncateSync, mkdirSync, openSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { Running } from './processes.ts';

const UNSHARE = ['-Urm', 'sh', '-c'];
const PAGE_BYTES = 4096;

/** Why this machine cannot mount a small disk, for the titles of skipped tests; null if it can. */
export const noSmallDisk: string | null =
  spawnSync('unshare', [...UNSHARE, 'mount -t tmpfs -o size=64k tmpfs /tmp && nsenter -V']).status === 0
    ? null
    : ' (SKIPPED: this machine lets nobody mount a file system of his own: unshare -Urm)';

export type SmallDisk = Awaited<ReturnType<typeof smallDisk>>;

/**
 * A file system of this size, mounted on a folder in a separate mount namespace. It ends with the test, when the idle process that
 * holds the namespace is killed.
 */
export async function smallDisk(folder: string, bytes: number) {
  mkdirSync(folder, { recursive: true });
  const script = `mount -t tmpfs -o size=${bytes} tmpfs "$0" && echo mounted && exec sleep 120`;
  const holder = spawn('unshare', [...UNSHARE, script, folder], { stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(() => void holder.kill('SIGKILL'));
  await once(holder.stdout, 'data');
  const inside = ['--preserve-credentials', '-t', String(holder.pid), '-U', '-m'];
  const outside = `/proc/${holder.pid}/root${folder}`;
  const filler = join(outside, 'filler');
  return {
    /** The prefix for a command that has to see the disk. */
    within: ['nsenter', ...inside],
    /** The folder as seen from outside, for plain files only: SQLite resolves such a path to the wrong folder. */
    outside,
    /** Fills the disk except for this many bytes. Call it again to leave more. */
    fill: (leaveBytes = 0) => fill(filler, leaveBytes),
    /** Frees the space. */
    empty: () => rmSync(filler),
    /** Fails with `busy` while a file on the disk is open for writing. */
    remount: (as: 'ro' | 'rw'): void => {
      const mount = ['mount', '-o', `remount,${as}`, folder];
      const { status, stderr } = spawnSync('nsenter', [...inside, ...mount], { encoding: 'utf8' });
      if (status !== 0) throw new Error(stderr);
    },
  };
}

function fill(file: string, leaveBytes: number): void {
  const handle = openSync(file, 'a');
  const page = Buffer.alloc(PAGE_BYTES);
  try {
    for (;;) writeSync(handle, page);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
    ftruncateSync(handle, fstatSync(handle).size - leaveBytes);
  } finally {
    closeSync(handle);
  }
}

const prlimit = (pid: number | undefined, flag: string) =>
  spawnSync('prlimit', ['--pid', String(pid), flag], { encoding: 'utf8' });

/** Why this machine cannot limit writes of a process, for the titles of skipped tests; null if it can. */
export const noWriteLimit: string | null =
  prlimit(process.pid, '--fsize').status === 0 ? null : ' (SKIPPED: this machine has no prlimit)';

/** Allows or forbids a running process to write files, including open ones but not its log in a pipe. */
export function setWritable({ process }: Running<unknown>, isWritable: boolean): void {
  const { status, stderr } = prlimit(process.pid, isWritable ? '--fsize=unlimited' : '--fsize=0:');
  if (status !== 0) throw new Error(stderr);
}
