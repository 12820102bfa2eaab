import { describe, expect, test } from 'vitest';
import type { ClockReading } from '../../src/core/clock-reading.ts';
import type { PlayerName } from '../../src/core/player-name.ts';
import type { ClockRelease } from '../../src/ledger/clock-history.ts';
import { wrongCountsOf } from '../../src/ledger/deep-check.ts';
import type { Ledger } from '../../src/ledger/ledger.ts';
import { watchWrites } from '../support/dying.ts';
import { type FreshLedger, freshLedger, record, rulesFor, THANKS } from '../support/ledgers.ts';
import { top } from '../support/parties.ts';
import { arrival, at, DAY, webhookArrival } from '../support/votes.ts';

const HOUR = DAY / 24;
const START = at('2026-06-01T00:00:00Z');
const PORTION = 500;
const SITES = ['One', 'Two', 'Three'];
const PLAYERS = Array.from({ length: 401 }, (_, index) => `P${index}`);
const MANY = SITES.length * PLAYERS.length;
const RULES = rulesFor(THANKS);

/** The clock is right, and a moment later it is two days ahead: that is doubted, and the believed time is the start. */
const RIGHT: ClockReading = { wall: START, monotonic: 0 };
const AHEAD: ClockReading = { wall: START + 2 * DAY, monotonic: 0 };
/** What the clock shows when the operator says that it is right: votes that are dated by the believed time are moved there. */
const WALL = AHEAD.wall;

const voteOf = (player: string, site: string, wall: number) =>
  arrival({ player, site, claim: null, receivedAt: wall, castAt: wall });

/** A ledger in which a vote of each player on each site came while the clock was doubted. */
async function doubted(): Promise<FreshLedger> {
  const fresh = freshLedger();
  await record(fresh.ledger, [voteOf('First', 'One', START)], RULES, RIGHT);
  const votes = SITES.flatMap((site) => PLAYERS.map((player) => voteOf(player, site, WALL)));
  await record(fresh.ledger, votes, RULES, AHEAD);
  expect(await fresh.ledger.clock()).toMatchObject({ held: MANY, doubt: { reason: 'jumped-ahead' } });
  return fresh;
}

/** The portions after one. @returns how many grants each released. */
async function releaseFrom(ledger: Ledger, first: ClockRelease | null): Promise<number[]> {
  const released: number[] = [];
  for (
    let progress = first?.next ?? null, isFirst = first === null;
    isFirst || progress !== null;
    isFirst = false
  ) {
    const portion = await ledger.releaseClock(WALL, progress, WALL);
    released.push(portion.released);
    progress = portion.next;
  }
  return released;
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, each) => total + each, 0);

/** The votes of the doubt by when they were cast, in hours after the start, with how many there are. */
const cast = ({ database }: FreshLedger) =>
  database
    .prepare(`
      SELECT (cast_at - ?) / ${HOUR} AS at, count(*) AS votes, min(window_end - cast_at) / ${HOUR} AS window,
             local_day - 20605 AS day
      FROM votes WHERE id BETWEEN 2 AND ${MANY + 1} GROUP BY cast_at, local_day`)
    .all(START);

const ALL_MOVED = [{ at: 48, votes: MANY, window: 24, day: 2 }];

/** What is the same however the portions came. */
async function expectReleased(fresh: FreshLedger): Promise<void> {
  expect(cast(fresh)).toEqual(ALL_MOVED);
  expect(await fresh.ledger.areVotesMoving()).toBe(false);
  expect(fresh.database.prepare('SELECT count(*) FROM moved_votes').pluck().get()).toBe(0);
  expect(await fresh.ledger.clock()).toMatchObject({ held: 0, doubt: null });
  expect(await wrongCountsOf(fresh.ledger)).toEqual({ recipients: [], network: false, parties: [] });
}

describe('releasing the clock', () => {
  test('moves the votes of about 500 and releases 500 grants in one transaction at most', async () => {
    const fresh = await doubted();
    let moved = 0;
    let paid = 0;
    watchWrites(fresh.database, [['votes', 'UPDATE OF cast_at']], () => (moved += 1));
    fresh.database.function('on_paid', () => {
      paid += 1;
      return null;
    });
    fresh.database.exec(
      'CREATE TEMP TRIGGER watched_grants AFTER UPDATE OF state ON main.grants BEGIN SELECT on_paid(); END',
    );
    const portions: number[][] = [];
    for (let next: ClockRelease['next'] = null, isFirst = true; isFirst || next !== null; isFirst = false) {
      [moved, paid] = [0, 0];
      const portion = await fresh.ledger.releaseClock(WALL, next, WALL);
      expect(portion.released).toBe(paid);
      portions.push([moved, paid]);
      next = portion.next;
    }
    // The votes of a player are moved together.
    expect(Math.max(...portions.map(([votes = 0]) => votes))).toBeLessThan(PORTION + SITES.length);
    expect(Math.max(...portions.map(([, grants = 0]) => grants))).toBe(PORTION);
    expect(sum(portions.map(([votes = 0]) => votes))).toBe(MANY);
    expect(sum(portions.map(([, grants = 0]) => grants))).toBe(MANY);
    await expectReleased(fresh);
    expect(await fresh.ledger.grantStates()).toEqual({ pending: MANY + 1 });
  });

  test('is done by another process without the progress of the first, and releases no grant twice', async () => {
    const fresh = await doubted();
    const first = await fresh.ledger.releaseClock(WALL, null, WALL);
    expect(first).toMatchObject({ doubt: { reason: 'jumped-ahead' } });
    const another = freshLedger(fresh.file);
    expect(sum(await releaseFrom(another.ledger, null))).toBe(MANY - first.released);
    await expectReleased(fresh);
  });

  test('leaves what is held for other reasons, and looks at no more than 500 of those in one transaction', async () => {
    const fresh = await doubted();
    fresh.database.exec(`
      UPDATE grants SET reason = 'restore-doubt' WHERE id BETWEEN 2 AND ${PORTION + 1};`);
    const released = await releaseFrom(fresh.ledger, null);
    expect(sum(released)).toBe(MANY - PORTION);
    expect(released.filter((count) => count > 0)).toEqual([PORTION, MANY - 2 * PORTION]);
    expect(await fresh.ledger.grantStates()).toEqual({ held: PORTION, pending: MANY + 1 - PORTION });
  });
});

describe('between two portions of a release', () => {
  const LAST = PLAYERS.at(-1) ?? '';
  const later = (hours: number): ClockReading => ({ wall: WALL + hours * HOUR, monotonic: hours * HOUR });

  test.each([
    ['within 24 hours', 23, 'cooldown'],
    ['after 24 hours', 24, 'rewarded'],
  ])('a vote %s of a moved one is decided by its final time', async (_, hours, decision) => {
    const fresh = await doubted();
    const first = await fresh.ledger.releaseClock(WALL, null, WALL);
    expect(cast(fresh)).toHaveLength(2);
    const another = freshLedger(fresh.file);
    const { wall } = later(hours);
    const voted = await record(another.ledger, [voteOf(LAST, 'Three', wall)], RULES, later(hours));
    expect(voted).toMatchObject([{ kind: 'new', decision: { kind: decision } }]);
    await releaseFrom(fresh.ledger, first);
    await expectReleased(fresh);
    const paid = MANY + 1 + (decision === 'rewarded' ? 1 : 0);
    expect(await fresh.ledger.grantStates()).toEqual({ pending: paid });
  });

  test('each transaction that records votes moves a portion, until none is left', async () => {
    const fresh = await doubted();
    await fresh.ledger.releaseClock(WALL, null, WALL);
    for (let vote = 1; await fresh.ledger.areVotesMoving(); vote++) {
      expect(vote).toBeLessThan(10);
      await record(fresh.ledger, [voteOf(`New${vote}`, 'One', WALL)], RULES, later(0));
    }
    expect(cast(fresh)).toEqual(ALL_MOVED);
    expect(sum(await releaseFrom(fresh.ledger, null))).toBe(MANY);
    await expectReleased(fresh);
  });

  test('names that are joined have all of their votes moved once', async () => {
    const fresh = await doubted();
    const first = await fresh.ledger.releaseClock(WALL, null, WALL);
    const order = { name: LAST as PlayerName, into: 'P0' as PlayerName, by: 'ann', rules: RULES };
    expect(await fresh.ledger.mergePlayers(order, WALL)).toMatchObject({ kind: 'changed' });
    await releaseFrom(fresh.ledger, first);
    expect(cast(fresh)).toMatchObject([{ at: 48, votes: MANY, day: 2 }]);
    expect((await wrongCountsOf(fresh.ledger)).recipients).toEqual([]);
  });

  test('a new doubt holds new votes, which the rest does not release', async () => {
    const fresh = await doubted();
    const first = await fresh.ledger.releaseClock(WALL, null, WALL);
    await record(fresh.ledger, [voteOf('Later', 'One', WALL)], RULES, later(0));
    const again: ClockReading = { wall: WALL + 3 * DAY, monotonic: 0 };
    await record(fresh.ledger, [voteOf('Doubted', 'One', again.wall)], RULES, again);
    expect(sum(await releaseFrom(fresh.ledger, first)) + first.released).toBe(MANY);
    expect(await fresh.ledger.clock()).toMatchObject({ held: 1, doubt: { reason: 'jumped-ahead' } });
    expect(cast(fresh)).toEqual(ALL_MOVED);
  });

  test('no period of a top is due, and no vote of a service that was listed later is paid', async () => {
    const fresh = await doubted();
    const best = top('best', { period: 'day' });
    const today = Math.floor(START / DAY) - 3;
    await fresh.ledger.useConfig({ rewards: [best], today });
    await fresh.ledger.useConfig({ tops: [best], today });
    const listing = { sites: [], rules: RULES, draws: [] };
    const first = await fresh.ledger.releaseClock(WALL, null, WALL);
    expect(await fresh.ledger.dueTop(best, today)).toBeNull();
    expect(await fresh.ledger.payUnlisted(listing, WALL)).toEqual({ kind: 'clock-doubted' });
    await releaseFrom(fresh.ledger, first);
    expect(await fresh.ledger.dueTop(best, today)).toBe(today);
    expect(await fresh.ledger.payUnlisted(listing, WALL)).toMatchObject({ kind: 'decided' });
  });
});

test('a clock that shows the right time again leaves its votes to be moved in portions', async () => {
  const fresh = freshLedger();
  // After a restart, the newest vote is all that is known of the true time: votes until the clock is past it are dated by it.
  await record(fresh.ledger, [webhookArrival('E', { castAt: START, claim: null })], RULES, RIGHT);
  const behind: ClockReading = { wall: START - 2 * HOUR, monotonic: 0 };
  const another = freshLedger(fresh.file);
  const votes = SITES.flatMap((site) => PLAYERS.map((player) => voteOf(player, site, behind.wall)));
  await record(another.ledger, votes, RULES, behind);
  const right: ClockReading = { wall: START + 5 * HOUR, monotonic: HOUR };
  await record(another.ledger, [voteOf('Last', 'One', right.wall)], RULES, right);
  expect(await another.ledger.clock()).toMatchObject({ doubt: null });
  expect(await another.ledger.areVotesMoving()).toBe(true);
  while (await another.ledger.areVotesMoving()) await another.ledger.moveVotes();
  expect(cast(fresh)).toMatchObject([{ at: 4, votes: MANY }]);
});
