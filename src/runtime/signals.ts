import { readFileSync } from 'node:fs';
import { isatty } from 'node:tty';

/**
 * A second signal within this time is the same request: Ctrl-C reaches a process from the terminal and again from npm.
 */
const SAME_REQUEST_MS = 1_000;
const PARENT_INTERVAL_MS = 500;

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
  const parents = parentsNow();
  const timer = setInterval(() => {
    if (parentsNow() === parents) return;
    clearInterval(timer);
    onEnded();
  }, PARENT_INTERVAL_MS);
  timer.unref();
}

const parentsNow = (): string => `${process.ppid} ${parentOf(process.ppid)}`;

/** null except on Linux. */
function parentOf(pid: number): string | null {
  try {
    // "pid (name) state parent …"; only the name may have spaces or brackets in it.
    return (
      readFileSync(`/proc/${pid}/stat`, 'utf8')
        .replace(/^.*\) \S /s, '')
        .split(' ')[0] ?? null
    );
  } catch {
    return null;
  }
}
