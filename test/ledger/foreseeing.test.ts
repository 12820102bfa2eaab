import { expect, test } from 'vitest';
import { Foreseeing } from '../../src/ledger/sqlite/foreseeing.ts';
import { ledgerSchema } from '../../src/ledger/sqlite/schema.ts';
import { openDatabase } from '../../src/platform/sqlite/open.ts';
import { DAY, ledgers, NOON, reward } from '../kit/ledgers.ts';

test('a vote that is not recorded is judged by one state of the ledger, although another process writes meanwhile', async () => {
  const ledger = await ledgers({ rewards: [reward('fifth', { if: { votes: { at: [5] } } })] });
  await ledger.vote({});
  const other = openDatabase(ledger.file, ledgerSchema, 'read');
  const next = ledger.arrival({ at: NOON + 2 * DAY });
  let asked = 0;
  const written = {
    ...next,
    /** The windows are read between the first and the second look at the rules, and the counts after it. */
    get rules() {
      asked += 1;
      if (asked === 2) ledger.sql("UPDATE recipients SET counted = 4 WHERE key = 'steve'");
      return next.rules;
    },
  };
  const grantsOf = (one: typeof next) =>
    new Foreseeing(other).judge([one], 'grants').flatMap(({ grants }) => grants);
  expect([grantsOf(written), asked > 1]).toEqual([[], true]);
  expect(grantsOf(next)).toMatchObject([{ reward: 'fifth' }]);
  other.close();
});
