import { expect, test } from 'vitest';
import { rewardSumsSql } from '../../src/ledger/sqlite/grant-figures.ts';
import { queueLengthSql } from '../../src/ledger/sqlite/queue-lengths.ts';
import { totalsSql, voteSumsSql } from '../../src/ledger/sqlite/vote-figures.ts';
import { freshLedger } from '../support/ledgers.ts';

const BY_ID = 'USING INTEGER PRIMARY KEY (rowid>? AND rowid<?)';

test.each([
  ['sums of votes', voteSumsSql, [`votes ${BY_ID}`]],
  ['sums of rewards', rewardSumsSql, [`grants ${BY_ID}`]],
  [
    'totals',
    totalsSql,
    ['recipients USING INTEGER PRIMARY KEY (rowid>?)', 'votes USING INDEX votes_by_day (recipient_id=?)'],
  ],
])('%s are read by ranges, however many votes and grants there are', (_, sql, searches) => {
  const { database } = freshLedger();
  const given = { recipientId: 1, from: 1, to: 9, after: 0, limit: 9 };
  const rows = database.prepare(`EXPLAIN QUERY PLAN ${sql}`).all(given) as { detail: string }[];
  const steps = rows.map(({ detail }) => detail);
  const found = new Set(
    steps.filter((step) => step.startsWith('SEARCH')).map((step) => step.slice('SEARCH '.length)),
  );
  expect(found).toEqual(new Set(searches));
  expect(steps.filter((step) => /^SCAN (votes|grants|v|g|recipients)\b/.test(step))).toEqual([]);
});

test('the lengths of queues are counted by indexes, from one game server to the next', () => {
  const { database } = freshLedger();
  const steps = queueLengthSql.flatMap((sql) =>
    (database.prepare(`EXPLAIN QUERY PLAN ${sql}`).all({ limit: 9 }) as { detail: string }[]).map(
      ({ detail }) => detail,
    ),
  );
  const read = steps.filter((step) => / grants\b/.test(step));
  const byServer = ['grants_pending', 'grants_awaited', 'grants_delayed_on'].flatMap((index) =>
    ['', ' (server>?)', ' (server=?)'].map((by) => `SEARCH grants USING COVERING INDEX ${index}${by}`),
  );
  expect(new Set(read)).toEqual(new Set([...byServer, 'SCAN grants USING COVERING INDEX grants_stuck']));
});
