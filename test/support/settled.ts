import type { FakeClock } from './fake-clock.ts';

/** Runs due timers of a fake clock, without moving it, until the promise is settled. */
export async function settled<T>(promise: Promise<T>, clock: FakeClock): Promise<T> {
  let isSettled = false;
  const mark = () => {
    isSettled = true;
  };
  promise.then(mark, mark);
  while (!isSettled) {
    await new Promise((resolve) => setImmediate(resolve));
    clock.advance(0);
  }
  return promise;
}
