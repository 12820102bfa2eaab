import { expect, test } from 'vitest';
import { Kept } from '../../src/console/kept.ts';
import { FakeClock } from '../support/fake-clock.ts';

/** A value that is kept for 5 s: how often each key was read. */
function counting(answer: (reading: number) => Promise<number> = async (reading) => reading) {
  const clock = new FakeClock();
  let readings = 0;
  const kept = new Kept(clock, 5_000, (_: string) => answer(++readings));
  return { clock, get: (key = 'a') => kept.get(key), readings: () => readings };
}

test('a value is read once in 5 seconds, however often it is asked for', async () => {
  const { clock, get } = counting();
  expect([await get(), await get()]).toEqual([1, 1]);
  clock.advance(4_999);
  expect(await get()).toBe(1);
  clock.advance(1);
  expect(await get()).toBe(2);
});

test('visits during a reading wait for it, however long it takes', async () => {
  let answered: (value: number) => void = () => {};
  const { clock, get, readings } = counting(
    () =>
      new Promise((resolve) => {
        answered = resolve;
      }),
  );
  const first = get();
  clock.advance(60_000);
  const second = get();
  answered(7);
  expect([await first, await second, readings()]).toEqual([7, 7, 1]);
});

test('another key is read at once', async () => {
  const { get } = counting();
  expect([await get('a'), await get('b'), await get('b'), await get('a')]).toEqual([1, 2, 2, 3]);
});

test('what could not be read is read again', async () => {
  const { get } = counting(async (reading) => {
    if (reading === 1) throw new Error('locked');
    return reading;
  });
  await expect(get()).rejects.toThrow('locked');
  expect(await get()).toBe(2);
});
