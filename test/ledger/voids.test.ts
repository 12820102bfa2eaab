import { expect, test } from 'vitest';
import { freshLedger, record, rulesFor } from '../support/ledgers.ts';
import { on, rewardIf, START_DAY } from './contract/rewards.ts';

const NOON = Date.UTC(2026, 5, 9, 12);
const ORDER = { by: 'ann', reason: 'forged' };
const TOTAL = rewardIf('total', { votes: { at: [2] } });

test('if a void cannot be stored completely, no total and no vote has changed', async () => {
  const { ledger, database } = freshLedger();
  await ledger.useConfig({ rewards: [TOTAL], today: START_DAY });
  await record(ledger, [on(1), on(1, { site: 'Other' }), on(1, { player: 'Alex' })], rulesFor());
  database.exec(`
    CREATE TEMP TRIGGER failing AFTER UPDATE OF counts_anyway ON votes WHEN NEW.id = 2
    BEGIN SELECT RAISE(ROLLBACK, 'the disk fails'); END`);
  await expect(ledger.voidVotes([1, 2], ORDER, NOON)).rejects.toMatchObject({ code: 'ledger-failed' });
  database.exec('DROP TRIGGER failing');
  expect((await ledger.votes({ limit: 9 })).map(({ voided }) => voided)).toEqual([null, null, null]);
  await record(ledger, [on(2)], rulesFor(TOTAL));
  expect((await ledger.votes({ limit: 1 }))[0]?.reasons.get('total')).toMatchObject({
    code: 'votes',
    facts: { count: 3 },
  });
});

test('a vote that another process voids is not counted any more by the one that delivers', async () => {
  const running = freshLedger();
  const command = freshLedger(running.file);
  await running.ledger.useConfig({ rewards: [TOTAL], today: START_DAY });
  await running.ledger.startDelivering();
  await record(running.ledger, [on(1)], rulesFor(TOTAL));
  expect(await command.ledger.voidVotes([1], ORDER, NOON)).toEqual({ kind: 'voided' });
  await record(running.ledger, [on(2), on(3)], rulesFor(TOTAL));
  const reasons = (await running.ledger.votes({ limit: 9 })).map((vote) => vote.reasons.get('total')?.code);
  expect(reasons).toEqual(['granted', 'votes', 'votes']);
});
