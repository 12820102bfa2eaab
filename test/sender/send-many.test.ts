import { expect, test } from 'vitest';
import { sendMany } from '../../src/sender/send-many.ts';

test('starts the next vote only when there is a free slot, and reports every result with its vote', async () => {
  let asked = 0;
  let ended = 0;
  let most = 0;
  function* numbers() {
    for (; asked < 50; ) {
      yield asked++;
      most = Math.max(most, asked - ended);
    }
  }
  const results = new Map<number, number>();
  const double = async (n: number) => {
    await Promise.resolve();
    return n * 2;
  };
  await sendMany(numbers(), 7, double, (n, result) => {
    ended++;
    results.set(n, result);
  });
  expect(most).toBeLessThanOrEqual(7);
  expect(results.size).toBe(50);
  expect([...results].every(([n, result]) => result === n * 2)).toBe(true);
});

test('sends nothing if there are no votes', async () => {
  let sent = 0;
  await sendMany(
    [],
    7,
    async () => sent++,
    () => {},
  );
  expect(sent).toBe(0);
});
