import { describe, expect, test } from 'vitest';
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

describe('a part that cannot be ended', () => {
  const cannotEnd = async (): Promise<never> => {
    throw new Error('no end');
  };

  test('keeps no other from being ended, and is told by close', async () => {
    const told: string[] = [];
    const parts = await started(async (onEnd) => {
      onEnd(() => told.push('first'));
      onEnd(cannotEnd);
      onEnd(() => told.push('third'));
      return {};
    });
    await expect(parts.close()).rejects.toThrow('no end');
    expect(told).toEqual(['third', 'first']);
  });

  test('does not hide why another could not start', async () => {
    const told: string[] = [];
    const starting = started(async (onEnd) => {
      onEnd(() => told.push('first'));
      onEnd(cannotEnd);
      throw new Error('port taken');
    });
    await expect(starting).rejects.toThrow('port taken');
    expect(told).toEqual(['first']);
  });
});
