import { describe, expect, test } from 'vitest';
import { EACH_VOTE, judgedIf } from '../kit/judged.ts';
import { type Cast, june, ledgers, NOON, reward, SECOND } from '../kit/ledgers.ts';

const on = (date: number, hour = 12, more: Partial<Cast> = {}): Cast => ({ at: june(date, hour), ...more });
const DAYS = { allSites: { sites: ['List'] } };

test('an occasion (rule 14) is granted to a vote that is stored at a second attempt, although its reward was new', async () => {
  const ledger = await ledgers({ rewards: [reward('first', { if: { firstVote: true } })] });
  const repair = ledger.failing('INSERT ON votes');
  await expect(ledger.vote(on(1))).rejects.toMatchObject({ code: 'ledger-failed' });
  repair();
  await ledger.vote(on(1));
  expect(await ledger.owed()).toEqual(['Steve first total 1: pending']);
});

test('an occasion (rule 14) is granted once by two processes, even if one of them does not know that the reward was renamed', async () => {
  const one = await ledgers({ sites: EACH_VOTE, rewards: [reward('daily', { if: DAYS })] });
  const other = await one.another();
  await one.vote(on(1));
  await other.vote(on(1, 13));
  await other.use({ sites: EACH_VOTE, rewards: [reward('renamed', { if: DAYS, was: ['daily'] })] });
  await other.vote(on(1, 14));
  expect(await one.owed()).toEqual(['Steve daily day 2026-06-01: pending']);
});

test('a limit of a renamed reward counts what its old name was granted, and not what a new reward of that name was', async () => {
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

describe('a limit', () => {
  const ONCE_A_DAY = { per: 'player', count: 1, within: 'day' };
  const daily = (limit: object | undefined, more: object = {}) => ({
    sites: EACH_VOTE,
    gameServers: { main: { kind: 'practice' }, hub: { kind: 'practice' } },
    rewards: [reward('daily', { servers: ['main'], ...(limit === undefined ? {} : { limit }), ...more })],
  });
  test('gives a vote one place, however many game servers it is paid on', async () => {
    const two = { per: 'player', count: 2, within: 'day' };
    const votes = [on(1, 0), on(1, 1), on(1, 2)];
    const ledger = await ledgers(daily(two, { servers: ['main', 'hub'] }));
    await ledger.vote(...votes);
    expect(await ledger.judged('daily')).toEqual(['granted', 'granted', 'limit']);
  });

  test('that is full says how many of how many, and keeps the occasion for a later vote', async () => {
    const party = { if: { allSites: { within: 'week', sites: ['List'] } } };
    const ledger = await ledgers(daily({ per: 'network', count: 1, within: 'day' }, party));
    await ledger.vote(on(1, 0), on(1, 1, { player: 'Alex' }), on(2, 1, { player: 'Alex' }));
    const week = ['week 2026-W23'];
    expect(await ledger.judged('daily')).toEqual([week, 'limit', week]);
    const facts = { granted: 1, count: 1, per: 'network', within: 'day' };
    expect((await ledger.votes())[1]?.reasons.get('daily')).toEqual({ code: 'limit', facts });
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
    for (const date of [1, 2]) {
      await ledger.use(daily(undefined));
      await ledger.vote(on(date, 0));
      await ledger.use(daily(ONCE_A_DAY));
      await ledger.vote(on(date, 1));
    }
    expect(await ledger.judged('daily')).toEqual(['granted', 'limit', 'granted', 'limit']);
  });
});

test('what a player has is fixed when the reward is granted, and kept with the grant', async () => {
  const figures =
    'say {votes} {votesSite} {streak} {bestStreak} {sitesLeft} {votesDay} {votesWeek} {votesMonth}';
  const commands = [figures, 'say {random 1..1} {occasion}'];
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
  const elsewhere = { if: { site: 'Other' } };
  const granted = [reward('daily "double"'), reward('lucky\\')];
  const others = [reward('__proto__', elsewhere), reward('10', elsewhere)];
  const ledger = await ledgers({ rewards: [...granted, ...others] });
  await ledger.vote({ at: NOON }, { at: NOON + SECOND });
  const [first, second] = await ledger.votes();
  const reasons = [...(first?.reasons ?? [])].map(([name, { code }]) => `${name}: ${code}`);
  expect(reasons).toEqual(['daily "double": granted', 'lucky\\: granted', '__proto__: site', '10: site']);
  expect(second).toMatchObject({ decision: 'cooldown' });
});

const LONG = Array.from({ length: 20 }, (_, n) => `${n}`.padEnd(120, '-'));

test.each<[string, readonly string[]]>([
  ['whose names are parts of each other', ['List.org', 'List']],
  ['on the day with 20 services of long names', [...LONG, 'List.org', 'List']],
  ['after a service whose name has a line break', ['B\nC', 'List', 'List.org']],
  ['that come again and again', ['List', 'List', 'List.org', 'List']],
])('all sites of a day are complete with services %s', async (_, services) => {
  const sites = { default: { cooldown: '1s' }, List: { cooldown: '1s' }, 'List.org': {} };
  const later = services.map((on, n) => ({ on, at: june(2, 1) + (n + 1) * 2 * SECOND }));
  const votes = [{ on: 'List', at: june(1, 23) }, ...later];
  const found = await judgedIf({ allSites: { sites: ['List', 'List.org'] } }, votes, { sites });
  expect(found.filter((one) => typeof one !== 'string')).toEqual([['day 2026-06-02']]);
});

const total = (more: object = {}, name = 'total') => reward(name, { if: { votes: { at: [2], ...more } } });

test('a vote that the operator voids no longer counts for all sites, nor as the last vote of a player who returns', async () => {
  const both = reward('both', { if: { allSites: { sites: ['List', 'Other'] } } });
  const ledger = await ledgers({ rewards: [both, reward('back', { if: { returning: '5d' } })] });
  await ledger.vote(on(1), on(9), on(10));
  await ledger.void(2, 3);
  await ledger.vote(on(10, 12, { on: 'Other' }));
  expect((await ledger.judged('both')).at(-1)).toBe('allSites');
  expect((await ledger.judged('back')).at(-1)).toEqual(['return 2026-06-10']);
});

test('a vote that the operator voids is not counted by the process that delivers, if another one voids it', async () => {
  const ledger = await ledgers({ rewards: [total()] });
  await ledger.startDelivering();
  await ledger.vote(on(1));
  await (await ledger.another()).void(1);
  await ledger.vote(on(2), on(3));
  expect(await ledger.judged('total')).toEqual(['votes', 'votes', ['total 2']]);
});

test.each([
  ['total', 'total 4'],
  ['site', 'site List total 4'],
  ['month', 'month 2026-06 total 4'],
  ['network', 'network 4'],
])(
  'a total that is reached again after a void is not granted if it was reached before the reward started: of the %s',
  async (of, occasion) => {
    const ledger = await ledgers();
    await ledger.vote(on(1), on(2), on(3));
    await ledger.use({ rewards: [total({ at: [2, 3, 4], of })] }, june(4, 0));
    await ledger.void(1, 2);
    await ledger.vote(on(4), on(5), on(6));
    expect((await ledger.judged('total')).slice(-3)).toEqual(['before-start', 'before-start', [occasion]]);
  },
);

test('a total that is reached again after a void is granted if the void came before the reward started', async () => {
  const ledger = await ledgers();
  await ledger.vote(on(1), on(2));
  await ledger.void(1);
  await ledger.use({ rewards: [total()] }, june(4, 0));
  await ledger.vote(on(4));
  expect((await ledger.judged('total')).at(-1)).toEqual(['total 2']);
});

test('a streak whose occasion also names a site and a week is paid once, also where a late vote reaches it on an earlier day', async () => {
  const streak = { length: 2, forgive: { missed: 1, in: 3 } };
  const weekly = [{ votes: { every: 1, of: 'week' } }];
  const ledger = await ledgers({
    sites: { List: {}, Other: {}, 'Third, and last': {} },
    rewards: [reward('keen', { if: { firstVote: 'site', streak, any: weekly } })],
  });
  const late = on(2, 12, { on: 'Third, and last', via: 'api', received: june(3, 13) });
  await ledger.vote(on(1), on(3, 12, { on: 'Other' }), late);
  expect(await ledger.owed()).toEqual([
    'Steve keen site Other total 1, streak 2 reached 2026-06-03, week 2026-W23 total 2: pending',
  ]);
});

test('a streak that was reached before the reward started is not paid because a vote of it was voided', async () => {
  const ledger = await ledgers();
  await ledger.vote(on(1), on(2), on(3));
  await ledger.use({ rewards: [reward('streak', { if: { streak: 3 } })] }, june(3, 0));
  await ledger.void(1);
  await ledger.vote(on(4));
  expect((await ledger.judged('streak')).at(-1)).toBe('before-start');
});

test.each([
  ['does not exist', 9, 'vote-missing'],
  ['is voided already', 1, 'vote-voided'],
])('if one of the votes %s, none is voided', async (_, id, code) => {
  const ledger = await ledgers();
  await ledger.vote(on(1), on(2));
  await ledger.void(1);
  expect(await ledger.void(2, id)).toEqual({ kind: 'refused', code, id });
  expect(await ledger.votes({ id: 2 })).toMatchObject([{ voided: null }]);
});

test('if a void cannot be stored completely, no total and no vote has changed', async () => {
  const ledger = await ledgers({ rewards: [total({ at: [4] })] });
  await ledger.vote(on(1), on(1, 12, { on: 'Other' }), on(1, 12, { player: 'Alex' }));
  const repair = ledger.failing('UPDATE OF weight ON votes WHEN NEW.id = 2');
  await expect(ledger.void(1, 2)).rejects.toMatchObject({ code: 'ledger-failed' });
  repair();
  expect((await ledger.votes()).map(({ voided }) => voided)).toEqual([null, null, null]);
  await ledger.vote(on(2), on(3));
  expect((await ledger.judged('total')).at(-1)).toEqual(['total 4']);
});
