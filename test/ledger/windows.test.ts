import { describe, expect, test } from 'vitest';
import { type Cast, DAY, HOUR, june, type LedgerOfTest, ledgers, NOON, reward } from '../kit/ledgers.ts';
import { Seeded } from '../support/seeded.ts';

const START = june(1, 0);
const THANKS = { rewards: [reward('thanks')] };
const HALF = { ...THANKS, sites: { default: {}, List: { cooldown: '12h' }, Other: {} } };
const FROM_FOUR = { ...THANKS, sites: { List: { cooldown: 'day 04:00' } } };

/** A vote on the list so many hours after the start of June. */
const cast = (hours: number, more: object = {}) => ({ at: START + hours * HOUR, ...more });
const decided = async (...casts: readonly Cast[]) => (await ledgers(THANKS)).vote(...casts);

/** The windows of the rewarded votes, in hours after the start. */
const windows = async (ledger: LedgerOfTest) =>
  (await ledger.votes({ decision: 'rewarded' })).map(({ castAt, nextAt }) =>
    [castAt, nextAt ?? 0].map((at) => (at - START) / HOUR),
  );

describe('once for each player in 24 hours (rule 3)', () => {
  test.each([
    ['2026-06-01T23:59:59.999Z', 'cooldown'],
    ['2026-06-02T00:00:00.000Z', 'rewarded'],
    ['2026-05-31T00:00:00.001Z', 'cooldown'],
    ['2026-05-31T00:00:00.000Z', 'rewarded'],
  ])('after a vote at midnight on 1 June, a vote at %s gets %s', async (second, decision) => {
    expect(await decided(cast(0), { at: Date.parse(second) })).toEqual(['rewarded', decision]);
  });

  test('a vote inside the window names the vote that took it and the next time, and does not extend it', async () => {
    const ledger = await ledgers(THANKS);
    expect(await ledger.vote(cast(0), cast(23), cast(24))).toEqual(['rewarded', 'cooldown', 'rewarded']);
    expect((await ledger.votes())[1]).toMatchObject({
      decision: 'cooldown',
      takenBy: 1,
      nextAt: START + DAY,
    });
  });

  test('between two votes that are 48 hours apart, a late one has room for exactly one instant', async () => {
    const between = [24 - 1 / HOUR, 24 + 1 / HOUR, 24].map((hours) => cast(hours));
    expect((await decided(cast(0), cast(48), ...between)).slice(2)).toEqual([
      'cooldown',
      'cooldown',
      'rewarded',
    ]);
  });

  test('a late vote between two rewarded ones is next rewarded at the first free instant after both', async () => {
    const ledger = await ledgers(THANKS);
    expect(await ledger.vote(cast(0), cast(30), cast(12))).toEqual(['rewarded', 'rewarded', 'cooldown']);
    expect((await ledger.votes())[2]).toMatchObject({ nextAt: START + 54 * HOUR });
  });

  test('each player and each site has a window of its own, however the name is spelled', async () => {
    const others = [
      cast(0, { player: 'Alex' }),
      cast(0, { on: 'Other' }),
      cast(0, { on: 'Other', player: 'alex' }),
    ];
    expect(await decided(cast(0), ...others)).toEqual(Array(4).fill('rewarded'));
    expect(await decided(cast(0), cast(1, { player: 'sTEVE' }))).toEqual(['rewarded', 'cooldown']);
  });

  test('a site’s own cooldown applies: with 12 h, a vote 1 ms earlier gets cooldown', async () => {
    const ledger = await ledgers(HALF);
    expect(await ledger.vote(cast(0), cast(12 - 1 / HOUR), cast(12))).toEqual([
      'rewarded',
      'cooldown',
      'rewarded',
    ]);
  });

  test('a cancelled grant does not reopen the window', async () => {
    const ledger = await ledgers(THANKS);
    await ledger.vote(cast(0));
    expect(await ledger.cancel(1)).toEqual({ kind: 'changed' });
    expect(await ledger.vote(cast(1))).toEqual(['cooldown']);
  });

  test('a player’s window is not that of a user ID with the same letters', async () => {
    expect(await decided({ user: 'steve' }, {})).toEqual(['rewarded', 'rewarded']);
  });
});

describe('a service that is listed after its votes were taken under `default`', () => {
  /** Votes on New before and after it has an entry. */
  async function listedLater(before: readonly object[], after: readonly object[]) {
    const ledger = await ledgers({ ...THANKS, sites: { default: {} } });
    const decisions = await ledger.vote(...before);
    await ledger.use({ ...THANKS, sites: { default: {}, New: {} } });
    return [...decisions, ...(await ledger.vote(...after))];
  }

  test('keeps the window that it took there, and its next vote is rewarded when that ends', async () => {
    const after = [cast(12, { on: 'New' }), cast(24, { on: 'New' })];
    expect(await listedLater([cast(0, { on: 'New' })], after)).toEqual(['rewarded', 'cooldown', 'rewarded']);
  });

  test('no longer shares the windows of other unlisted services', async () => {
    expect(await listedLater([cast(0)], [cast(1, { on: 'New' })])).toEqual(['rewarded', 'rewarded']);
  });

  test('still holds the window of `default` for the other unlisted services', async () => {
    expect(await listedLater([cast(0, { on: 'New' }), cast(2)], [])).toEqual(['rewarded', 'unlisted']);
  });

  test('keeps the windows of its entry when the entry is removed', async () => {
    const ledger = await ledgers(THANKS);
    await ledger.vote(cast(0));
    await ledger.use({ ...THANKS, sites: { default: {} } });
    expect(await ledger.vote(cast(12))).toEqual(['cooldown']);
  });
});

describe('a cooldown of a day', () => {
  test('rewards one vote for each day that begins at its time', async () => {
    const ledger = await ledgers(FROM_FOUR);
    const decisions = await ledger.vote(cast(22), cast(28 - 1 / HOUR), cast(28), cast(45));
    expect(decisions).toEqual(['rewarded', 'cooldown', 'rewarded', 'cooldown']);
    const window = { start: june(1, 4), end: june(2, 4) };
    expect((await ledger.votes()).slice(0, 2)).toMatchObject([
      { decision: 'rewarded', window, nextAt: window.end },
      { decision: 'cooldown', takenBy: 1, window },
    ]);
  });

  test('that replaces 24 h rewards the first vote of the next day, and cuts the window before', async () => {
    const ledger = await ledgers(THANKS);
    await ledger.vote(cast(22));
    await ledger.use(FROM_FOUR);
    expect(await ledger.vote(cast(29))).toEqual(['rewarded']);
    expect(await ledger.votes()).toMatchObject([
      { window: { start: june(1, 22), end: june(2, 4) } },
      { window: { start: june(2, 4) } },
    ]);
  });

  test('that is replaced by 24 h blocks votes for 24 h after its vote, not until its day ends', async () => {
    const ledger = await ledgers(FROM_FOUR);
    await ledger.vote(cast(22));
    await ledger.use(THANKS);
    expect(await ledger.vote(cast(46 - 1 / HOUR), cast(46))).toEqual(['cooldown', 'rewarded']);
  });

  test('lets a late vote in for a day without one, between two that were rewarded', async () => {
    const ledger = await ledgers(FROM_FOUR);
    const decisions = await ledger.vote(cast(12), cast(60), cast(36), cast(37));
    expect(decisions).toEqual(['rewarded', 'rewarded', 'rewarded', 'cooldown']);
  });
});

describe('the windows of one player on one site', () => {
  test.each([
    [
      'end where the next one starts after the cooldown was shortened',
      [0],
      [13, 25],
      [
        [0, 13],
        [13, 25],
        [25, 37],
      ],
    ],
    [
      'are also shortened by a late vote',
      [0, 30],
      [14],
      [
        [0, 14],
        [30, 54],
        [14, 26],
      ],
    ],
  ])('%s', async (_, before, after, expected) => {
    const ledger = await ledgers(THANKS);
    await ledger.vote(...before.map((hours) => cast(hours)));
    await ledger.use(HALF);
    await ledger.vote(...after.map((hours) => cast(hours)));
    expect(await windows(ledger)).toEqual(expected);
  });

  test('do not overlap after the cooldown was lengthened', async () => {
    const ledger = await ledgers(HALF);
    await ledger.vote(cast(0));
    await ledger.use(THANKS);
    await ledger.vote(cast(20), cast(24));
    expect(await windows(ledger)).toEqual([
      [0, 12],
      [24, 48],
    ]);
  });

  test.each([1, -1, 0])(
    'cannot be stored %d h from another one, even by a program that decides wrongly',
    async (hours) => {
      const ledger = await ledgers(THANKS);
      await ledger.vote(cast(0));
      const columns = 'service, site, recipient_id, received_at, local_day, channel, decision, repeats, wire';
      const moved = ['cast_at', 'window_start', 'window_end'].map((column) => `${column} + ${hours * HOUR}`);
      const copy = `INSERT INTO votes (${columns}, cast_at, window_start, window_end) SELECT ${columns}, ${moved} FROM votes`;
      expect(() => ledger.sql(copy)).toThrow(/this window is taken/);
    },
  );

  test('are shortened only if they overlap: any other error of the disk loses the vote, which is tried once', async () => {
    const ledger = await ledgers(THANKS);
    await ledger.vote(cast(0));
    await ledger.use(HALF);
    const repair = ledger.failing('INSERT ON votes');
    await expect(ledger.vote(cast(13))).rejects.toMatchObject({ code: 'ledger-failed' });
    repair();
    expect(await windows(ledger)).toEqual([[0, 24]]);
    expect(await ledger.vote(cast(13))).toEqual(['rewarded']);
  });
});

describe('after a doubt about the clock', () => {
  /** The clock is right, and a moment later it is a day ahead: what comes then is dated by the believed time. */
  const right = { wall: START, monotonic: 0 };
  const ahead = { wall: START + DAY, monotonic: 0 };
  const found = (hours: number) =>
    cast(hours, { via: 'webhook', event: `E${hours}`, received: START, reading: right });

  test('votes that are redated take their windows with them, which are shortened where they overlap then', async () => {
    const ledger = await ledgers(THANKS);
    await ledger.vote(found(-30), found(30));
    await ledger.vote(cast(24, { reading: ahead }));
    expect(await windows(ledger)).toEqual([
      [-30, -6],
      [30, 54],
      [0, 24],
    ]);
    await ledger.release(START + 20 * HOUR);
    expect(await windows(ledger)).toEqual([
      [-30, -6],
      [30, 54],
      [20, 30],
    ]);
    expect(await ledger.vote(cast(54))).toEqual(['rewarded']);
  });

  test('a window ends at the next vote if a redated one now comes before it', async () => {
    const ledger = await ledgers(THANKS);
    await ledger.vote(found(-26));
    await ledger.vote(cast(24, { reading: ahead }));
    await ledger.release(START - 10 * HOUR);
    expect(await windows(ledger)).toEqual([
      [-26, -10],
      [-10, 14],
    ]);
  });
});

test('a vote that no program can decide is rejected, and the others of its transaction are recorded', async () => {
  const ledger = await ledgers(THANKS);
  const broken = { ...ledger.rules(), rewards: [null] } as unknown as ReturnType<LedgerOfTest['rules']>;
  const [good] = [ledger.vote(cast(0)), ledger.vote(cast(1, { player: 'Alex' }))];
  const bad = ledger.voteUnder(broken, cast(0, { player: 'Eve' }));
  await expect(bad).rejects.toThrow(TypeError);
  expect(await good).toEqual(['rewarded']);
  expect((await ledger.votes()).map(({ player }) => player)).toEqual(['Steve', 'Alex']);
});

test.each([1, 2, 3, 4])(
  'in any order of arrival (seed %i) no two rewarded votes are closer than 24 h, none is refused a free window, and each is recorded once',
  async (seed) => {
    const random = new Seeded(seed);
    const ledger = await ledgers(THANKS);
    const sent = Array.from({ length: 400 }, (_, number) => ({
      // Quarter days, so that exactly 24 h and the same instant come up often, and some a millisecond beside.
      at: NOON + random.below(40) * (DAY / 4) + random.pick([0, 0, 0, 1, -1]),
      ...{ player: random.pick(['Steve', 'Alex', 'Eve']), on: random.pick(['List', 'Other']) },
      event: `E${number}`,
    }));
    const order = [...sent, ...sent.filter(() => random.chance(0.2))]
      .map((one) => ({ one, key: random.next() }))
      .toSorted((a, b) => a.key - b.key);
    while (order.length > 0)
      await ledger.vote(...order.splice(0, 1 + random.below(30)).map(({ one }) => one));
    const votes = await ledger.votes();
    expect(votes).toHaveLength(400);
    const rewarded = votes.filter(({ decision }) => decision === 'rewarded');
    const close = (vote: (typeof votes)[number]) =>
      rewarded.filter(
        (other) =>
          other.id !== vote.id &&
          other.recipient === vote.recipient &&
          other.site === vote.site &&
          Math.abs(other.castAt - vote.castAt) < DAY,
      );
    expect(rewarded.filter((vote) => close(vote).length > 0)).toEqual([]);
    expect(votes.filter((vote) => vote.decision === 'cooldown' && close(vote).length === 0)).toEqual([]);
    expect(await ledger.grantStates()).toEqual({ pending: rewarded.length });
  },
);
