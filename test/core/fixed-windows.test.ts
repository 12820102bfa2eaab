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

test('a fixed window has room for each key up to the limit, and again when the window ends that its first charge opened', () => {
  const clock = new FakeClock();
  const { take } = taking(clock);
  expect([take('a'), take('a')]).toEqual([0, 0]);
  clock.advance(4_000);
  expect(take('a')).toBe(6_000);
  expect(take('b')).toBe(0);
  clock.advance(6_000);
  expect(take('a')).toBe(0);
});

test('a fixed window has room again after a charge is given back', () => {
  const { windows, take } = taking(new FakeClock());
  for (let round = 0; round < 5; round++) {
    expect(take('a')).toBe(0);
    windows.giveBack('a', 1);
  }
});

test('a fixed window keeps its end when a charge is given back', () => {
  const clock = new FakeClock();
  const { windows, take } = taking(clock);
  take('a');
  take('a');
  clock.advance(3_000);
  windows.giveBack('a', 1);
  expect([take('a'), take('a')]).toEqual([0, 7_000]);
});

test('a fixed window is not extended by charges over the limit', () => {
  const clock = new FakeClock();
  const { windows } = taking(clock);
  windows.charge('a', 2, LIMIT, 0);
  expect(windows.charge('a', 1, LIMIT, 9_999)).toEqual({ kind: 'over', left: 0, resetMs: 1 });
  expect(windows.charge('a', 1, LIMIT, 10_000)).toEqual({ kind: 'charged', left: 1, resetMs: WINDOW_MS });
});

test('a fixed window is treated as ended if it starts in the future', () => {
  const { windows } = taking(new FakeClock());
  windows.charge('a', 2, LIMIT, 60_000);
  expect(windows.charge('a', 2, LIMIT, 50_000).kind).toBe('charged');
});

test('a fixed window is loaded through `recall` if it is not in memory', () => {
  const windows = new FixedWindows({ windowMs: WINDOW_MS, recall: () => ({ openedAt: 0, used: 1 }) });
  expect(windows.charge('a', 2, LIMIT, 4_000)).toEqual({ kind: 'over', left: 1, resetMs: 6_000 });
  expect(windows.charge('a', 2, LIMIT, 10_000).kind).toBe('charged');
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
