import { expect, test } from 'vitest';
import { Foreseeing } from '../../src/ledger/sqlite/foreseeing.ts';
import { ledgerSchema } from '../../src/ledger/sqlite/schema.ts';
import { openDatabase } from '../../src/platform/sqlite/open.ts';
import type { Arrival } from '../../src/rewards/arrival.ts';
import type { Rules } from '../../src/rewards/reward.ts';
import { freshLedger, record, rulesFor } from '../support/ledgers.ts';
import { arrival, DAY } from '../support/votes.ts';
import { rewardIf } from './contract/rewards.ts';

test('a vote that is not recorded is judged by one state of the ledger, although another process writes meanwhile', async () => {
  const { ledger, file, database } = freshLedger();
  const rules = rulesFor(rewardIf('fifth', { votes: { at: [5] } }));
  const first = arrival({ player: 'Steve' });
  await record(ledger, [first], rules);
  const other = openDatabase(file, ledgerSchema, 'read');
  const next = arrival({ player: 'Steve', receivedAt: first.vote.receivedAt + 2 * DAY });
  let asked = 0;
  const written = {
    ...next,
    /** The windows are read between the first and the second look at the rules, and the counts after it. */
    get rules(): Rules {
      asked += 1;
      if (asked === 2) database.exec("UPDATE recipients SET counted = 4 WHERE key = 'steve'");
      return rules;
    },
  };
  const foreseeing = new Foreseeing(other);
  const grantsOf = (one: Arrival) => foreseeing.judge([one], 'grants').flatMap(({ grants }) => grants);
  expect(grantsOf(written)).toEqual([]);
  expect(asked).toBeGreaterThan(1);
  expect(grantsOf({ ...next, rules })).toMatchObject([{ reward: 'fifth' }]);
  other.close();
});
