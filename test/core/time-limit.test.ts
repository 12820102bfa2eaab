import { describe, expect, test } from 'vitest';
import { timeLimit } from '../../src/core/time-limit.ts';
import { FakeClock } from '../support/fake-clock.ts';

const oneTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** A limit of 1 s that has just started. */
function startLimit() {
  const clock = new FakeClock();
  const reached: number[] = [];
  const cancel = timeLimit(clock, 1_000, () => reached.push(clock.monotonic()));
  const readOnce = async (): Promise<void> => {
    await oneTurn();
    await oneTurn();
  };
  return { clock, reached, cancel, readOnce };
}

describe('a time limit', () => {
  test('is reached after 1 s and one more read', async () => {
    const { clock, reached, readOnce } = startLimit();
    clock.advance(999);
    await readOnce();
    expect(reached).toEqual([]);
    clock.advance(1);
    expect(reached).toEqual([]);
    await readOnce();
    expect(reached).toEqual([1_000]);
  });

  test('is not reached if that read cancels it', async () => {
    const { clock, reached, cancel, readOnce } = startLimit();
    clock.advance(1_000);
    cancel();
    await readOnce();
    expect(reached).toEqual([]);
  });

  test('is not reached after it was cancelled', async () => {
    const { clock, reached, cancel, readOnce } = startLimit();
    cancel();
    clock.advance(10_000);
    await readOnce();
    expect(reached).toEqual([]);
  });
});

describe('the time of a stall is not charged:', () => {
  test('a stall of 400 ms before the limit postpones it by 400 ms', async () => {
    const { clock, reached, readOnce } = startLimit();
    clock.stall(400);
    clock.advance(999);
    await readOnce();
    expect(reached).toEqual([]);
    clock.advance(1);
    await readOnce();
    expect(reached).toEqual([1_400]);
  });

  test('after a stall of an hour, as much time is left as before it', async () => {
    const { clock, reached, readOnce } = startLimit();
    clock.advance(300);
    clock.stall(3_600_000);
    clock.advance(699);
    await readOnce();
    expect(reached).toEqual([]);
    clock.advance(1);
    await readOnce();
    expect(reached).toEqual([3_601_000]);
  });

  test('a stall from before the limit started does not count', async () => {
    const clock = new FakeClock();
    clock.stall(5_000);
    let isReached = false;
    timeLimit(clock, 1_000, () => {
      isReached = true;
    });
    clock.advance(1_000);
    await oneTurn();
    await oneTurn();
    expect(isReached).toBe(true);
  });

  test('all stalls together postpone it by one limit at most', async () => {
    const { clock, reached, readOnce } = startLimit();
    // A peer that keeps us busy: 90 ms of each 100 ms.
    for (let elapsed = 0; elapsed < 1_900; elapsed += 100) {
      clock.stall(90);
      clock.advance(10);
      await readOnce();
    }
    expect(reached).toEqual([]);
    clock.advance(100);
    await readOnce();
    expect(reached).toEqual([2_000]);
  });
});
