import { readFileSync } from 'node:fs';

/**
 * How many files, including sockets, a process may have open; null if there is no limit or it cannot be read. Node raises
 * its soft limit to the hard limit at start, so the value read here is the one in effect.
 */
export function openFileLimit(pid: number | 'self' = 'self'): number | null {
  try {
    const [, soft] = /^Max open files\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/limits`, 'utf8')) ?? [];
    return soft === undefined ? null : Number(soft);
  } catch {
    return null; // not Linux, or another user's process
  }
}

/** The advice for a limit that is too low. */
export const RAISE_LIMIT =
  'raise the limit (ulimit -n in the shell, LimitNOFILE= in a systemd unit) and restart Teller';
