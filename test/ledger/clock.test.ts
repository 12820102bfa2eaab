import { describe, expect, test } from 'vitest';
import { type Cast, DAY, HOUR, type LedgerOfTest, ledgers, NOON, RIGHT, reward } from '../kit/ledgers.ts';

const THANKS = { rewards: [reward('thanks')] };
const AHEAD = NOON + 26 * HOUR;

/** A vote that comes when the clock shows this time; the clock of the computer's uptime stands still. */
const shown = (player: string, wall: number, more: Partial<Cast> = {}): Cast => {
  return { player, at: wall, reading: { wall, monotonic: 0 }, ...more };
};
const told = ({ news }: LedgerOfTest) =>
  news.map((one) => (one.kind === 'doubted' ? one.doubt.reason : one.by));

test('a clock that jumps ahead is doubted once, even if that could not be stored at first, and so is that it is right again', async () => {
  const ledger = await ledgers(THANKS);
  await ledger.vote(shown('Steve', NOON));
  const repair = ledger.failing('INSERT ON votes');
  for (const player of ['Alex', 'Zombie'])
    await expect(ledger.vote(shown(player, AHEAD))).rejects.toMatchObject({ code: 'ledger-failed' });
  expect([told(ledger), (await ledger.clock()).doubt]).toEqual([[], null]);
  repair();
  await ledger.vote(shown('Alex', AHEAD));
  await ledger.vote(shown('Steve', AHEAD));
  expect([told(ledger), await ledger.grantStates()]).toEqual([['jumped-ahead'], { pending: 1, held: 1 }]);

  const repairAgain = ledger.failing('INSERT ON votes');
  await expect(ledger.vote(shown('Later', NOON))).rejects.toMatchObject({ code: 'ledger-failed' });
  expect(told(ledger)).toEqual(['jumped-ahead']);
  repairAgain();
  await ledger.vote(shown('Later', NOON));
  expect(told(ledger)).toEqual(['jumped-ahead', 'corrected']);
  expect(await ledger.grantStates()).toEqual({ pending: 2, held: 1 });
});

test('a clock that jumps ahead is judged once for votes of one moment, which are dated by the time that is believed', async () => {
  const ledger = await ledgers(THANKS);
  await ledger.vote(shown('Steve', NOON));
  const answers = ['Alex', 'Zombie', 'Ben'].map(async (player) => {
    await ledger.vote(shown(player, AHEAD));
    return ledger.news.length;
  });
  expect(await Promise.all(answers)).toEqual([1, 1, 1]);
  const doubt = { reason: 'jumped-ahead', shownAt: AHEAD, aheadMs: 26 * HOUR };
  expect(ledger.news).toEqual([{ kind: 'doubted', doubt }]);
  expect((await ledger.votes()).slice(1)).toMatchObject(Array(3).fill({ castAt: NOON, receivedAt: AHEAD }));
  expect(await ledger.grantStates()).toEqual({ pending: 1, held: 3 });
});

test('a clock that jumps ahead is not judged for a vote without a reading', async () => {
  const ledger = await ledgers(THANKS);
  await ledger.vote(shown('Steve', NOON));
  await ledger.vote({ player: 'Alex', at: AHEAD });
  expect([told(ledger), await ledger.clock()]).toMatchObject([[], { doubt: null, held: 0 }]);
  expect(await ledger.owed()).toEqual(['Steve thanks: pending', 'Alex thanks: pending']);
  expect((await ledger.votes())[1]?.castAt).toBe(AHEAD);
});

test('a clock that jumps ahead is doubted by both of two processes on one ledger, and trusted again by both', async () => {
  const one = await ledgers(THANKS);
  const other = await one.another();
  await one.vote(shown('A', NOON));
  await other.vote(shown('B', NOON));
  await one.vote(shown('C', AHEAD));
  await other.vote(shown('D', AHEAD));
  await other.vote(shown('A', AHEAD));
  expect(await one.grantStates()).toEqual({ pending: 2, held: 2 });
  expect([told(one), told(other)]).toEqual([['jumped-ahead'], ['jumped-ahead']]);
  await other.vote(shown('E', NOON));
  await one.vote(shown('F', NOON));
  expect(await one.grantStates()).toEqual({ pending: 4, held: 2 });
});

test('a clock that jumps ahead and is trusted moves the days, streaks and limits of the votes whose time was doubted', async () => {
  const limit = { per: 'player', count: 1, within: 'day' };
  const figures = reward('told', { commands: ['say {votesDay} {streak} {bestStreak}'] });
  const rewards = [reward('daily', { limit }), figures];
  const ledger = await ledgers({ sites: { List: { cooldown: '1s' } }, rewards });
  const said = async () =>
    (await ledger.grants({ reward: 'told' })).map(({ commands }) => commands[0]?.command);
  const at = (wall: number, monotonic: number) => ({ at: wall, reading: { wall, monotonic } });
  const later = NOON + 49 * HOUR + 2_000;
  await ledger.vote(at(NOON, 0));
  await ledger.vote(at(later, 2_000));
  // By the time that was believed, both votes were cast on one day, and the limit of that day was full.
  expect(await said()).toEqual(['say 1 1 1', 'say 2 1 1']);
  expect(await ledger.grantStates()).toEqual({ pending: 2, held: 1 });
  await ledger.release(later);
  expect(await ledger.wrong()).toEqual(RIGHT);
  await ledger.vote(at(later + DAY, DAY));
  expect((await said()).at(-1)).toBe('say 1 2 2');
  expect(await ledger.grants({ reward: 'daily' })).toHaveLength(2);
});

test('a clock that jumps ahead and is trusted releases no grants on a game server that changed while they were held', async () => {
  const ledger = await ledgers(THANKS);
  await ledger.holdOrphaned(new Map([['main', 'rcon']]), NOON);
  await ledger.vote(shown('Steve', NOON));
  await ledger.cancel(1);
  await ledger.vote(shown('Alex', AHEAD));
  await ledger.holdOrphaned(new Map([['main', 'http']]), NOON);
  expect(await ledger.release(AHEAD)).toEqual([0]);
  expect((await ledger.owed())[1]).toBe('Alex thanks: held other-game-server');
});

const PORTION = 500;
const LISTS = ['One', 'Two', 'Three'];
const PLAYERS = Array.from({ length: 401 }, (_, index) => `P${index}`);
const MANY = LISTS.length * PLAYERS.length;
const MOVED = NOON + 2 * DAY;
const LAST = PLAYERS.at(-1) ?? '';
const SITES = { ...THANKS, sites: { default: {}, One: {}, Two: {}, Three: {} } };
const each = (wall: number, monotonic = 0) =>
  LISTS.flatMap((on) => PLAYERS.map((player) => shown(player, wall, { on, reading: { wall, monotonic } })));

/** A ledger in which a vote of each player on each list came while the clock was doubted, which was two days ahead. */
async function doubted(): Promise<LedgerOfTest> {
  const ledger = await ledgers(SITES);
  await ledger.vote(shown('First', NOON, { on: 'One' }));
  await ledger.vote(...each(MOVED));
  expect(await ledger.clock()).toMatchObject({ held: MANY, doubt: { reason: 'jumped-ahead' } });
  return ledger;
}
const sum = (numbers: readonly number[]) => numbers.reduce((total, one) => total + one, 0);
/** The votes of the doubt by when they were cast, in hours after noon, with their windows and how many there are. */
async function cast(ledger: LedgerOfTest) {
  const found: Record<string, number> = {};
  for (const { castAt, window } of (await ledger.votes()).slice(1, MANY + 1)) {
    const at = `${(castAt - NOON) / HOUR} to ${((window?.end ?? 0) - NOON) / HOUR}`;
    found[at] = (found[at] ?? 0) + 1;
  }
  return found;
}
async function expectReleased(ledger: LedgerOfTest): Promise<void> {
  expect(await cast(ledger)).toEqual({ '48 to 72': MANY });
  expect(await ledger.areVotesMoving()).toBe(false);
  expect(await ledger.clock()).toMatchObject({ held: 0, doubt: null });
  expect(await ledger.wrong()).toEqual(RIGHT);
}

test('releasing the clock moves the votes of about 500 and releases 500 grants in one transaction at most', async () => {
  const ledger = await doubted();
  const moved: number[] = [];
  const released: number[] = [];
  const left = async () => (await cast(ledger))['0 to 24'] ?? 0;
  for (let next: unknown = null, before = MANY, isFirst = true; isFirst || next !== null; isFirst = false) {
    const portion = await ledger.releaseClock(MOVED, next as never, MOVED);
    const rest = await left();
    moved.push(before - rest);
    released.push(portion.released);
    [before, next] = [rest, portion.next];
  }
  // The votes of a player are moved together.
  expect(Math.max(...moved)).toBeLessThan(PORTION + LISTS.length);
  expect(Math.max(...released)).toBe(PORTION);
  expect([sum(moved), sum(released)]).toEqual([MANY, MANY]);
  await expectReleased(ledger);
  expect(await ledger.grantStates()).toEqual({ pending: MANY + 1 });
}, 60_000);

test('releasing the clock is done by another process without the progress of the first, and releases no grant twice', async () => {
  const ledger = await doubted();
  const first = await ledger.releaseClock(MOVED, null, MOVED);
  expect(first).toMatchObject({ doubt: { reason: 'jumped-ahead' } });
  expect(sum(await (await ledger.another()).release(MOVED))).toBe(MANY - first.released);
  await expectReleased(ledger);
}, 60_000);

test('releasing the clock leaves what is held for other reasons, and looks at no more than 500 of those in one transaction', async () => {
  const ledger = await doubted();
  const other = 'restore-doubt';
  ledger.sql(`UPDATE grants SET reason = '${other}' WHERE id BETWEEN 2 AND ${PORTION + 1}`);
  const released = (await ledger.release(MOVED)).filter((count) => count > 0);
  expect(released).toEqual([PORTION, MANY - 2 * PORTION]);
  expect(await ledger.grantStates()).toEqual({ held: PORTION, pending: MANY + 1 - PORTION });
}, 60_000);

describe('between two portions of a release', () => {
  const later = (player: string, hours: number, on = 'One') => {
    const wall = MOVED + hours * HOUR;
    return shown(player, wall, { on, reading: { wall, monotonic: hours * HOUR } });
  };

  test('a vote within 24 hours of a moved one is in its cooldown, and one after 24 hours is not', async () => {
    const ledger = await doubted();
    await ledger.releaseClock(MOVED, null, MOVED);
    expect(Object.keys(await cast(ledger))).toHaveLength(2);
    const other = await ledger.another();
    expect(await other.vote(later(LAST, 23, 'Three'))).toEqual(['cooldown']);
    expect(await other.vote(later(LAST, 24, 'Two'))).toEqual(['rewarded']);
    await ledger.release(MOVED);
    await expectReleased(ledger);
    expect(await ledger.grantStates()).toEqual({ pending: MANY + 2 });
  }, 60_000);

  test('each transaction that records votes moves a portion, until none is left', async () => {
    const ledger = await doubted();
    await ledger.releaseClock(MOVED, null, MOVED);
    for (let vote = 1; await ledger.areVotesMoving(); vote++) {
      expect(vote).toBeLessThan(10);
      await ledger.vote(later(`New${vote}`, 0));
    }
    expect(await cast(ledger)).toEqual({ '48 to 72': MANY });
    expect(sum(await ledger.release(MOVED))).toBe(MANY);
    await expectReleased(ledger);
  }, 60_000);

  test('names that are joined have all of their votes moved once', async () => {
    const ledger = await doubted();
    await ledger.releaseClock(MOVED, null, MOVED);
    expect(await ledger.merge(LAST, 'P0')).toMatchObject({ kind: 'changed' });
    await ledger.release(MOVED);
    expect(Object.entries(await cast(ledger)).every(([at]) => at.startsWith('48 '))).toBe(true);
    expect((await ledger.wrong()).recipients).toEqual([]);
  }, 60_000);

  test('a new doubt holds new votes, which the rest does not release', async () => {
    const ledger = await doubted();
    const first = await ledger.releaseClock(MOVED, null, MOVED);
    await ledger.vote(later('Later', 0));
    await ledger.vote(shown('Doubted', MOVED + 3 * DAY, { on: 'One' }));
    let rest = 0;
    for (let { next } = first; next !== null; ) {
      const portion = await ledger.releaseClock(MOVED, next, MOVED);
      rest += portion.released;
      next = portion.next;
    }
    expect(first.released + rest).toBe(MANY);
    expect(await ledger.clock()).toMatchObject({ held: 1, doubt: { reason: 'jumped-ahead' } });
    expect(await cast(ledger)).toEqual({ '48 to 72': MANY });
  }, 60_000);

  test('no period of a top is due, and no vote of a service that was listed later is paid', async () => {
    const ledger = await doubted();
    const tops = [{ name: 'best', period: 'day', when: 'always', prizes: { '1': ['say {player}'] } }];
    await ledger.use({ ...SITES, tops }, NOON - 3 * DAY);
    const [best, day] = [ledger.topNamed('best'), Math.floor(NOON / DAY) - 3];
    await ledger.releaseClock(MOVED, null, MOVED);
    expect(await ledger.dueTop(best, day)).toBeNull();
    expect(await ledger.list([], MOVED)).toEqual({ kind: 'clock-doubted' });
    await ledger.release(MOVED);
    expect(await ledger.dueTop(best, day)).toBe(day);
    expect(await ledger.list([], MOVED)).toMatchObject({ kind: 'decided' });
  }, 60_000);
});

test('a clock that shows the right time again leaves its votes to be moved in portions', async () => {
  const ledger = await ledgers(SITES);
  // After a restart, the newest vote is all that is known of the true time: votes until the clock is past it are dated by it.
  await ledger.vote(shown('Steve', NOON, { via: 'webhook', event: 'E' }));
  const another = await ledger.another();
  await another.vote(...each(NOON - 2 * HOUR));
  const right = NOON + 5 * HOUR;
  await another.vote(shown('Last', right, { on: 'One', reading: { wall: right, monotonic: HOUR } }));
  expect([(await another.clock()).doubt, await another.areVotesMoving()]).toEqual([null, true]);
  while (await another.areVotesMoving()) await another.moveVotes();
  expect(await cast(ledger)).toEqual({ '4 to 28': MANY });
}, 60_000);
