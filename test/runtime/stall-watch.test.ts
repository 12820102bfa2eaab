import { expect, test } from 'vitest';
import { StallWatch } from '../../src/platform/stall-watch.ts';

/** Blocks the event loop. */
const block = (ms: number): void => void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);

/** The timers that keep this process alive. */
const timers = (): number => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;

test('a blocked event loop is seen while it is blocked, and counted once', async () => {
  const startedAt = performance.now();
  const watch = new StallWatch();
  expect(watch.stalledMs()).toBe(0);
  block(600);
  const seen = watch.stalledMs();
  expect(seen).toBeGreaterThanOrEqual(400);
  // The timer of the watch has fired when a later one has.
  await new Promise((resolve) => setTimeout(resolve, 1));
  expect(watch.stalledMs()).toBeGreaterThanOrEqual(seen);
  // Counted twice, it would be longer than all the time that has passed.
  expect(watch.stalledMs()).toBeLessThan(performance.now() - startedAt);
});

test('it does not keep the process alive', () => {
  const before = timers();
  new StallWatch().stalledMs();
  expect(timers()).toBe(before);
});
