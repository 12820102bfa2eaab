import { describe, expect, test } from 'vitest';
import { EACH_VOTE, judgedIf } from '../kit/judged.ts';
import { type Cast, june, ledgers, NOON, reward, SECOND } from '../kit/ledgers.ts';

const on = (date: number, hour = 12, more: Partial<Cast> = {}): Cast => ({ at: june(date, hour), ...more });
const IN_24_HOURS = { sites: { default: {}, List: {}, Other: {} } };
const DAYS = { allSites: { sites: ['List'] } };

describe('an occasion (rule 14)', () => {
  test('is granted once for each player and reward', async () => {
    const rewards = ['first', 'again'].map((name) => reward(name, { if: { firstVote: 'day' } }));
    const ledger = await ledgers({ rewards });
    await ledger.vote(on(1), on(1, 12, { player: 'Alex' }), on(1, 12, { on: 'Other' }));
    const once = ['day 2026-06-01 total 1'];
    expect(await ledger.judged('first')).toEqual([once, once, 'firstVote']);
    expect(await ledger.grantStates()).toEqual({ pending: 4 });
  });

  test('of the network is granted once in all', async () => {
    const votes = [on(1), on(1, 12, { player: 'Alex' }), on(1, 12, { player: 'Ben' }), on(2)];
    expect(await judgedIf({ votes: { every: 2, of: 'network' } }, votes)).toEqual([
      'votes',
      ['network 2'],
      'votes',
      ['network 4'],
    ]);
  });

  test('is spent by a chance that is lost, and by nothing else that does not hold', async () => {
    const lucky = { rewards: [reward('r', { if: { ...DAYS, chance: '50%' } })], sites: EACH_VOTE };
    const outcomes = new Set<string>();
    for (let seed = 0; seed < 8; seed++) {
      const ledger = await ledgers(lucky);
      await ledger.vote(on(1, 12, { seed }), on(1, 13, { seed: seed + 1 }));
      outcomes.add(JSON.stringify(await ledger.judged('r')));
    }
    expect([...outcomes].toSorted()).toEqual([
      '["chance","occasion-spent"]',
      '[["day 2026-06-01"],"occasion-spent"]',
    ]);
  });

  test('is granted to a vote that is stored at a second attempt, although its reward was new', async () => {
    const ledger = await ledgers({ rewards: [reward('first', { if: { firstVote: true } })] });
    const repair = ledger.failing('INSERT ON votes');
    await expect(ledger.vote(on(1))).rejects.toMatchObject({ code: 'ledger-failed' });
    repair();
    await ledger.vote(on(1));
    expect(await ledger.owed()).toEqual(['Steve first total 1: pending']);
  });

  test('is granted once by two processes, even if one of them does not know that the reward was renamed', async () => {
    const one = await ledgers({ sites: EACH_VOTE, rewards: [reward('daily', { if: DAYS })] });
    const other = await one.another();
    await one.vote(on(1));
    await other.vote(on(1, 13));
    await other.use({ sites: EACH_VOTE, rewards: [reward('renamed', { if: DAYS, was: ['daily'] })] });
    await other.vote(on(1, 14));
    expect(await one.owed()).toEqual(['Steve daily day 2026-06-01: pending']);
  });
});

describe('a vote within the cooldown', () => {
  test('marks its day, so that it completes a streak, and enters no total', async () => {
    const votes = [on(1, 20), on(2, 10)];
    expect(await judgedIf({ streak: 2 }, votes, IN_24_HOURS)).toEqual([
      'streak',
      ['streak 2 reached 2026-06-02'],
    ]);
    expect(await judgedIf({ votes: { every: 2 } }, votes, IN_24_HOURS)).toEqual(['votes', undefined]);
  });

  test('completes all sites', async () => {
    const votes = [on(1, 20, { on: 'Other' }), on(2, 9), on(2, 10, { on: 'Other' })];
    expect(await judgedIf({ allSites: { sites: ['List', 'Other'] } }, votes, IN_24_HOURS)).toEqual([
      'allSites',
      'allSites',
      ['day 2026-06-02'],
    ]);
  });

  test('is counted where the site counts all', async () => {
    const counting = { sites: { List: { counts: 'all' } } };
    const votes = [on(1), on(1, 13), on(2, 14)];
    expect(await judgedIf({ votes: { every: 2 } }, votes, counting)).toEqual(['votes', ['total 2'], 'votes']);
  });
});

test('a vote that is too old marks its day, and one from before the start marks nothing', async () => {
  const votes = (unrewarded: 'too-old' | 'before-start') => [on(1, 12, { unrewarded }), on(2)];
  expect(await judgedIf({ streak: 2 }, votes('too-old'))).toEqual([
    'streak',
    ['streak 2 reached 2026-06-02'],
  ]);
  expect(await judgedIf({ streak: 2 }, votes('before-start'))).toEqual([undefined, 'streak']);
});

describe('a reward', () => {
  test('that starts later pays nothing that was reached before, and counts earlier votes', async () => {
    const ledger = await ledgers();
    await ledger.vote(on(1), on(2), on(3));
    const total = reward('total', { if: { votes: { at: [3, 4] } } });
    const streak = reward('streak', { if: { streak: { length: 2, repeat: true } } });
    await ledger.use({ rewards: [total, streak] }, june(3));
    await ledger.vote(on(4));
    expect((await ledger.judged('total')).at(-1)).toEqual(['total 4']);
    expect((await ledger.judged('streak')).at(-1)).toEqual(['streak 4 reached 2026-06-04']);
  });

  test('with another name carries on what its old name was granted, which another reward of that name does not', async () => {
    const [old, renamed] = [reward('old', { if: DAYS }), reward('new', { if: DAYS, was: ['old'] })];
    const ledger = await ledgers({ sites: EACH_VOTE, rewards: [old] });
    await ledger.vote(on(1));
    await ledger.use({ sites: EACH_VOTE, rewards: [renamed] });
    await ledger.vote(on(1, 13));
    await ledger.use({ sites: EACH_VOTE, rewards: [renamed, old] });
    await ledger.vote(on(1, 14));
    expect((await ledger.judged('new')).slice(1)).toEqual(['occasion-spent', 'occasion-spent']);
    expect((await ledger.judged('old')).at(-1)).toEqual(['day 2026-06-01']);
  });

  test('that gets a limit after it was renamed counts what its old name was granted, and not what a new reward of that name was', async () => {
    const limit = { per: 'player', count: 1, within: 'ever' };
    const [old, limited] = [reward('crate'), reward('box', { was: ['crate'], limit })];
    const ledger = await ledgers({ rewards: [old] });
    const onDay = async (date: number, ...rewards: readonly object[]) => {
      await ledger.use({ rewards }, june(date));
      await ledger.vote(on(date));
      return (await ledger.grants({ voteId: date })).map((grant) => grant.reward);
    };
    expect(await onDay(1, old)).toEqual(['crate']);
    expect(await onDay(2, reward('box', { was: ['crate'] }))).toEqual(['box']);
    expect(await onDay(3, limited, old)).toEqual(['crate']);
    expect(await onDay(4, limited, reward('crate', { limit }))).toEqual([]);
    expect(await onDay(5, reward('crate', { limit: { ...limit, count: 2 } }))).toEqual(['crate']);
  });
});

describe('a limit', () => {
  const ONCE_A_DAY = { per: 'player', count: 1, within: 'day' };
  const daily = (limit: object | undefined, more: object = {}) => ({
    sites: EACH_VOTE,
    gameServers: { main: { kind: 'practice' }, hub: { kind: 'practice' } },
    rewards: [reward('daily', { servers: ['main'], ...(limit === undefined ? {} : { limit }), ...more })],
  });
  /** Whether each vote is granted the reward. */
  async function granted(limit: object, votes: readonly Cast[], more: object = {}) {
    const ledger = await ledgers(daily(limit, more));
    await ledger.vote(...votes);
    return (await ledger.judged('daily')).map((one) =>
      typeof one === 'string' && one !== 'granted' ? one : true,
    );
  }

  test.each<[string, object, Cast[], unknown[]]>([
    [
      'of one a day for each player is full until the next day',
      ONCE_A_DAY,
      [on(1, 0), on(1, 23), on(1, 12, { player: 'Alex' }), on(2, 0)],
      [true, 'limit', true, true],
    ],
    [
      'for the network counts the votes of all players',
      { per: 'network', count: 2, within: 'ever' },
      [on(1, 0), on(1, 1, { player: 'Alex' }), on(1, 2, { player: 'Ben' })],
      [true, true, 'limit'],
    ],
    [
      'goes by cast times, so a late vote has a place on its own day',
      ONCE_A_DAY,
      [on(2), on(1), on(1, 13)],
      [true, true, 'limit'],
    ],
    [
      'of a week counts from Monday to Sunday',
      { per: 'player', count: 2, within: 'week' },
      [on(1), on(7, 23), on(3), on(8, 0)],
      [true, true, 'limit', true],
    ],
    [
      'of a month counts from its first day to its last',
      { per: 'player', count: 2, within: 'month' },
      [on(1, 0), on(30, 23), on(8), on(31, 0)],
      [true, true, 'limit', true],
    ],
    [
      'in 24 hours has no place for a vote that would make any 24 hours contain too many',
      { per: 'player', count: 1, within: '24h' },
      [on(1), on(3, 11), on(2, 11), on(2, 12)],
      [true, true, 'limit', 'limit'],
    ],
    [
      'in 24 hours is free exactly 24 hours before and after a vote, and not an hour nearer',
      { per: 'player', count: 1, within: '24h' },
      [on(5), on(6, 11), on(6, 12), on(4, 13), on(4, 12)],
      [true, 'limit', true, 'limit', true],
    ],
    [
      'of two in 24 hours has a place between two votes that are not in the same 24 hours',
      { per: 'player', count: 2, within: '24h' },
      [on(1, 16), on(3, 8), on(2, 12), on(2, 13)],
      [true, true, true, 'limit'],
    ],
  ])('%s', async (_, limit, votes, expected) => {
    expect(await granted(limit, votes)).toEqual(expected);
  });

  test('gives a vote one place, however many game servers it is paid on', async () => {
    const two = { per: 'player', count: 2, within: 'day' };
    const votes = [on(1, 0), on(1, 1), on(1, 2)];
    expect(await granted(two, votes, { servers: ['main', 'hub'] })).toEqual([true, true, 'limit']);
  });

  test('that is full says how many of how many, and keeps the occasion for a later vote', async () => {
    const party = { if: { allSites: { within: 'week', sites: ['List'] } } };
    const ledger = await ledgers(daily({ per: 'network', count: 1, within: 'day' }, party));
    await ledger.vote(on(1, 0), on(1, 1, { player: 'Alex' }), on(2, 1, { player: 'Alex' }));
    const week = ['week 2026-W23'];
    expect(await ledger.judged('daily')).toEqual([week, 'limit', week]);
    expect((await ledger.votes())[1]?.reasons.get('daily')).toEqual({
      code: 'limit',
      facts: { granted: 1, count: 1, per: 'network', within: 'day' },
    });
  });

  test('has a free place again for a grant that was cancelled before its first command', async () => {
    const ledger = await ledgers(daily(ONCE_A_DAY));
    await ledger.vote(on(1, 0), on(1, 1));
    await ledger.cancel(1);
    await ledger.vote(on(1, 2), on(1, 3));
    expect(await ledger.judged('daily')).toEqual(['granted', 'limit', 'granted', 'limit']);
  });

  test('that is added later, or again, counts what was granted without it', async () => {
    const ledger = await ledgers(daily(undefined));
    for (const [limit, date, hour] of [
      [undefined, 1, 0],
      [ONCE_A_DAY, 1, 1],
      [undefined, 2, 0],
      [ONCE_A_DAY, 2, 1],
    ] as const) {
      await ledger.use(daily(limit));
      await ledger.vote(on(date, hour));
    }
    expect(await ledger.judged('daily')).toEqual(['granted', 'limit', 'granted', 'limit']);
  });
});

test('what a player has is fixed when the reward is granted, and kept with the grant', async () => {
  const commands = [
    'say {votes} {votesSite} {streak} {bestStreak} {sitesLeft} {votesDay} {votesWeek} {votesMonth}',
    'say {random 1..1} {occasion}',
  ];
  const ledger = await ledgers({ rewards: [reward('told', { commands })] });
  await ledger.vote(on(1), on(2), on(4), on(4, 12, { on: 'Other' }));
  const grants = await ledger.grants();
  expect(grants.map((grant) => grant.commands.map(({ command }) => command))).toEqual([
    ['say 1 1 1 1 1 1 1 1', 'say 1 '],
    ['say 2 2 2 2 1 1 2 2', 'say 1 '],
    ['say 3 3 1 2 1 1 3 3', 'say 1 '],
    ['say 4 1 1 2 0 2 4 4', 'say 1 '],
  ]);
  expect(grants[3]?.filled.figures).toMatchObject({ votes: 4, votesSite: 1, bestStreak: 2, occasion: '' });
});

test('the reason of every reward is stored with its vote, whatever the reward is called', async () => {
  const rewards = ['daily "double"', '__proto__', 'lucky\\', '10'].map((name, at) =>
    reward(name, at % 2 === 0 ? {} : { if: { site: 'Other' } }),
  );
  const ledger = await ledgers({ rewards });
  await ledger.vote({ at: NOON }, { at: NOON + SECOND });
  const [first, second] = await ledger.votes();
  expect([...(first?.reasons ?? [])].map(([name, { code }]) => [name, code])).toEqual([
    ['daily "double"', 'granted'],
    ['__proto__', 'site'],
    ['lucky\\', 'granted'],
    ['10', 'site'],
  ]);
  expect(second).toMatchObject({ decision: 'cooldown' });
});

test('reasons of a vote that was lost with its transaction do not mix up those of the next one', async () => {
  const ledger = await ledgers({ rewards: [reward('daily')] });
  const repair = ledger.failing('INSERT ON votes');
  await expect(ledger.vote(on(1))).rejects.toThrow();
  repair();
  await ledger.use({ rewards: [reward('other', { if: { site: 'Other' } }), reward('daily')] });
  await ledger.vote(on(1));
  expect((await ledger.votes())[0]?.reasons).toEqual(
    new Map([
      ['other', { code: 'site' }],
      ['daily', { code: 'granted' }],
    ]),
  );
});

test.each<[string, readonly string[]]>([
  ['whose names are parts of each other', ['List.org', 'List']],
  [
    'on the day with 20 services of long names',
    [...Array.from({ length: 20 }, (_, n) => `${n}`.padEnd(120, '-')), 'List.org', 'List'],
  ],
  ['after a service whose name has a line break', ['B\nC', 'List', 'List.org']],
  ['that come again and again', ['List', 'List', 'List.org', 'List']],
])('all sites of a day are complete with services %s', async (_, services) => {
  const sites = { default: { cooldown: '1s' }, List: { cooldown: '1s' }, 'List.org': {} };
  const votes = ['List', ...services].map((service, n) => ({
    on: service,
    at: n === 0 ? june(1, 23) : june(2, 1) + n * 2 * SECOND,
  }));
  const found = await judgedIf({ allSites: { sites: ['List', 'List.org'] } }, votes, { sites });
  expect(found.filter((one) => typeof one !== 'string')).toEqual([['day 2026-06-02']]);
});
