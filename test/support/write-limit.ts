import { spawnSync } from 'node:child_process';
import type { Running } from './processes.ts';

const prlimit = (pid: number | undefined, flag: string) =>
  spawnSync('prlimit', ['--pid', String(pid), flag], { encoding: 'utf8' });

/** Why no process can be kept from writing here, to stand in the titles of what is skipped; null where it can. */
export const noWriteLimit: string | null =
  prlimit(process.pid, '--fsize').status === 0 ? null : ' (SKIPPED: this machine has no prlimit)';

/** Whether a running process can write files: all that it has open, too, but not its log in a pipe. */
export function setWritable({ process }: Running<unknown>, isWritable: boolean): void {
  const { status, stderr } = prlimit(process.pid, isWritable ? '--fsize=unlimited' : '--fsize=0:');
  if (status !== 0) throw new Error(stderr);
}
