import { expect, test } from 'vitest';
import { deepProgress } from '../../src/commands/check.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { fakeTerminal } from '../support/fake-terminal.ts';
import { naming } from '../support/naming.ts';

test('prints the progress of --deep every few seconds without a terminal', async () => {
  const clock = new FakeClock();
  const terminal = fakeTerminal();
  const progress = deepProgress(terminal, clock);
  for (const [table, share] of [
    ['', 0],
    ['votes', 0.126],
    ['grants', 0.5],
    ['commands', 0.9],
  ] as const) {
    await progress.part({ table, share });
    clock.advance(4_000);
  }
  progress.stop();
  expect(terminal.errLines).toEqual([naming(/\b50 ?%/, 'grants')]);
});
