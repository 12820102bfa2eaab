import type { FakeClock } from './fake-clock.ts';

/** Rings what is due on a fake clock, turn by turn, until the promise is settled; time itself stands still. */
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
