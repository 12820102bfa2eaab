import { expect, test } from 'vitest';
import { freshLedger, record, rulesFor } from '../support/ledgers.ts';
import { reward } from '../support/rewards.ts';
import { arrival, at, DAY } from '../support/votes.ts';

const NOON = at('2026-06-01T12:00:00Z');
const FIRST = reward('first', { if: { firstVote: true } });
const DAILY = reward('daily', { if: { allSites: { within: 'day', sites: ['List'] } } });

const votedAt = (castAt: number) => arrival({ site: 'List', claim: null, castAt, receivedAt: castAt });

test('a vote that is stored at a second attempt is granted its occasion, although its reward was new (rule 14)', async () => {
  const { ledger, database } = freshLedger();
  database.exec(
    `CREATE TEMP TRIGGER failing AFTER INSERT ON votes BEGIN SELECT RAISE(ROLLBACK, 'the disk fails'); END`,
  );
  await expect(record(ledger, [votedAt(NOON)], rulesFor(FIRST))).rejects.toMatchObject({
    code: 'ledger-failed',
  });
  database.exec('DROP TRIGGER failing');
  await record(ledger, [votedAt(NOON)], rulesFor(FIRST));
  expect(await ledger.grants({ limit: 9 })).toMatchObject([{ reward: 'first' }]);
});

test('two processes grant an occasion once, even if one of them does not know that the reward was renamed', async () => {
  const one = freshLedger();
  const other = freshLedger(one.file);
  const renamed = { ...DAILY, name: 'renamed', was: ['daily'] };
  await one.ledger.useConfig({ rewards: [DAILY], today: 20_605 });
  await record(one.ledger, [votedAt(NOON)], rulesFor(DAILY));
  await record(other.ledger, [votedAt(NOON + 1_000)], rulesFor(DAILY));
  await other.ledger.useConfig({ rewards: [renamed], today: 20_605 });
  await record(other.ledger, [votedAt(NOON + 2_000)], rulesFor(renamed));
  expect(await one.ledger.grants({ limit: 9 })).toMatchObject([{ reward: 'daily' }]);
});

test('what was recorded is what another process counts', async () => {
  const one = freshLedger();
  const other = freshLedger(one.file);
  await record(one.ledger, [votedAt(NOON)], rulesFor(FIRST));
  await record(other.ledger, [votedAt(NOON + DAY)], rulesFor(FIRST));
  expect(await one.ledger.grants({ limit: 9 })).toHaveLength(1);
  const counts = one.database.prepare('SELECT counted FROM recipients WHERE id = 1');
  expect(counts.pluck().get()).toBe(2);
});

test('a limit that a renamed reward gets counts what was granted under its old name, and not what a new reward of that name was', async () => {
  const { ledger } = freshLedger();
  const limit = { per: 'player', count: 1, within: 'ever' } as const;
  const [old, renamed, limited] = [
    reward('crate'),
    reward('box', { was: ['crate'] }),
    reward('box', { was: ['crate'], limit }),
  ];
  const onDay = async (day: number, ...rewards: readonly (typeof old)[]) => {
    await ledger.useConfig({ rewards, today: 20_605 + day });
    await record(ledger, [votedAt(NOON + day * DAY)], rulesFor(...rewards));
    const [vote] = await ledger.votes({ limit: 1 });
    return (await ledger.grants({ voteId: vote?.id ?? 0, limit: 9 }))
      .map((grant) => grant.reward)
      .toReversed();
  };
  expect(await onDay(0, old)).toEqual(['crate']);
  expect(await onDay(1, renamed)).toEqual(['box']);
  expect(await onDay(2, limited, old)).toEqual(['crate']);
  expect(await onDay(3, limited, { ...old, limit })).toEqual([]);
  expect(await onDay(4, reward('crate', { limit: { ...limit, count: 2 } }))).toEqual(['crate']);
});
