/** Services of Teller in the process of the test, which run until it stops them: `run`, `webhook sink`, `practice`. */
import { randomBytes } from 'node:crypto';
import { EventEmitter, once } from 'node:events';
import type { Readable } from 'node:stream';
import { onTestFinished } from 'vitest';
import { loadCommands } from '../../src/commands/all.ts';
import type { Clock } from '../../src/core/clock.ts';
import { systemClock } from '../../src/platform/clock.ts';

export type Service = Awaited<ReturnType<typeof service>>;

export interface Around {
  readonly clock?: Clock;
  readonly interactive?: boolean;
  /** What is typed into it. */
  readonly input?: () => Readable;
}

/** Starts it, and resolves when it is ready or has ended. It is stopped with the test. */
export async function service(
  [name = '', ...words]: readonly string[],
  { clock = systemClock, interactive = false, ...more }: Around = {},
) {
  const [out, err]: [string[], string[]] = [[], []];
  const signals = new EventEmitter();
  const stopping = once(signals, 'stop');
  const terminal = {
    interactive,
    width: undefined,
    out: (line: string) => {
      out.push(line);
      signals.emit('printed');
    },
    err: (line: string) => void err.push(line),
  };
  const random = { next: Math.random, bytes: randomBytes };
  const parts = { clock, random, teller: 'teller', stopped: () => stopping, ...more };
  const [command] = await loadCommands(terminal, parts, name);
  const before = process.exitCode;
  process.exitCode = undefined;
  /** Its exit code, when it has ended. */
  const ended = (command?.parseAsync([...words], { from: 'user' }) ?? Promise.reject()).then(() => {
    const exit = Number(process.exitCode ?? 0);
    process.exitCode = before;
    return exit;
  });
  /** Stops it, as SIGTERM does. */
  const stop = (): Promise<number> => {
    signals.emit('stop');
    return ended;
  };
  onTestFinished(async () => void (await stop()));
  await Promise.race([ended, once(signals, 'printed')]);
  /** Resolves with so many lines of its output. */
  const printed = async (count: number): Promise<readonly string[]> => {
    while (out.length < count) await once(signals, 'printed');
    return out;
  };
  /** The line of JSON that it prints when it is ready. */
  // biome-ignore lint/suspicious/noExplicitAny: each service prints a value of its own shape
  const ready: any = out[0]?.startsWith('{') === true ? JSON.parse(out[0]) : null;
  return { ready, out, err, printed, ended, stop };
}
