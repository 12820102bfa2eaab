import { readFile } from 'node:fs/promises';
import type { Cancel } from '../core/clock.ts';

/** How often a process in the background looks whether it is in the foreground again, of which no signal tells it. */
const LOOK_INTERVAL_MS = 2_000;

/**
 * Calls back with whether this process may read its terminal: at first, and when that changes. A shell stops a process that
 * reads the terminal in the background (SIGTTIN), as after `teller run &`. Windows has no background in this sense. On
 * other systems than Linux it cannot be known, so the terminal is not read.
 */
export function whileInForeground(tell: (isInForeground: boolean) => void): Cancel {
  if (process.platform !== 'linux') {
    tell(process.platform === 'win32');
    return () => {};
  }
  let timer: NodeJS.Timeout | undefined;
  let isOver = false;
  const look = async (): Promise<void> => {
    clearTimeout(timer);
    const isInForeground = inForeground(await readFile('/proc/self/stat', 'utf8').catch(() => ''));
    if (isOver) return;
    if (!isInForeground) timer = setTimeout(look, LOOK_INTERVAL_MS).unref();
    tell(isInForeground);
  };
  // After Ctrl-Z, `bg` sends the same signal as `fg`.
  const onContinued = (): void => {
    tell(false);
    void look();
  };
  process.on('SIGCONT', onContinued);
  void look();
  return () => {
    isOver = true;
    clearTimeout(timer);
    process.off('SIGCONT', onContinued);
  };
}

/**
 * @param stat "pid (name) state parent group session terminal foreground …"; only the name may have spaces or brackets in it.
 * The last number is the group of processes that may read the terminal; -1: this process has no terminal of its own.
 */
export function inForeground(stat: string): boolean {
  const [, , group, , , foreground] = stat.replace(/^.*\) /s, '').split(' ');
  return group !== undefined && group === foreground;
}
