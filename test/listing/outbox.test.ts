import { expect, test } from 'vitest';
import { Lanes } from '../../src/listing/listener-sends/lanes.ts';

/** Work that ends when the test says so. */
function held(started: string[], name: string) {
  let end = (): void => {};
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  const work = (): Promise<void> => {
    started.push(name);
    return ended;
  };
  return { end: () => end(), work };
}

test('however many listeners hang, another one has a slot at once', async () => {
  const lanes = new Lanes();
  const started: string[] = [];
  const slow = Array.from({ length: 20 }, (_, lane) =>
    Array.from({ length: 20 }, () => held(started, `slow-${lane}`)),
  );
  for (const [lane, works] of slow.entries()) for (const { work } of works) lanes.push(`slow-${lane}`, work);
  expect(started).toHaveLength(20 + 64);
  const healthy = [held(started, 'healthy-1'), held(started, 'healthy-2')];
  for (const { work } of healthy) lanes.push('healthy', work);
  expect(started.slice(84)).toEqual(['healthy-1']);
  healthy[0]?.end();
  await expect.poll(() => started.at(-1)).toBe('healthy-2');
});

test('one listener has eight places at once, in the order in which its votes came', async () => {
  const lanes = new Lanes();
  const started: string[] = [];
  const works = Array.from({ length: 10 }, (_, index) => held(started, String(index)));
  for (const { work } of works) lanes.push('one', work);
  expect(started).toEqual(['0', '1', '2', '3', '4', '5', '6', '7']);
  works[3]?.end();
  await expect.poll(() => started.at(-1)).toBe('8');
});
