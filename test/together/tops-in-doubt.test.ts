import { expect, test } from 'vitest';
import { here } from '../kit/here.ts';
import { DAY, HOUR, type LedgerOfTest, ledgers, NOON, SECOND } from '../kit/ledgers.ts';
import { broken, listingApi, record } from '../kit/listing-api.ts';
import { FakeClock } from '../support/fake-clock.ts';

const TOP = { name: 'best', period: 'month', when: 'always', prizes: { '1..3': ['say {player} won'] } };
const [JULY, MINUTE] = [Date.parse('2026-07-01T00:00:00Z'), 60_000];

/** A Teller at noon on 30 June, and a listing with an API; Steve has voted twice in June, and Alex once. */
async function atEndOfJune() {
  const clock = new FakeClock('2026-06-30T12:00:00Z');
  const api = await listingApi(clock);
  const List = api.site({ payFrom: '2026-06-01T00:00:00Z', maxAge: '2d' }, { cooldown: '1s' });
  const config = { timeZone: 'UTC', sites: { List }, rewards: [], tops: [TOP] };
  const teller = await here(config, clock);
  for (const [player, time] of [
    ['Steve', '06-20T10:00'],
    ['Steve', '06-21T10:00'],
    ['Alex', '06-22T10:00'],
  ] as const)
    await teller.run('votes', 'add', '--player', player, '--site', 'List', '--at', `2026-${time}Z`);
  await teller.until(() => api.asked.length > 0);
  const owed = async () => (await teller.grants()).map(({ player, occasion }) => `${player}: ${occasion}`);
  const passUntil = async (time: string) => {
    for (let left = Date.parse(time) - clock.now(); left > 0; left -= 10 * MINUTE)
      await teller.pass(Math.min(left, 10 * MINUTE), 10 * MINUTE);
    await teller.pass(2 * SECOND, SECOND);
  };
  return { teller, config, clock, api, owed, passUntil };
}

const JUNE = ['Steve: top 2026-06 place 1', 'Alex: top 2026-06 place 2'];

test('a top waits until missed votes were looked for after the end of the month, and counts them', async () => {
  const { teller, api, owed, passUntil } = await atEndOfJune();
  api.answer(broken);
  await passUntil('2026-07-01T12:00:00Z');
  expect(await owed()).toEqual([]);
  api.votes.push(record(1, JULY - 2 * HOUR, 'Alex'), record(2, JULY - HOUR, 'Alex'));
  api.answer();
  await teller.until(async () => (await owed()).length > 0, MINUTE);
  expect(await owed()).toEqual(['Alex: top 2026-06 place 1', 'Steve: top 2026-06 place 2']);
});

test('a top does not wait for votes that would be too old by now', async () => {
  const { api, owed, passUntil } = await atEndOfJune();
  api.answer(broken);
  await passUntil('2026-07-02T23:59:00Z');
  expect(await owed()).toEqual([]);
  await passUntil('2026-07-03T00:01:00Z');
  expect(await owed()).toEqual(JUNE);
});

test('a top is paid once by two Tellers that share a ledger', async () => {
  const { teller, config, clock, owed, passUntil } = await atEndOfJune();
  await here({ ...config, sites: { List: {} } }, clock, teller);
  await passUntil('2026-07-01T02:00:00Z');
  expect(await owed()).toEqual(JUNE);
});

const places = [
  { place: 1, recipientId: 1, player: 'Alex', votes: 2, reachedAt: NOON, kind: 'player' as const },
];
const settle = (ledger: LedgerOfTest, period: number, endedAt: number) =>
  ledger.settlePlaces('best', { period, endedAt, places });
const [JUNE_PERIOD, AUGUST] = [677, Date.parse('2026-08-01T00:00:00Z')];

test('a top is held if it may have been paid between a backup and its restore, and the next one is paid', async () => {
  const ledger = await ledgers({ tops: [TOP] });
  await ledger.vote({ player: 'Alex' });
  await ledger.restored(JULY - 500, JULY + DAY);
  await settle(ledger, JUNE_PERIOD, JULY);
  await settle(ledger, JUNE_PERIOD + 1, AUGUST);
  expect(await ledger.owed()).toEqual([
    'Alex best top 2026-06 place 1: held restore-doubt',
    'Alex best top 2026-07 place 1: pending',
  ]);
});

test('a top is held under a doubtful clock, and paid when the clock is released', async () => {
  const ledger = await ledgers({ tops: [TOP] });
  const at = JULY - 4 * HOUR;
  await ledger.vote({ player: 'Alex', at, reading: { wall: at, monotonic: 0 } });
  const ahead = at + 26 * HOUR;
  await ledger.vote({ player: 'Steve', at: ahead, reading: { wall: ahead, monotonic: 0 } });
  await settle(ledger, JUNE_PERIOD, JULY);
  expect(await ledger.owed()).toEqual(['Alex best top 2026-06 place 1: held clock-doubt']);
  await ledger.release(ahead);
  expect(await ledger.owed()).toEqual(['Alex best top 2026-06 place 1: pending']);
});
