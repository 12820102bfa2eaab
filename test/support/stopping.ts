import type { ChildProcess } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { expect } from 'vitest';

/** Stops a process as Ctrl-Z does. Resolves when it runs no more; `kill('SIGCONT')` lets it go on. */
export async function stopped(child: ChildProcess): Promise<void> {
  child.kill('SIGSTOP');
  const state = () => /^\d+ \(.*\) (\w)/.exec(readFileSync(`/proc/${child.pid}/stat`, 'utf8'))?.[1];
  await expect.poll(state, { interval: 5 }).toBe('T');
}
