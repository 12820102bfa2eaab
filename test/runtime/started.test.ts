import { describe, expect, test } from 'vitest';
import { started } from '../../src/platform/started.ts';

test('stops parts once, in reverse order, one after another', async () => {
  const ended: string[] = [];
  const parts = await started(async (onEnd) => {
    onEnd(() => ended.push('first'));
    onEnd(async () => {
      await Promise.resolve();
      ended.push('second');
    });
    return { port: 1 };
  });
  expect([parts.port, ended]).toEqual([1, []]);
  await parts.close();
  await parts.close();
  expect(ended).toEqual(['second', 'first']);
});

test('if a part cannot start, stops the parts that started and throws its error', async () => {
  const ended: string[] = [];
  const starting = started(async (onEnd) => {
    onEnd(() => ended.push('first'));
    throw new Error('no second');
  });
  await expect(starting).rejects.toThrow('no second');
  expect(ended).toEqual(['first']);
});

describe('a part that cannot be stopped', () => {
  const cannotEnd = async (): Promise<never> => {
    throw new Error('no end');
  };

  test('does not keep the others from being stopped, and makes close reject', async () => {
    const ended: string[] = [];
    const parts = await started(async (onEnd) => {
      onEnd(() => ended.push('first'));
      onEnd(cannotEnd);
      onEnd(() => ended.push('third'));
      return {};
    });
    await expect(parts.close()).rejects.toThrow('no end');
    expect(ended).toEqual(['third', 'first']);
  });

  test('does not hide the error of a part that could not start', async () => {
    const ended: string[] = [];
    const starting = started(async (onEnd) => {
      onEnd(() => ended.push('first'));
      onEnd(cannotEnd);
      throw new Error('port taken');
    });
    await expect(starting).rejects.toThrow('port taken');
    expect(ended).toEqual(['first']);
  });
});
