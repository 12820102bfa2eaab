import { expect, test } from 'vitest';
import { FixedWindows } from '../../src/core/fixed-windows.ts';
import { FakeClock } from '../support/fake-clock.ts';

const WINDOW_MS = 10_000;
const LIMIT = 2;

/** `take` charges one of two. It returns 0, or the milliseconds to wait. */
function taking(clock: FakeClock, keysMax?: number) {
  const windows = new FixedWindows({ windowMs: WINDOW_MS, ...(keysMax === undefined ? {} : { keysMax }) });
  const take = (key: string): number => {
    const { kind, resetMs } = windows.charge(key, 1, LIMIT, clock.monotonic());
    return kind === 'over' ? resetMs : 0;
  };
  return { windows, take };
}

test('a fixed window keeps its end when a charge is given back', () => {
  const clock = new FakeClock();
  const { windows, take } = taking(clock);
  take('a');
  take('a');
  clock.advance(3_000);
  windows.giveBack('a', 1);
  expect([take('a'), take('a')]).toEqual([0, 7_000]);
});

test('fixed windows use bounded memory in a flood of names', () => {
  const { windows, take } = taking(new FakeClock(), 10_000);
  take('first');
  take('first');
  for (let index = 0; index < 10_000; index++) take(`name ${index}`);
  expect(windows.size).toBe(10_000);
  expect(take('first')).toBe(0);
});

test('fixed windows are forgotten when they have ended', () => {
  const windows = new FixedWindows({ windowMs: 60_000 });
  const clock = new FakeClock();
  for (let client = 0; client < 1000; client++) {
    windows.charge(`client ${client}`, 1, 600, clock.now());
    clock.advance(100);
  }
  expect(windows.size).toBe(600);
  clock.advance(60_000);
  windows.charge('client 0', 1, 600, clock.now());
  expect(windows.size).toBe(1);
});
