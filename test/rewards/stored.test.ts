import { expect, test } from 'vitest';
import { draw } from '../../src/rewards/draws.ts';
import { freshLedger, record, rulesFor } from '../support/ledgers.ts';
import { drawsWhere, reward } from '../support/rewards.ts';
import { arrival, at } from '../support/votes.ts';

test('the reason of every reward is stored with its vote, whatever the reward is called', async () => {
  const { ledger } = freshLedger();
  const rewards = [
    reward('thanks'),
    reward('__proto__', { if: { site: ['Other'] } }),
    reward('10', { if: { chance: 0.05 } }),
  ];
  const draws = drawsWhere('10', (drawn) => drawn >= 0.05);
  await record(ledger, [{ ...arrival(), draws }], rulesFor(...rewards));
  const [vote] = await ledger.votes({ limit: 1 });
  expect(vote?.reasons).toEqual(
    new Map<string, object>([
      ['thanks', { code: 'granted' }],
      ['__proto__', { code: 'site' }],
      ['10', { code: 'chance', facts: { chance: 0.05, rolled: draw(draws, 'chance', '10', '') } }],
    ]),
  );
  expect((await ledger.grants({ limit: 9 })).map((grant) => grant.reward)).toEqual(['thanks']);
});

test('a vote has no reasons if its window is taken or the config has no reward', async () => {
  const { ledger } = freshLedger();
  await record(ledger, [arrival(), arrival({ service: 'A', site: 'A' })], rulesFor());
  await record(ledger, [arrival({ receivedAt: at('2026-06-01T13:00:00Z') })], rulesFor(reward('r')));
  const votes = await ledger.votes({ limit: 9 });
  expect(votes.map(({ decision, reasons }) => [decision, reasons.size])).toEqual([
    ['cooldown', 0],
    ['rewarded', 0],
    ['rewarded', 0],
  ]);
});
