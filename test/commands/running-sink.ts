import { EventEmitter, once } from 'node:events';
import { onTestFinished } from 'vitest';
import { webhookCommand } from '../../src/commands/webhook.ts';
import type { Clock } from '../../src/core/clock.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { systemRandom } from '../../src/platform/random.ts';
import { fakeTerminal } from '../support/fake-terminal.ts';
import { runCommand } from './run-command.ts';

export const partsOf = (stopped: () => Promise<unknown>, clock: Clock = systemClock) => ({
  clock,
  random: systemRandom,
  stopped,
  teller: 'teller',
});

/** Runs `teller webhook sink …` in this process; `stop` does what SIGTERM would do. */
export async function start(words: readonly string[], clock: Clock = systemClock, interactive = false) {
  const kept = fakeTerminal(interactive);
  const signals = new EventEmitter();
  const ready = once(signals, 'printed');
  const stopped = once(signals, 'stop');
  const terminal = {
    ...kept,
    out: (line: string) => {
      kept.out(line);
      signals.emit('printed');
    },
  };
  const ended = runCommand(
    webhookCommand(
      terminal,
      partsOf(() => stopped, clock),
    ),
    kept,
    ['sink', ...words],
  );
  const stop = async () => {
    signals.emit('stop');
    return await ended;
  };
  onTestFinished(async () => void (await stop()));
  await Promise.race([ready, ended]);
  const { sink } = JSON.parse(kept.outLines[0] as string);
  const printed = async (count: number): Promise<readonly string[]> => {
    while (kept.outLines.length < count) await once(signals, 'printed');
    return kept.outLines;
  };
  return {
    sink: { ...sink, port: Number(new URL(sink.url).port) },
    ended,
    stop,
    printed,
    err: kept.errLines,
  };
}

export async function refused(words: readonly string[]) {
  const terminal = fakeTerminal();
  return await runCommand(
    webhookCommand(
      terminal,
      partsOf(async () => {}),
    ),
    terminal,
    ['sink', ...words],
  );
}
