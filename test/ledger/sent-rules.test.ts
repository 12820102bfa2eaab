import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import type { Recorded } from '../../src/ledger/ledger.ts';
import { type SentCalls, sendingRules } from '../../src/ledger/sqlite/sent-rules.ts';
import { rulesFor } from '../support/ledgers.ts';
import { arrival } from '../support/votes.ts';

setFlagsFromString('--expose-gc');
const collectGarbage: () => void = runInNewContext('gc');

/** Collects garbage until something has happened, or often enough that it would have. */
async function collected(isDone: () => boolean): Promise<boolean> {
  for (let round = 0; round < 20 && !isDone(); round++) {
    collectGarbage();
    await new Promise(setImmediate);
  }
  return isDone();
}

test('rules are forgotten once no vote waits for them, and not before', async () => {
  const forgotten: number[] = [];
  const waiting: ((recorded: Recorded) => void)[] = [];
  const calls = sendingRules({
    useRules: async () => {},
    forgetRules: async (number: number) => void forgotten.push(number),
    record: () => new Promise<Recorded>((resolve) => waiting.push(resolve)),
  } as unknown as SentCalls);
  const votes = [1, 2].map(() => calls.record({ ...arrival(), rules: rulesFor() }, null));
  expect(await collected(() => forgotten.length > 0)).toBe(false);
  for (const resolve of waiting) resolve({ kind: 'same', id: 1 });
  await Promise.all(votes);
  expect(await collected(() => forgotten.length === 2)).toBe(true);
});
