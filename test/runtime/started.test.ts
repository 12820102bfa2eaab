import { expect, test } from 'vitest';
import { started } from '../../src/runtime/started.ts';

test('what was started is ended in reverse, once, each when the one before has ended', async () => {
  const told: string[] = [];
  const parts = await started(async (onEnd) => {
    onEnd(() => told.push('first'));
    onEnd(async () => {
      await Promise.resolve();
      told.push('second');
    });
    return { port: 1 };
  });
  expect([parts.port, told]).toEqual([1, []]);
  await parts.close();
  await parts.close();
  expect(told).toEqual(['second', 'first']);
});

test('where a part cannot start, those that had are ended, and its error is thrown', async () => {
  const told: string[] = [];
  const starting = started(async (onEnd) => {
    onEnd(() => told.push('first'));
    throw new Error('no second');
  });
  await expect(starting).rejects.toThrow('no second');
  expect(told).toEqual(['first']);
});
