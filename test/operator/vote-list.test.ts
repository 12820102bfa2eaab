import { expect, test } from 'vitest';
import type { GrantCounts } from '../../src/ledger/ledger.ts';
import { paymentOf, receivedOn, voteList, votesMatching } from '../../src/operator/vote-list.ts';
import { freshLedger, record, rulesFor, THANKS } from '../support/ledgers.ts';
import { arrival, at } from '../support/votes.ts';

test.each<[string, GrantCounts, string]>([
  ['held', { held: 1, delivered: 2 }, 'needs-operator'],
  ['refused', { refused: 1, waiting: 2 }, 'needs-operator'],
  ['waiting', { waiting: 1, pending: 1, delivered: 1 }, 'waiting'],
  ['pending', { pending: 1, delivered: 3 }, 'pending'],
  ['delivered and cancelled', { delivered: 1, cancelled: 1 }, 'paid'],
  ['cancelled', { cancelled: 2 }, 'cancelled'],
  ['none', {}, 'nothing'],
])(
  'of a vote whose grants are %s, the list says what the operator has to know first',
  (_, grants, payment) => {
    expect(paymentOf({ isPaidElsewhere: false }, grants)).toBe(payment);
  },
);

test('a vote that another listener pays is shown as paid elsewhere, also with what would have been paid here', () => {
  expect(paymentOf({ isPaidElsewhere: true }, { cancelled: 1 })).toBe('elsewhere');
  expect(paymentOf({ isPaidElsewhere: true }, {})).toBe('elsewhere');
});

const VOTES = ['Steve', 'Alex', 'Steve', 'Herobrine'].map((player, n) =>
  arrival({ player, receivedAt: at(`2026-06-01T1${n}:00:00Z`), channel: n < 2 ? 'webhook' : 'listener-v2' }),
);

test('a page has each vote with its grants, and says how far the search went', async () => {
  const { ledger } = freshLedger();
  await record(ledger, VOTES, rulesFor(THANKS));
  await ledger.cancel(1, { by: 'ann' }, 0);
  const whole = await voteList(ledger, { limit: 9 });
  expect(whole.searchedTo).toBe(null);
  expect(whole.votes.map(({ vote, grants, payment }) => [vote.id, grants, payment])).toEqual([
    [4, { pending: 1 }, 'pending'],
    [3, {}, 'nothing'],
    [2, { pending: 1 }, 'pending'],
    [1, { cancelled: 1 }, 'cancelled'],
  ]);
  expect(await voteList(ledger, { channel: 'webhook', limit: 9 }, 2)).toEqual({
    votes: [],
    lookedAt: 2,
    searchedTo: 3,
  });
  const rest = await voteList(ledger, { channel: 'webhook', limit: 9, after: 3 }, 2);
  expect(rest.votes.map(({ vote }) => vote.id)).toEqual([2, 1]);
});

test('a search goes on until it has as many votes as are wanted', async () => {
  const { ledger } = freshLedger();
  await record(ledger, VOTES, rulesFor());
  const inSteps: Pick<typeof ledger, 'votePage'> = { votePage: (filter) => ledger.votePage(filter, 1) };
  const found = async (limit: number, after?: number) => {
    const filter = { channel: 'webhook', limit, ...(after === undefined ? {} : { after }) } as const;
    return (await votesMatching(inSteps, filter)).map(({ id }) => id);
  };
  expect(await found(1)).toEqual([2]);
  expect(await found(9)).toEqual([2, 1]);
  expect(await found(9, 2)).toEqual([1]);
});

test('a local day of 23 hours is searched from its midnight to the next', () => {
  const day = at('2026-03-29T00:00:00Z') / (24 * 60 * 60 * 1000);
  expect(receivedOn(day, 'Europe/Berlin')).toEqual({
    since: at('2026-03-28T23:00:00Z'),
    until: at('2026-03-29T22:00:00Z'),
  });
});
