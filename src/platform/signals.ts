import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { isatty } from 'node:tty';

/**
 * A second signal within this time is the same request: Ctrl-C reaches a process from the terminal and again from npm.
 */
const SAME_REQUEST_MS = 1_000;
const PARENT_INTERVAL_MS = 500;
/** This process, or the system, has too many open files. */
const FILES_FULL = ['EMFILE', 'ENFILE'];

/** Whether a terminal is attached. Checked at start, because a closed terminal no longer counts as one. */
const hasTerminal = [0, 1, 2].some((descriptor) => isatty(descriptor));

/**
 * Resolves when the process is asked to stop: by SIGINT, SIGTERM, a closed terminal (SIGHUP), or the end of the shell
 * in which npm runs it. A second request, more than a second after the first, exits the process at once.
 */
export const stopSignal = (): Promise<string> =>
  new Promise((resolve) => {
    let askedAt: number | null = null;
    const onSignal = (signal: string): void => {
      if (askedAt !== null && performance.now() - askedAt > SAME_REQUEST_MS) process.exit(130);
      askedAt ??= performance.now();
      resolve(signal);
    };
    process.on('SIGINT', onSignal);
    process.on('SIGTERM', onSignal);
    if (hasTerminal) process.on('SIGHUP', onSignal);
    watchParent(() => onSignal('parent ended'));
  });

/** Calls back on SIGHUP if there is no terminal: service managers use it to ask for a reload. */
export function onReloadSignal(callback: () => void): void {
  if (!hasTerminal) process.on('SIGHUP', callback);
}

/**
 * `npm start` passes SIGTERM to the shell that it runs the command in, and most shells end without passing it on. That
 * this process, or the one that started it (tsx in a clone), has another parent than before is all that can be seen.
 */
function watchParent(onEnded: () => void): void {
  if (process.env.npm_lifecycle_event === undefined || process.platform === 'win32') return;
  // At once, because the parent may end in the moment after the ready line.
  let before = parentsAtStart();
  const look = async (): Promise<void> => {
    const now = (await parentsNow()) ?? before;
    if (before !== null && now !== before) return onEnded();
    before = now;
    setTimeout(look, PARENT_INTERVAL_MS).unref();
  };
  void look();
}

function parentsAtStart(): string | null {
  const { ppid } = process;
  try {
    return parents(ppid, readFileSync(statOf(ppid), 'utf8'));
  } catch (error) {
    return parents(ppid, error);
  }
}

async function parentsNow(): Promise<string | null> {
  const { ppid } = process; // before its own parent is read, so that a parent that ends meanwhile is noticed
  return parents(ppid, await readFile(statOf(ppid), 'utf8').catch((error: unknown) => error));
}

/** @param stat the parent's, or why it cannot be read: it has ended, or this is not Linux. @returns null if that cannot be known now */
const parents = (ppid: number, stat: unknown): string | null =>
  isFull(stat) ? null : `${ppid} ${typeof stat === 'string' ? parentIn(stat) : null}`;

const statOf = (pid: number): string => `/proc/${pid}/stat`;

/** "pid (name) state parent …"; only the name may have spaces or brackets in it. */
const parentIn = (stat: string): string | null => stat.replace(/^.*\) \S /s, '').split(' ')[0] ?? null;

const isFull = (error: unknown): boolean => FILES_FULL.includes((error as NodeJS.ErrnoException).code ?? '');
