import { readFileSync } from 'node:fs';

/**
 * How many files, sockets among them, a process may have open at one time; null where the system does not say or sets
 * no limit. Node raises its own limit to the highest it may have, so what is read is what holds.
 */
export function openFileLimit(pid: number | 'self' = 'self'): number | null {
  try {
    const [, soft] = /^Max open files\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/limits`, 'utf8')) ?? [];
    return soft === undefined ? null : Number(soft);
  } catch {
    return null; // not Linux, or another user's process
  }
}

/** What to do about a limit that is too low. */
export const RAISE_LIMIT =
  'raise the limit (ulimit -n in the shell, LimitNOFILE= in a systemd unit) and restart Teller';
