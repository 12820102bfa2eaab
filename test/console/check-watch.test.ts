import { expect, test } from 'vitest';
import { CheckWatch } from '../../src/console/check-watch.ts';
import { ok } from '../../src/core/finding.ts';
import { FakeClock } from '../support/fake-clock.ts';

test('a check that fails while no page waits for it does not end the process; the next page checks again and gets its error', async () => {
  let checks = 0;
  const isBroken = (): boolean => checks < 3;
  const check = async () => {
    checks += 1;
    if (isBroken()) throw new Error(`failure ${checks}`);
    return [ok('disk', 'There is room.')];
  };
  const clock = new FakeClock();
  const watch = new CheckWatch({ check, mark: () => 'same', clock });
  watch.look();
  await watch.expire();
  await expect(watch.latest()).rejects.toThrow('failure 2');
  expect(await watch.latest()).toEqual([ok('disk', 'There is room.')]);
});
