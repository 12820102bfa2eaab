import { expect, test } from 'vitest';
import type { Reward } from '../../src/rewards/reward.ts';
import { DAILY, type FreshLedger, freshLedger, record, rulesFor, THANKS } from '../support/ledgers.ts';
import { arrival } from '../support/votes.ts';

const NOW = Date.parse('2026-06-01T12:00:00Z');
const TODAY = Math.floor(NOW / 86_400_000);
const SKY = { server: 'sky', practice: false };

/** A reward on the one of these game servers that the player is on. */
const on = (...servers: readonly string[]): Reward => ({
  ...{ ...THANKS, name: `on ${servers.join(' ')}`, servers, whereOnline: true },
});

const owe = ({ ledger }: FreshLedger, reward: Reward, player: string) =>
  record(ledger, [arrival({ player })], rulesFor(reward));

const poolsOf = ({ database }: FreshLedger) =>
  database.prepare("SELECT pool FROM pools WHERE server = 'sky' ORDER BY pool").pluck().all();

const idsFor = async ({ ledger }: FreshLedger) => (await ledger.pending(SKY, NOW, 99)).map(({ id }) => id);

test('a pool that no open grant and no reward of the config names is removed, however many there were', async () => {
  const fresh = freshLedger();
  const { ledger } = fresh;
  const old = Array.from({ length: 20 }, (_, at) => on('sky', `old${at}`));
  for (const [at, reward] of old.entries()) await owe(fresh, reward, `Player${at}`);
  await owe(fresh, on('sky', 'mine'), 'Steve');
  expect(poolsOf(fresh)).toHaveLength(21);
  for (let id = 1; id <= 21; id++) await ledger.cancel(id, { by: 'ann' }, NOW);
  await ledger.useConfig({ rewards: [on('sky', 'mine'), { ...DAILY, servers: ['sky'] }], today: TODAY });
  expect(poolsOf(fresh)).toEqual(['sky or mine']);
});

test.each([
  ['is pending', async () => {}],
  [
    'waits for its player',
    ({ ledger }: FreshLedger) =>
      ledger.wait({ id: 1, server: 'sky or mine' }, { code: 'player-offline' }, NOW),
  ],
  [
    'waits for its time',
    async ({ database }: FreshLedger) =>
      void database.exec("UPDATE grants SET state = 'waiting', reason = 'delayed', due_from = 9e12"),
  ],
  ['is held', ({ ledger }: FreshLedger) => ledger.holdOrphaned(new Map([['other', 'rcon']]), NOW)],
])('a pool stays as long as a grant of it %s, whatever the config names', async (_, change) => {
  const fresh = freshLedger();
  await owe(fresh, on('sky', 'mine'), 'Steve');
  await change(fresh);
  await fresh.ledger.useConfig({ rewards: [], today: TODAY });
  expect(poolsOf(fresh)).toEqual(['sky or mine']);
});

test('a grant that a game server gives back to a pool that was removed meanwhile is found by each of them', async () => {
  const fresh = freshLedger();
  const { ledger } = fresh;
  await owe(fresh, on('mine', 'sky'), 'Steve');
  const take = { pool: 'mine or sky', server: 'mine' };
  await ledger.claim({ grantId: 1, position: 0, player: 'Steve', uuid: null, now: NOW, take });
  await ledger.useConfig({ rewards: [], today: TODAY });
  expect(await idsFor(fresh)).toEqual([]);
  await ledger.settle({
    ...{ grantId: 1, position: 0, state: 'pending', reason: null, dueAt: NOW, endedAt: NOW },
    ...{ outcome: { kind: 'not-sent', reason: 'unreachable' }, startsOver: true },
  });
  expect(await idsFor(fresh)).toEqual([1]);
});

test('a pool that was removed is stored again with its next grant', async () => {
  const fresh = freshLedger();
  await fresh.ledger.useConfig({ rewards: [], today: TODAY });
  await owe(fresh, on('sky', 'mine'), 'Steve');
  expect(await idsFor(fresh)).toEqual([1]);
});
