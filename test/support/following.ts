import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { onTestFinished } from 'vitest';
import type { EventPayload } from '../../protocol/webhook/events.ts';
import { CLI, compiled } from './processes.ts';

/** `teller events --follow --json` as a process of its own, once it follows. */
export async function startFollowing(config: string, ...words: string[]) {
  const child = spawn(process.execPath, [
    compiled(CLI),
    'events',
    '--follow',
    '--json',
    ...words,
    '--config',
    config,
  ]);
  const ended = once(child, 'close') as Promise<[number | null]>;
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await ended;
  });
  let err = '';
  const following = new Promise<void>((resolve) =>
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      err += text;
      if (err.includes('waiting for')) resolve();
    }),
  );
  const events: EventPayload[] = [];
  let onEvent: () => void = () => {};
  createInterface({ input: child.stdout }).on('line', (line) => {
    events.push(JSON.parse(line));
    onEvent();
  });
  await Promise.race([following, ended]);
  return {
    child,
    err: () => err,
    /** Those so far, once there are so many. */
    events: async (count: number): Promise<readonly EventPayload[]> => {
      while (events.length < count) await new Promise<void>((resolve) => (onEvent = resolve));
      return events;
    },
    /** Resolves with the exit code. */
    ended: async () => (await ended)[0],
    end: async (signal: NodeJS.Signals) => {
      child.kill(signal);
      return (await ended)[0];
    },
  };
}
