import { getEventListeners } from 'node:events';
import { describe, expect, test } from 'vitest';
import { type Interruption, interruptible } from '../../src/core/interruptible.ts';
import { FakeClock } from '../support/fake-clock.ts';

/** Work with a limit of 1 s that the test can end or abort. */
function startWork(controller = new AbortController()) {
  const clock = new FakeClock();
  const { signal } = controller;
  const ends: ((result: string) => void)[] = [];
  const limits = { clock, limitMs: 1_000, signal, interrupted: (by: Interruption): string => by };
  const result = interruptible<string>(limits, (end) => ends.push(end));
  const end = (value: string): void => ends[0]?.(value);
  return { clock, controller, signal, end, result };
}

describe('interruptible work', () => {
  test('resolves with its own result', async () => {
    const { end, result } = startWork();
    end('done');
    expect(await result).toBe('done');
  });

  test('is interrupted at its time limit', async () => {
    const { clock, result } = startWork();
    clock.advance(1_000);
    expect(await result).toBe('time-limit');
  });

  test('is interrupted when the signal aborts', async () => {
    const { controller, result } = startWork();
    controller.abort();
    expect(await result).toBe('abort');
  });

  test('is interrupted at once if the signal has already aborted', async () => {
    const controller = new AbortController();
    controller.abort();
    expect(await startWork(controller).result).toBe('abort');
  });

  test('keeps its first result and ignores later ones', async () => {
    const { clock, controller, end, result } = startWork();
    end('done');
    end('again');
    controller.abort();
    clock.advance(1_000);
    expect(await result).toBe('done');
  });

  test('leaves no listener on the abort signal', async () => {
    const { signal, end, result } = startWork();
    expect(getEventListeners(signal, 'abort')).toHaveLength(1);
    end('done');
    await result;
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });
});
