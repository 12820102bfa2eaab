import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';

/**
 * How many files, including sockets, this process may have open; null if there is no limit or it cannot be read. Node raises
 * its soft limit to the hard limit at start, so the value read here is the one in effect.
 */
export function openFileLimit(): number | null {
  try {
    return limitIn(readFileSync(fileOf('self'), 'utf8'));
  } catch {
    return null; // not Linux
  }
}

/** The same of any process, without blocking this thread. */
export const openFileLimitOf = (pid: number | 'self'): Promise<number | null> =>
  readFile(fileOf(pid), 'utf8').then(limitIn, () => null); // not Linux, or another user's process

const fileOf = (pid: number | 'self'): string => `/proc/${pid}/limits`;

function limitIn(limits: string): number | null {
  const [, soft] = /^Max open files\s+(\d+)/m.exec(limits) ?? [];
  return soft === undefined ? null : Number(soft);
}

/** The advice for a limit that is too low. */
export const RAISE_LIMIT =
  'raise the limit (ulimit -n in the shell, LimitNOFILE= in a systemd unit) and restart Teller';
