import { expect, test } from 'vitest';
import { DAY, gameServers, HOUR, type LedgerOfTest, ledgers, NOON, reward } from '../kit/ledgers.ts';

const MAIN = { server: 'main', practice: false };
const DAILY = { when: 'online', commands: ['give {player} diamond 1', 'give {player} emerald 2'] };
const ONE_DAY = reward('daily', { ...DAILY, expiresAfter: '24h' });
const NONE = { ended: 0, expired: 0, hasMore: false };

/** A ledger with a grant of each of these rewards, made at noon. */
async function owing(...rewards: readonly object[]): Promise<LedgerOfTest> {
  const ledger = await ledgers({ rewards });
  await ledger.vote({});
  return ledger;
}
const expired = async (ledger: LedgerOfTest, at: number) => (await ledger.applyTerms(at)).expired;
/** So many grants expire at this time, and none a millisecond before. */
async function expectExpiry(ledger: LedgerOfTest, at: number, count = 1): Promise<void> {
  expect([await expired(ledger, at - 1), await expired(ledger, at)]).toEqual([0, count]);
}
const many = Array.from({ length: 501 }, (_, number) => ({ player: `P${number}` }));

const LATER = reward('later', { delay: '3d' });

test('a grant with a delay waits with the time at which it may be paid, and is pending from then on', async () => {
  const ledger = await owing(LATER);
  const end = NOON + 3 * DAY;
  const reason = { code: 'delayed', facts: { until: end } };
  const [grant] = await ledger.grants();
  expect(grant).toMatchObject({ state: 'waiting', reason, dueFrom: end, expiresAt: null });
  expect([await ledger.nextTermAt(end - 1), await ledger.applyTerms(end - 1)]).toEqual([end, NONE]);
  expect(await ledger.waitingFor(MAIN, 9, 0)).toEqual([]);
  expect(await ledger.waiting(MAIN, ['steve'], end, 9)).toEqual([]);
  expect(await ledger.nextDueAt(MAIN, NOON)).toBeNull();
  expect(await ledger.applyTerms(end)).toEqual({ ...NONE, ended: 1 });
  expect([await ledger.owed(), await ledger.due('main', end)]).toEqual([['Steve later: pending'], [1]]);
});

test('a grant with a delay is pending at once if the clock was set back to more than an hour before it was made, but not if it shows a time before Teller existed, as a board without a battery does', async () => {
  const ledger = await owing(LATER);
  expect([await ledger.applyTerms(0), await ledger.applyTerms(NOON - HOUR)]).toEqual([NONE, NONE]);
  expect(await ledger.nextTermAt(NOON - HOUR - 1)).toBe(0);
  expect(await ledger.applyTerms(NOON - HOUR - 1)).toEqual({ ...NONE, ended: 1 });
});

test.each([
  ['whose delays end', reward('r', { delay: '1h' }), NOON + HOUR, 'ended'],
  ['that expire', ONE_DAY, NOON + DAY, 'expired'],
])('of the grants %s, 500 are changed in one call', async (_, one, at, what) => {
  const ledger = await ledgers({ rewards: [one] });
  await ledger.vote(...many);
  expect(await ledger.applyTerms(at)).toEqual({ ...NONE, [what]: 500, hasMore: true });
  expect(await ledger.applyTerms(at)).toEqual({ ...NONE, [what]: 1 });
});

test('a grant that expires is not paid any more from that time on, and is cancelled then, whether it is pending or waits', async () => {
  const ledger = await ledgers({ rewards: [ONE_DAY] });
  await ledger.vote({}, { player: 'Alex' });
  await ledger.wait(2);
  expect(await ledger.grants({ id: 1 })).toMatchObject([{ expiresAt: NOON + DAY }]);
  expect(await ledger.due('main', NOON + DAY - 1)).toEqual([1]);
  expect(await ledger.due('main', NOON + DAY)).toEqual([]);
  expect(await ledger.nextDueAt(MAIN, NOON + DAY)).toBeNull();
  expect(await ledger.waiting(MAIN, ['alex'], NOON + DAY, 9)).toEqual([]);
  await expectExpiry(ledger, NOON + DAY, 2);
  expect(await ledger.owed()).toEqual(['Steve daily: cancelled expired', 'Alex daily: cancelled expired']);
});

test('a grant that expires may wait that long from the end of its delay on', async () => {
  const ledger = await owing(reward('r', { delay: '2d', expiresAfter: '24h' }));
  expect(await ledger.applyTerms(NOON + 2 * DAY)).toEqual({ ...NONE, ended: 1 });
  await expectExpiry(ledger, NOON + 3 * DAY);
});

test('a grant that expires does not expire while a command of it is being sent, but does if the command was certainly not sent', async () => {
  const ledger = await owing(ONE_DAY);
  await ledger.claim(1);
  expect(await expired(ledger, NOON + DAY)).toBe(0);
  await ledger.settle(1, 'not-sent');
  expect(await expired(ledger, NOON + DAY + 1_000)).toBe(1);
});

test.each<[string, (ledger: LedgerOfTest) => Promise<unknown>]>([
  ['an outcome that is unknown', (ledger) => ledger.settle(1, 'held')],
  ['the end of the process', (ledger) => ledger.settleInterrupted(NOON)],
])(
  'a grant that expires never expires after %s, and is paid whenever the operator orders it',
  async (_, end) => {
    const ledger = await owing(ONE_DAY);
    await ledger.claim(1);
    await end(ledger);
    expect(await expired(ledger, NOON + 99 * DAY)).toBe(0);
    await ledger.pay(1, {}, NOON + 99 * DAY);
    expect(await expired(ledger, NOON + 199 * DAY)).toBe(0);
    expect(await ledger.due('main', NOON + 199 * DAY)).toEqual([1]);
  },
);

test('a grant that expires frees its place in a limit', async () => {
  const once = { ...ONE_DAY, limit: { per: 'player', count: 1, within: 'ever' } };
  const ledger = await ledgers({ rewards: [once] });
  await ledger.vote({}, { at: NOON + 1.5 * DAY });
  expect(await ledger.owed()).toEqual(['Steve daily: pending']);
  await ledger.applyTerms(NOON + 2 * DAY);
  await ledger.vote({ at: NOON + 3 * DAY });
  expect(await ledger.owed()).toEqual(['Steve daily: cancelled expired', 'Steve daily: pending']);
});

test('what the operator gives is not delayed, and does not expire', async () => {
  const ledger = await ledgers({ rewards: [reward('r', { delay: '24h', expiresAfter: '24h' })] });
  await ledger.give('r');
  expect(await ledger.owed()).toEqual(['Steve r: pending by-operator']);
  expect(await ledger.applyTerms(NOON + 9 * DAY)).toEqual(NONE);
});

/** The clock jumps a year ahead with the second vote, so the clock is doubted. */
async function doubting(more: object): Promise<LedgerOfTest> {
  const ledger = await ledgers({ rewards: [reward('r', more)] });
  await ledger.vote({ reading: { wall: NOON, monotonic: 0 } });
  await ledger.cancel(1);
  const ahead = NOON + 365 * DAY;
  await ledger.vote({ player: 'Alex', at: ahead, reading: { wall: ahead, monotonic: HOUR } });
  expect((await ledger.owed())[1]).toBe('Alex r: held clock-doubt');
  expect(await ledger.applyTerms(NOON + 999 * DAY)).toEqual(NONE);
  return ledger;
}

test('a grant that is held because the clock is doubted waits for the end of its delay after the release', async () => {
  const ledger = await doubting({ delay: '24h', expiresAfter: '24h' });
  const released = NOON + 365 * DAY + HOUR;
  await ledger.release(released);
  expect((await ledger.owed())[1]).toBe('Alex r: waiting delayed');
  expect(await ledger.applyTerms(released + DAY)).toMatchObject({ ended: 1 });
});

test('a grant that is held because the clock is doubted may wait as long as any other from the release on', async () => {
  const ledger = await doubting({ expiresAfter: '24h' });
  const released = NOON + 370 * DAY;
  await ledger.release(released);
  await expectExpiry(ledger, released + DAY);
});

const ALL = { server: null, reward: null };
const ON_MAIN = { server: 'main', reward: null };

/** Steve is owed `thanks` on both game servers and `daily` on main: grants 1, 2 and 3. */
async function paused(...scopes: readonly { server: string | null; reward: string | null }[]) {
  const daily = reward('daily', { ...DAILY, servers: ['main'] });
  const thanks = reward('thanks', { servers: ['main', 'sky'] });
  const ledger = await ledgers({ gameServers: gameServers('main', 'sky'), rewards: [thanks, daily] });
  await ledger.vote({});
  for (const scope of scopes) await ledger.pause(scope, 'admin', NOON);
  return ledger;
}
const payable = async (ledger: LedgerOfTest) => [await ledger.due('main'), await ledger.due('sky')].flat();

test.each([
  ['of everything', ALL, []],
  ['of a game server', ON_MAIN, [2]],
  ['of a reward', { server: null, reward: 'thanks' }, [3]],
  ['of a reward on a game server', { server: 'main', reward: 'thanks' }, [3, 2]],
  ['of a game server that owes nothing', { server: 'lobby', reward: null }, [1, 3, 2]],
])('a pause %s stops what it names, and nothing else', async (_, scope, left) => {
  const ledger = await paused(scope);
  expect(await payable(ledger)).toEqual(left);
  const claimed: number[] = [];
  for (const id of [1, 3, 2]) if (await ledger.claim(id)) claimed.push(id);
  expect(claimed).toEqual(left);
});

test('a pause stops grants that wait for their player, and leaves no time at which anything is due', async () => {
  const ledger = await paused();
  await ledger.wait(3);
  await ledger.pause(ON_MAIN, 'admin', NOON);
  expect(await ledger.waiting(MAIN, ['steve'], NOON, 9)).toEqual([]);
  expect(await ledger.nextDueAt(MAIN, NOON)).toBeNull();
  expect(await ledger.nextDueAt({ ...MAIN, server: 'sky' }, NOON)).toBe(0);
});

test('a pause of a game server leaves a grant to the others of its pool', async () => {
  const roaming = reward('r', { ...DAILY, servers: 'where-online' });
  const ledger = await ledgers({ gameServers: gameServers('main', 'sky'), rewards: [roaming] });
  await ledger.vote({});
  await ledger.pause({ server: 'sky', reward: null }, 'admin', NOON);
  const takenBy = (server: string) => ledger.claim(1, { take: { pool: 'main or sky', server } });
  expect([await ledger.due('sky'), await takenBy('sky')]).toEqual([[], false]);
  expect([await ledger.due('main'), await takenBy('main')]).toEqual([[1], true]);
});

test.each([
  ['everything', ALL],
  ['its reward on its game server', { server: 'main', reward: 'daily' }],
])('a pause of %s for 100 hours leaves a grant the 4 hours that it had', async (_, scope) => {
  const ledger = await owing(ONE_DAY);
  await ledger.pause(scope, 'admin', NOON + 20 * HOUR);
  expect(await expired(ledger, NOON + 120 * HOUR)).toBe(0);
  await ledger.resume(scope, NOON + 120 * HOUR);
  expect(await ledger.due('main', NOON + 124 * HOUR - 1)).toEqual([1]);
  await expectExpiry(ledger, NOON + 124 * HOUR);
});

test('a pause of something else lets a grant expire in time', async () => {
  const ledger = await owing(ONE_DAY);
  await ledger.pause({ server: 'sky', reward: null }, 'admin', NOON);
  await ledger.pause({ server: null, reward: 'thanks' }, 'admin', NOON);
  expect(await expired(ledger, NOON + DAY)).toBe(1);
});

test('a pause leaves a grant all of its time that is made during it', async () => {
  const ledger = await ledgers({ rewards: [ONE_DAY] });
  await ledger.pause(ALL, 'admin', NOON - HOUR);
  await ledger.vote({});
  await ledger.resume(ALL, NOON + 50 * HOUR);
  await expectExpiry(ledger, NOON + 74 * HOUR);
});
