import { describe, expect, test } from 'vitest';
import { type Cast, DAY, HOUR, june, type LedgerOfTest, ledgers, NOON, reward } from '../kit/ledgers.ts';
import { Seeded } from '../support/seeded.ts';

/** Numbers the distinct votes, which come one after the other: `[1, 1, 2]` means that the second was the same as the first. */
async function numbers(...casts: readonly Cast[]): Promise<number[]> {
  const ledger = await ledgers({ sites: { default: {}, List: {}, Other: {}, list: {} } });
  let newest = 0;
  const found: number[] = [];
  for (const cast of casts) {
    const [answer = ''] = await ledger.vote(cast);
    found.push(answer.startsWith('same ') ? Number(answer.slice('same '.length)) : ++newest);
  }
  return found;
}

/** A vote that claims a time so many milliseconds after noon, received five seconds after noon. */
const sent = (afterNoon: number, more: Partial<Cast> = {}): Cast => ({
  ...{ claim: NOON + afterNoon, received: NOON + 5_500 },
  ...more,
});
const event = (id: string, afterNoon: number, more: Partial<Cast> = {}): Cast => ({
  ...{ via: 'webhook' as const, event: id, claim: NOON + afterNoon, at: NOON + afterNoon },
  ...more,
});

test.each([
  ['is the same vote, even if everything else differs', event('E1', 30 * DAY, { player: 'Alex' }), 1],
  // So a site cannot suppress votes of another.
  ['is another vote for another service at another time', event('E1', 1_000, { on: 'Other' }), 2],
  [
    'is the same vote for a renamed entry, if player and time are the same',
    event('E1', 0, { on: 'Other' }),
    1,
  ],
  [
    'is another vote for another service and another player',
    event('E1', 0, { on: 'Other', player: 'Alex' }),
    2,
  ],
  ['is not shared by another ID in the same second', event('E2', 0), 2],
])('the same event ID (rule 2) %s', async (_, second, number) => {
  expect(await numbers(event('E1', 0), second)).toEqual([1, number]);
});

const v1 = (more: Partial<Cast> = {}): Cast => ({ via: 'listener-v1', block: 1, received: NOON, ...more });

test('the same v1 block (rule 2) is the same vote 25 hours and 400 days later, also of another player, without a claimed time, and another block is another vote', async () => {
  const later = [v1({ received: NOON + 25 * HOUR }), v1({ received: NOON + 400 * DAY, player: 'Alex' })];
  expect(await numbers(v1(), ...later, v1({ block: 2 }))).toEqual([1, 1, 1, 2]);
});

test('a v1 block that is encrypted again is the same vote by its claimed time, and so is its replay a month later', async () => {
  const claim = NOON + 123;
  const again = v1({ claim, block: 2 });
  expect(await numbers(v1({ claim }), again, { ...again, received: NOON + 30 * DAY })).toEqual([1, 1, 1]);
});

test('a v1 block is the same vote within one transaction', async () => {
  const ledger = await ledgers({ rewards: [reward('thanks')] });
  expect(await ledger.vote(v1(), v1(), v1())).toEqual(['rewarded', 'same 1', 'same 1']);
  expect(await ledger.grantStates()).toEqual({ pending: 1 });
});

test('the same service, recipient and claimed time (rule 2) are the same vote, on any channel and at any time', async () => {
  const late = sent(123, { received: NOON + 8 * DAY });
  const block = sent(123, { via: 'listener-v1', block: 9 });
  expect(await numbers(sent(123), block, late, event('E1', 123))).toEqual([1, 1, 1, 1]);
});

test.each([
  [123, 124, 2, 'both have milliseconds, which are compared'],
  [0, 999, 1, 'the first has only seconds'],
  [1, 0, 1, 'the second has only seconds'],
  [0, 0, 1, 'both have only seconds'],
  [0, 1_000, 2, 'the seconds differ'],
  [999, 1_000, 2, 'one millisecond apart, but the seconds differ'],
])(
  'the same service, recipient and claimed time (rule 2) %i and %i ms after noon: the second is vote %i, because %s',
  async (first, second, number) => {
    expect(await numbers(sent(first), sent(second))).toEqual([1, number]);
  },
);

test('the same service, recipient and claimed time (rule 2) with another spelling of the name are the same vote; another player, service or case of a service are not', async () => {
  const players = [{ player: 'STEVE' }, { player: 'Alex' }, { user: 'steve' }];
  const others = [...players, { on: 'Other' }, { on: 'list' }].map((more) => sent(123, more));
  expect(await numbers(sent(123), ...others)).toEqual([1, 1, 2, 3, 4, 5]);
});

test('the same service, recipient and claimed time (rule 2) on two unlisted services in one second are two votes, although these services share a window', async () => {
  const ledger = await ledgers();
  expect(await ledger.vote(sent(0, { on: 'A' }), sent(0, { on: 'B' }))).toEqual(['rewarded', 'unlisted']);
});

test('the same service, recipient and claimed time (rule 2) are not assumed without a claimed time: two votes are two votes', async () => {
  expect(await numbers({}, {}, sent(0, { received: NOON + 1_000 }))).toEqual([1, 2, 3]);
});

test('the same service, recipient and claimed time (rule 2) are compared by the claimed time, not the cast time, even if the site’s clock is unreliable', async () => {
  const odd = -3 * HOUR + 123;
  expect(await numbers(sent(odd), sent(odd, { received: NOON + DAY }))).toEqual([1, 1]);
});

test.each([
  [600_000, 1],
  [600_001, 2],
  [DAY, 2],
])(
  'the same service, recipient and claimed time (rule 2) that claims %i ms ahead does not suppress a genuine vote of then: that is vote %i',
  async (ahead, number) => {
    const forged: Cast = { via: 'listener-v1', claim: NOON + ahead, received: NOON };
    expect(await numbers(forged, { claim: NOON + ahead, received: NOON + ahead })).toEqual([1, number]);
  },
);

describe('a vote from the listener and events with IDs', () => {
  const [E1, E2] = [event('E1', 250), event('E2', 700)];
  const ALEXS = event('E2', 0, { player: 'Alex' });
  const SECONDS = sent(0);

  test.each<[string, Cast[], number[]]>([
    ['two event IDs in one second are two votes', [E1, E2], [1, 2]],
    // It is the first event, and the second is another vote.
    ['the listener’s vote first', [SECONDS, E1, E2], [1, 1, 2]],
    ['the listener’s vote first, the other way round', [SECONDS, E2, E1], [1, 1, 2]],
    ['the listener’s vote last: it is one of the two', [E1, E2, SECONDS], [1, 2, 1]],
    ['the listener’s vote between them', [E1, SECONDS, E2], [1, 1, 2]],
    ['all of them again', [SECONDS, E1, E1, SECONDS, E2, E2], [1, 1, 1, 1, 2, 2]],
    ['all with milliseconds, which pair', [E1, E2, sent(700)], [1, 2, 2]],
    ['all with milliseconds, in another order', [sent(700), E1, E2], [1, 2, 1]],
    ['another service and player', [SECONDS, event('E1', 0, { on: 'Other' }), ALEXS], [1, 2, 3]],
  ])('pair once: %s', async (_, casts, expected) => {
    expect(await numbers(...casts)).toEqual(expected);
  });

  test('an event is found by its ID first, then by its time', async () => {
    expect(await numbers(event('E1', 5_000), sent(0), event('E1', 0))).toEqual([1, 2, 1]);
  });
});

test('the same vote again (rule 2) does not change the vote, pays nothing after the cooldown, and is counted with its time', async () => {
  const ledger = await ledgers({ rewards: [reward('thanks')] });
  await ledger.vote(sent(0));
  const [before] = await ledger.votes();
  expect(await ledger.vote(sent(0, { received: NOON + 8 * DAY }))).toEqual(['same 1']);
  expect(await ledger.votes()).toEqual([{ ...before, repeats: 1, repeatedAt: NOON + 8 * DAY }]);
  expect(await ledger.grantStates()).toEqual({ pending: 1 });
});

test('the same vote again (rule 2) is counted up to 1,000 times, so that a flood of replays does not cause a flood of writes', async () => {
  const ledger = await ledgers();
  await ledger.vote(...Array.from({ length: 1_500 }, () => sent(0)));
  expect(await ledger.votes()).toMatchObject([{ repeats: 1_000 }]);
});

const START = june(1, 0);
const THANKS = { rewards: [reward('thanks')] };
const HALF = { ...THANKS, sites: { default: {}, List: { cooldown: '12h' }, Other: {} } };
const FROM_FOUR = { ...THANKS, sites: { List: { cooldown: 'day 04:00' } } };

/** A vote on the list so many hours after the start of June. */
const cast = (hours: number, more: object = {}) => ({ at: START + hours * HOUR, ...more });
const decided = async (...casts: readonly Cast[]) => (await ledgers(THANKS)).vote(...casts);

/** The windows of the rewarded votes, in hours after the start: `0–24 24–48`. */
const windows = async (ledger: LedgerOfTest) =>
  (await ledger.votes({ decision: 'rewarded' }))
    .map(({ castAt, nextAt }) => [castAt, nextAt ?? 0].map((at) => (at - START) / HOUR).join('–'))
    .join(' ');

test.each([
  ['2026-06-01T23:59:59.999Z', 'cooldown'],
  ['2026-06-02T00:00:00.000Z', 'rewarded'],
  ['2026-05-31T00:00:00.001Z', 'cooldown'],
  ['2026-05-31T00:00:00.000Z', 'rewarded'],
])(
  'once for each player in 24 hours (rule 3): after a vote at midnight on 1 June, a vote at %s gets %s',
  async (second, decision) => {
    expect(await decided(cast(0), { at: Date.parse(second) })).toEqual(['rewarded', decision]);
  },
);

test('once for each player in 24 hours (rule 3): a vote inside the window names the vote that took it and the next time, and does not extend it', async () => {
  const ledger = await ledgers(THANKS);
  expect(await ledger.vote(cast(0), cast(23), cast(24))).toEqual(['rewarded', 'cooldown', 'rewarded']);
  expect((await ledger.votes())[1]).toMatchObject({ takenBy: 1, nextAt: START + DAY });
});

test('once for each player in 24 hours (rule 3): between two votes that are 48 hours apart, a late one has room for exactly one instant', async () => {
  const between = [24 - 1 / HOUR, 24 + 1 / HOUR, 24].map((hours) => cast(hours));
  const decisions = await decided(cast(0), cast(48), ...between);
  expect(decisions.slice(2)).toEqual(['cooldown', 'cooldown', 'rewarded']);
});

test('once for each player in 24 hours (rule 3): a late vote between two rewarded ones is next rewarded at the first free instant after both', async () => {
  const ledger = await ledgers(THANKS);
  expect(await ledger.vote(cast(0), cast(30), cast(12))).toEqual(['rewarded', 'rewarded', 'cooldown']);
  expect((await ledger.votes())[2]).toMatchObject({ nextAt: START + 54 * HOUR });
});

test('once for each player in 24 hours (rule 3): a cancelled grant does not reopen the window', async () => {
  const ledger = await ledgers(THANKS);
  await ledger.vote(cast(0));
  expect(await ledger.cancel(1)).toEqual({ kind: 'changed' });
  expect(await ledger.vote(cast(1))).toEqual(['cooldown']);
});

test('once for each player in 24 hours (rule 3): a player’s window is not that of a user ID with the same letters', async () => {
  expect(await decided({ user: 'steve' }, {})).toEqual(['rewarded', 'rewarded']);
});

test('the windows of an entry are kept when the entry is removed', async () => {
  const ledger = await ledgers(THANKS);
  await ledger.vote(cast(0));
  await ledger.use({ ...THANKS, sites: { default: {} } });
  expect(await ledger.vote(cast(12))).toEqual(['cooldown']);
});

test('a cooldown of a day that replaces 24 h rewards the first vote of the next day, and cuts the window before', async () => {
  const ledger = await ledgers(THANKS);
  await ledger.vote(cast(22));
  await ledger.use(FROM_FOUR);
  expect(await ledger.vote(cast(29))).toEqual(['rewarded']);
  const [first, second] = (await ledger.votes()).map(({ window }) => window);
  expect([first, second?.start]).toEqual([{ start: june(1, 22), end: june(2, 4) }, june(2, 4)]);
});

describe('the windows of one player on one site', () => {
  test.each([
    ['end where the next starts after a shorter cooldown', THANKS, [0], HALF, [13, 25], '0–13 13–25 25–37'],
    ['are also shortened by it for a late vote', THANKS, [0, 30], HALF, [14], '0–14 30–54 14–26'],
    ['do not overlap after a longer cooldown', HALF, [0], THANKS, [20, 24], '0–12 24–48'],
  ])('%s', async (_, config, before, next, after, expected) => {
    const ledger = await ledgers(config);
    await ledger.vote(...before.map((hours) => cast(hours)));
    await ledger.use(next);
    await ledger.vote(...after.map((hours) => cast(hours)));
    expect(await windows(ledger)).toBe(expected);
  });

  test.each([1, -1, 0])(
    'cannot be stored %d h from another one that is there after the decision',
    async (hours) => {
      const party = { name: 'crowd', every: 9, commands: ['say {player}'] };
      const ledger = await ledgers({ ...THANKS, party: [party] });
      await ledger.vote(cast(0));
      const columns =
        'service, site, player_id, name_id, received_at, day, channel, decision, weight, paid_elsewhere, identified_at, wire';
      const moved = ['cast_at', 'window_start', 'window_end'].map(
        (column) => `${column} + ${24 + hours} * ${HOUR}`,
      );
      // A vote is counted for parties between its decision and its row.
      ledger.sql(`CREATE TEMP TRIGGER other AFTER UPDATE ON parties BEGIN
        INSERT INTO votes (${columns}, cast_at, window_start, window_end) SELECT ${columns}, ${moved} FROM votes WHERE id = 1; END`);
      await expect(ledger.vote(cast(24))).rejects.toThrow(/window/);
      expect(await windows(ledger)).toBe('0–24');
    },
  );

  test('are shortened only if they overlap: any other error of the disk loses the vote, which is tried once', async () => {
    const ledger = await ledgers(THANKS);
    await ledger.vote(cast(0));
    await ledger.use(HALF);
    const repair = ledger.failing('INSERT ON votes');
    await expect(ledger.vote(cast(13))).rejects.toMatchObject({ code: 'ledger-failed' });
    repair();
    expect(await windows(ledger)).toBe('0–24');
    expect(await ledger.vote(cast(13))).toEqual(['rewarded']);
  });
});

describe('after a doubt about the clock', () => {
  /** The clock is right, and a moment later it is a day ahead: what comes then is dated by the believed time. */
  const right = { wall: START, monotonic: 0 };
  const ahead = { wall: START + DAY, monotonic: 0 };
  const found = (hours: number) =>
    cast(hours, { via: 'webhook', event: `E${hours}`, received: START, reading: right });

  test('votes keep their times and windows, and a later vote is rewarded if it is far enough from them by their times and by those that they would have by the released clock', async () => {
    const ledger = await ledgers(THANKS);
    await ledger.vote(found(-30));
    await ledger.vote(cast(24, { reading: ahead }));
    await ledger.release(START + 20 * HOUR);
    expect(await windows(ledger)).toBe('-30–-6 0–24');
    expect(await ledger.vote(cast(24), cast(44))).toEqual(['cooldown', 'rewarded']);
    expect((await ledger.votes())[2]).toMatchObject({ takenBy: 2, nextAt: START + 44 * HOUR });
    expect(await windows(ledger)).toBe('-30–-6 0–24 44–68');
  });

  test('votes of a clock that was released behind them are waited for', async () => {
    const ledger = await ledgers(THANKS);
    await ledger.vote(found(-26));
    await ledger.vote(cast(24, { reading: ahead }));
    await ledger.release(START - 10 * HOUR);
    expect(await windows(ledger)).toBe('-26–-2 0–24');
    expect(await ledger.vote(cast(13), cast(14), cast(24))).toEqual(['cooldown', 'cooldown', 'rewarded']);
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

/** No two rewarded votes are closer than 24 h, none is refused a free window, and each is recorded once. */
test.each([1, 2, 3, 4])('in any order of arrival each window is taken once (seed %i)', async (seed) => {
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
  while (order.length > 0) await ledger.vote(...order.splice(0, 1 + random.below(30)).map(({ one }) => one));
  const votes = await ledger.votes();
  expect(votes).toHaveLength(400);
  const rewarded = votes.filter(({ decision }) => decision === 'rewarded');
  const close = ({ id, recipient, site, castAt }: (typeof votes)[number]) =>
    rewarded
      .filter((other) => other.id !== id && other.recipient === recipient && other.site === site)
      .filter((other) => Math.abs(other.castAt - castAt) < DAY);
  expect(rewarded.filter((vote) => close(vote).length > 0)).toEqual([]);
  expect(votes.filter((vote) => vote.decision === 'cooldown' && close(vote).length === 0)).toEqual([]);
  expect(await ledger.grantStates()).toEqual({ pending: rewarded.length });
});
