import { spawnSync } from 'node:child_process';
import type { Running } from './processes.ts';

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
