import { expect, test } from 'vitest';
import { sleepTime } from '../../src/platform/sleep-time.ts';

/** A machine that the test puts to sleep. */
function machine() {
  const at = { now: 1_000_000, monotonic: 5_000, uptime: 60 };
  const asked: number[] = [];
  const slept = sleepTime({
    now: () => at.now,
    monotonic: () => at.monotonic,
    uptime: () => {
      asked.push(at.uptime);
      return at.uptime;
    },
  });
  const pass = (ms: number, isAwake: boolean): void => {
    at.now += ms;
    at.uptime += ms / 1_000;
    if (isAwake) at.monotonic += ms;
  };
  return { slept, asked, pass };
}

test('sleep is counted, and time awake is not', () => {
  const { slept, pass } = machine();
  const before = slept();
  pass(3_600_000, true);
  expect(slept() - before).toBe(0);
  pass(1_800_000, false);
  expect(slept() - before).toBe(1_800_000);
});

test('the system is not asked again before wall time and monotonic time have moved apart', () => {
  const { slept, asked, pass } = machine();
  for (let vote = 0; vote < 100; vote++) {
    slept();
    pass(1_000, true);
  }
  expect(asked).toEqual([60]);
});
