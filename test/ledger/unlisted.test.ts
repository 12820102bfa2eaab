import { expect, test } from 'vitest';
import { type Cast, DAY, june, type LedgerOfTest, ledgers, NOON, RIGHT, reward } from '../kit/ledgers.ts';

const NOW = june(1, 18);
const THANKS = reward('thanks');
/** A vote for a service without an entry. */
const cast = (hour: number, on: string, player = 'Steve'): Cast => ({ at: june(1, hour), on, player });
const started = (...rewards: readonly object[]) => ledgers({ sites: { default: {} }, rewards });
const decided = async (ledger: LedgerOfTest) => (await ledger.votes()).map(({ decision }) => decision);
const paid = async (ledger: LedgerOfTest) => (await ledger.grants()).map(({ voteId }) => voteId);

test('a vote of a service without an entry in `sites` is `unlisted` while only another service has the shared window, and `cooldown` if its own is taken too', async () => {
  const ledger = await started();
  await ledger.vote(cast(8, 'A'), cast(9, 'B'), cast(10, 'A'), cast(11, 'B'));
  expect(await ledger.votes()).toMatchObject([
    { decision: 'rewarded', takenBy: null },
    { decision: 'unlisted', takenBy: 1, nextAt: june(2, 8) },
    { decision: 'cooldown', takenBy: 1 },
    { decision: 'unlisted', takenBy: 1 },
  ]);
});

test('listing a service pays those first that were cast first, each with the total at that moment and its own day', async () => {
  const total = reward('total', { if: { votes: { at: [2, 3, 4] } } });
  const ledger = await started(total, reward('first', { if: { firstVote: 'day' } }));
  await ledger.vote(cast(0, 'A'), cast(13, 'C'), cast(12, 'B'), cast(32, 'A'));
  expect(await ledger.judged('total')).toEqual(['votes', undefined, undefined, ['total 2']]);
  await ledger.list(['B', 'C'], NOW);
  expect(await ledger.judged('total')).toEqual(['votes', ['total 4'], ['total 3'], ['total 2']]);
  const first = [['day 2026-06-01 total 1'], 'firstVote', 'firstVote', ['day 2026-06-02 total 1']];
  expect(await ledger.judged('first')).toEqual(first);
});

test('listing a service decides by the window of cast times: a second vote of the day is in the cooldown, and counts if the site counts all', async () => {
  const sites = { default: { counts: 'all' } };
  const ledger = await ledgers({ sites, rewards: [THANKS] });
  await ledger.vote(cast(0, 'A'), cast(1, 'B'), cast(2, 'B'));
  await ledger.list(['B'], NOW);
  expect(await decided(ledger)).toEqual(['rewarded', 'rewarded', 'cooldown']);
  expect(await paid(ledger)).toEqual([1, 2]);
  expect((await ledger.votes())[2]).toMatchObject({ takenBy: 2, listed: { takenBy: 1 } });
  expect([await ledger.wrong(), (await ledger.player('Steve'))?.votes]).toEqual([RIGHT, 3]);
  await ledger.use({ sites: { default: {}, B: {} }, rewards: [THANKS] });
  expect(await ledger.vote(cast(20, 'B'))).toEqual(['cooldown']);
});

test('listing a service keeps the limit by cast time', async () => {
  const ledger = await started(reward('once', { limit: { count: 1, per: 'player', within: 'day' } }));
  await ledger.vote(cast(8, 'A'), cast(9, 'B'));
  await ledger.list(['B'], june(3, 0));
  expect([await paid(ledger), (await ledger.judged('once'))[1]]).toEqual([[1], 'limit']);
});

test('listing a service pays what was cast up to 7 days before it was noted, whenever that is paid', async () => {
  const ledger = await started(THANKS);
  for (const day of [0, 24]) await ledger.vote(cast(day + 11, 'A'), cast(day + 12, 'B'));
  await ledger.noteListed(['B'], june(8, 12) + 1);
  await ledger.list(['B'], june(30));
  expect(await decided(ledger)).toEqual(['rewarded', 'unlisted', 'rewarded', 'rewarded']);
  await ledger.list([], june(30));
  await ledger.list(['B'], june(30));
  expect((await decided(ledger))[1]).toBe('unlisted');
});

test('listing a service goes on with the next portion where the last one ended', async () => {
  const ledger = await started(THANKS);
  await ledger.vote(...['A', 'B', 'C', 'D'].map((service, hour) => cast(hour, service)));
  expect(await ledger.list(['B', 'C', 'D'], NOW, 2)).toMatchObject({ votes: 2, isLast: false });
  expect(await paid(ledger)).toEqual([1, 2, 3]);
  expect(await ledger.list(['B', 'C', 'D'], NOW, 2)).toMatchObject({ votes: 1, isLast: true });
  expect(await paid(ledger)).toEqual([1, 2, 3, 4]);
});

test('listing a service leaves alone what the operator has voided or rewarded', async () => {
  const ledger = await started(THANKS);
  await ledger.vote(cast(0, 'A'), cast(1, 'B'), cast(2, 'C'));
  await ledger.void(2);
  expect(await ledger.rewardLate(3, NOW)).toMatchObject({ kind: 'granted' });
  expect(await ledger.waitingVotes(0)).toEqual(new Map());
  expect(await ledger.list(['B', 'C'], NOW)).toMatchObject({ votes: 0 });
  expect(await paid(ledger)).toEqual([1, 3]);
});

test('listing a service of a player who was forgotten counts, and earns them nothing, also from the operator (vote-forgotten)', async () => {
  const ledger = await started(THANKS);
  await ledger.vote(cast(1, 'A', 'Kim'), cast(2, 'B', 'Kim'), cast(3, 'B', 'Alex'));
  await ledger.forget('Kim');
  expect(await ledger.rewardLate(2, NOW)).toEqual({ kind: 'refused', code: 'vote-forgotten' });
  expect(await ledger.list(['B'], NOW)).toMatchObject({ votes: 1, grants: 0 });
  expect(await ledger.players('forgotten-1')).toMatchObject([{ votes: 2 }]);
  const cancelled = 'forgotten-1 thanks: cancelled cancelled-by-operator';
  expect(await ledger.owed()).toEqual([cancelled, 'Alex thanks: pending']);
});

test('listing a service counts each vote in the figures of the entry', async () => {
  const ledger = await started();
  await ledger.vote(cast(8, 'A'), cast(9, 'B'));
  await ledger.list(['B'], NOW);
  expect(await ledger.tallies(june(1, 0))).toMatchObject([
    { service: 'B', site: 'B', decisions: { rewarded: 1 } },
    { service: 'A', site: 'default', decisions: { rewarded: 1 } },
  ]);
});

const invented = (count: number, at = NOON, from = 0): Cast[] =>
  Array.from({ length: count }, (_, n) => ({ on: `Invented-${from + n}`, at: at + n, via: 'listener-v1' }));
const rowsOf = (ledger: LedgerOfTest) => ledger.tallies(june(2, 0));
const votesIn = (rows: Awaited<ReturnType<typeof rowsOf>>) =>
  rows.flatMap(({ decisions }) => Object.values(decisions)).reduce((sum, votes) => sum + votes, 0);

test('the figures of services of unlisted names beyond the newest thousand are counted together, without losing a vote', async () => {
  const ledger = await started();
  await ledger.vote({ on: 'Genuine', via: 'listener-v1' }, ...invented(1_500));
  const rows = await rowsOf(ledger);
  expect([rows.length, votesIn(rows)]).toEqual([1_001, 1_501]);
  expect(rows.find(({ service }) => service === ' others')?.decisions).toEqual({ unlisted: 501 });
});

test('the figures of services are kept for a service that sends votes every day during a flood of invented names', async () => {
  const ledger = await started();
  for (let day = 0; day < 2; day++) {
    const at = NOON + day * DAY;
    await ledger.vote({ on: 'Genuine', at, via: 'listener-v1' }, ...invented(1_050, at + 1, day * 1_050));
  }
  const rows = await rowsOf(ledger);
  expect(rows.find(({ service }) => service === 'Genuine')?.decisions).toEqual({ rewarded: 2 });
  expect([rows.length, votesIn(rows)]).toEqual([1_001, 2 * 1_051]);
});

test('the figures of services are not capped for listed services, and a new one that is proven by a token has its own at once', async () => {
  const ledger = await ledgers();
  const at = NOON + 5_000;
  await ledger.vote(...invented(1_100), { on: 'Proven', at }, { at, via: 'listener-v1' });
  const services = (await rowsOf(ledger)).map(({ service }) => service);
  expect(services).toEqual(expect.arrayContaining(['Proven', 'List']));
});

test.each([
  ['default', 'Old'],
  ['List', 'List'],
])(
  'the figures of services of earlier days are merged into one row per decision, under the entry %s',
  async (site, service) => {
    const ledger = await ledgers();
    for (let day = 0; day < 30; day++) {
      const at = NOON + day * DAY;
      await ledger.vote({ on: service, at }, { on: service, at, player: 'Alex' });
    }
    expect(
      ledger.sql(`SELECT day > 0 AS today, votes FROM service_days WHERE service <> '' ORDER BY day`),
    ).toEqual([
      { today: 0, votes: 58 },
      { today: 1, votes: 2 },
    ]);
    const row = { service, site, lastAt: NOON + 29 * DAY, today: 2, decisions: { rewarded: 60 } };
    expect(await ledger.tallies(june(30, 0))).toEqual([row]);
  },
);
