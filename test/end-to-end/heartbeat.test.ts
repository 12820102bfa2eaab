import { expect, test } from 'vitest';
import { explainCommand } from '../../src/commands/explain.ts';
import type { Run } from '../../src/ledger/ledger.ts';
import { runCommand } from '../commands/run-command.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { fakeTerminal } from '../support/fake-terminal.ts';
import { type RunningApp, runningApp } from '../support/running-app.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const NOON = Date.parse('2026-06-01T12:00:00Z');

/** Resolves once the ledger says so of its runs. */
async function untilRuns({ look }: RunningApp, expected: readonly Run[]): Promise<void> {
  await expect.poll(() => look.runs(), { timeout: 20_000 }).toEqual(expected);
}

test('explain names the time between two runs, and when each run was last seen is known to the minute', async () => {
  const clock = new FakeClock(NOON);
  const first = await runningApp(clock);
  await untilRuns(first, [{ startedAt: NOON, seenAt: NOON, endedAt: null }]);
  clock.advance(MINUTE);
  await untilRuns(first, [{ startedAt: NOON, seenAt: NOON + MINUTE, endedAt: null }]);
  clock.advance(MINUTE / 2);
  await first.app.close();
  const stopped = NOON + 1.5 * MINUTE;
  const ended = { startedAt: NOON, seenAt: stopped, endedAt: stopped };
  await untilRuns(first, [ended]);
  clock.advance(2 * HOUR);
  const started = stopped + 2 * HOUR;
  const second = await runningApp(clock, { ledger: first.app.config.ledger });
  await untilRuns(second, [ended, { startedAt: started, seenAt: started, endedAt: null }]);
  const terminal = fakeTerminal();
  const words = ['Fred', '--json', '--config', second.config];
  const { out } = await runCommand(explainCommand(terminal, clock), terminal, words);
  expect(JSON.parse(out)).toMatchObject([
    { isRunning: true, downtimes: [{ from: '2026-06-01T12:01:30.000Z', to: '2026-06-01T14:01:30.000Z' }] },
  ]);
});

test('a second Teller that only records has a run of its own', async () => {
  const clock = new FakeClock(NOON);
  const first = await runningApp(clock);
  clock.advance(MINUTE);
  const second = await runningApp(clock, { ledger: first.app.config.ledger });
  await untilRuns(second, [
    { startedAt: NOON, seenAt: NOON + MINUTE, endedAt: null },
    { startedAt: NOON + MINUTE, seenAt: NOON + MINUTE, endedAt: null },
  ]);
});

test('while the machine slept no Teller ran, and a clock that is set shows no such time', async () => {
  const clock = new FakeClock(NOON);
  const running = await runningApp(clock);
  clock.sleep(HOUR);
  clock.advance(MINUTE);
  const woken = NOON + HOUR + MINUTE;
  const slept = { startedAt: NOON, seenAt: NOON, endedAt: null };
  await untilRuns(running, [slept, { startedAt: woken, seenAt: woken, endedAt: null }]);
  clock.jump(HOUR);
  const seenAfter = async (): Promise<number> => {
    clock.advance(MINUTE);
    return ((await running.look.runs()).at(-1)?.seenAt ?? 0) - woken;
  };
  await expect.poll(seenAfter, { timeout: 20_000 }).toBeGreaterThan(HOUR);
  expect(await running.look.runs()).toMatchObject([slept, { startedAt: woken, endedAt: null }]);
});
