import { statSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { playerKey } from '../../src/core/player-name.ts';
import type { LedgerOfTest } from '../kit/ledgers.ts';
import { DAY, dayOf, gameServers, HOUR, june, ledgers, MINUTE, NOON, reward } from '../kit/ledgers.ts';
import { Seeded } from '../support/seeded.ts';

type VoteFilter = Parameters<LedgerOfTest['votePage']>[0];
type VoteRow = Awaited<ReturnType<LedgerOfTest['votes']>>[number];
type GrantRow = Awaited<ReturnType<LedgerOfTest['grants']>>[number];
type GrantFilter = NonNullable<Parameters<LedgerOfTest['grants']>[0]>;

const SINCE = NOON + 6 * HOUR;
const UNTIL = NOON + 9 * HOUR + 1;
const VOTES = 60;

/**
 * Votes of three players for services with and without an entry of their own. Some were cast too early, some found their
 * window taken. Some grants are cancelled, some redirected, and the operator rewards old votes and gives rewards at the end.
 */
async function varied(): Promise<LedgerOfTest> {
  const SHORT = { cooldown: '1s' };
  const rewards = [reward('thanks'), reward('daily')];
  const ledger = await ledgers({ sites: { default: SHORT, List: SHORT }, rewards });
  const channels = ['listener-v1', 'listener-v2', 'api'] as const;
  for (let n = 0; n < VOTES; n++) {
    const received = NOON + Math.floor(n / 5) * HOUR + (n % 2);
    const player = n % 4 === 0 ? 'Alex' : n % 7 === 0 ? 'Herobrine' : 'Steve';
    const at = n % 6 === 0 ? received - 30 * DAY : received;
    const via = channels[(n + (n >> 3)) % 3] ?? 'api';
    const on = ['List', 'Twin', 'Other'][(n + (n >> 2)) % 3] ?? 'List';
    await ledger.vote({ player, at, received, via, on, event: `E${n}` });
  }
  await changeGrants(ledger);
  const unrewarded = (await ledger.votes()).filter(({ decision }) => decision !== 'rewarded');
  for (const { id } of unrewarded.filter((_, n) => n % 3 === 0)) await ledger.rewardLate(id, NOON + DAY);
  for (const player of ['Steve', 'Alex', 'Notch']) await ledger.give('thanks', player, '', NOON + DAY);
  return ledger;
}

async function changeGrants(ledger: LedgerOfTest): Promise<void> {
  for (const { id, player } of await ledger.grants()) {
    if (id % 5 === 0) await ledger.cancel(id);
    if (id % 5 !== 1) continue;
    await ledger.wait(id);
    if (id % 3 === 0) await ledger.pay(id, { to: player === 'Steve' ? 'Alex' : 'Steve' });
  }
}

/** Every combination of these choices. */
const combinations = <Filter extends object>(choices: readonly (readonly Filter[])[]): readonly Filter[] =>
  choices.reduce<readonly Filter[]>(
    (combined, options) => combined.flatMap((filter) => options.map((option) => ({ ...filter, ...option }))),
    [{} as Filter],
  );

/** With each filter the expected rows are found, up to any limit. @returns the keys of the filters that some match. */
async function expectFound<Filter extends object>(
  filters: readonly Filter[],
  expected: (filter: Filter) => readonly object[],
  find: (filter: Filter & { readonly limit: number }) => Promise<readonly object[]>,
): Promise<ReadonlySet<string>> {
  const shown = new Set<string>();
  for (const filter of filters) {
    const rows = expected(filter);
    if (rows.length > 0) shown.add(Object.keys(filter).join());
    // A limit above what matches shows the same as no limit.
    for (const limit of [...[1, 3].filter((few) => few <= rows.length), 1_000]) {
      const found = (await find({ ...filter, limit })).toReversed();
      expect(found, JSON.stringify({ ...filter, limit })).toEqual(rows.slice(0, limit));
    }
  }
  return shown;
}

const MATCHING: readonly (readonly Omit<VoteFilter, 'limit'>[])[] = [
  [{}, { recipient: 'STEVE' }, { recipient: 'alex' }, { recipient: 'Nobody' }],
  [{}, { site: 'List' }, { site: 'default' }, { site: 'Twin' }, { site: 'None' }],
  [{}, { decision: 'rewarded' }, { decision: 'cooldown' }, { decision: 'unlisted' }],
  [{}, { channel: 'api' }],
  [{}, { since: SINCE }],
  [{}, { until: UNTIL }],
];
const isVote = (filter: Omit<VoteFilter, 'limit'>) => (vote: VoteRow) =>
  (filter.id === undefined || vote.id === filter.id) &&
  (filter.recipient === undefined || vote.recipient === playerKey(filter.recipient)) &&
  (filter.site === undefined || vote.site === filter.site || vote.service === filter.site) &&
  (filter.decision === undefined || vote.decision === filter.decision) &&
  (filter.channel === undefined || vote.channel === filter.channel) &&
  (filter.since === undefined || vote.receivedAt >= filter.since) &&
  (filter.until === undefined || vote.receivedAt < filter.until) &&
  (filter.after === undefined || vote.id < filter.after);

test('the votes that match any filters are those that match each of them, newest first', async () => {
  const ledger = await varied();
  const votes = (await ledger.votes()).toReversed();
  expect(votes.map(({ id }) => id)).toEqual(Array.from({ length: VOTES }, (_, n) => VOTES - n));
  const filters = combinations<Omit<VoteFilter, 'limit'>>([...MATCHING, [{}, { after: 55 }, { id: 23 }]]);
  const shown = await expectFound(filters, (filter) => votes.filter(isVote(filter)), ledger.votes);
  expect(shown).toContain('recipient,site,decision,channel,since,after');
}, 60_000);

test('the pages of a search that ends after five votes have together all that match, and say where to go on', async () => {
  const ledger = await varied();
  const votes = (await ledger.votes()).toReversed();
  let cutShort = 0;
  for (const filter of combinations<Omit<VoteFilter, 'limit'>>(MATCHING)) {
    const found: VoteRow[] = [];
    for (let after: number | null = VOTES + 1; after !== null; ) {
      const page: Awaited<ReturnType<LedgerOfTest['votePage']>> = await ledger.votePage(
        { ...filter, after, limit: 3 },
        5,
      );
      expect([page.lookedAt <= 5, page.votes.length <= 3]).toEqual([true, true]);
      if (page.lookedAt === 5 && page.votes.length < 3) cutShort++;
      if (page.searchedTo !== null) expect(page.searchedTo).toBeLessThan(after);
      found.push(...page.votes);
      after = page.searchedTo;
    }
    expect(found, JSON.stringify(filter)).toEqual(votes.filter(isVote(filter)));
  }
  expect(cutShort).toBeGreaterThan(20);
}, 60_000);

test('the votes of a page are given with the number of their grants in each state', async () => {
  const ledger = await varied();
  const { votes } = await ledger.votePage({ limit: 20 }, 20);
  const counts = await ledger.grantsOfVotes(votes.map(({ id }) => id));
  const states = new Set<string>();
  for (const { id } of votes) {
    const expected = countsOf(await ledger.grants({ voteId: id }), ({ state }) => state);
    expect(counts.get(id) ?? {}, `vote ${id}`).toEqual(expected);
    for (const state of Object.keys(expected)) states.add(state);
  }
  expect(states).toEqual(new Set(['pending', 'waiting', 'cancelled']));
});

test('the grants that match any filters are those that match each of them, newest first', async () => {
  const ledger = await varied();
  const grants = (await ledger.grants()).toReversed();
  const votes = new Map((await ledger.votes()).map((vote) => [vote.id, vote]));
  /** Whom a grant was made for, whomever it was redirected to since. */
  const madeFor = ({ voteId, redirected, player }: GrantRow) =>
    voteId === null ? playerKey(redirected?.insteadOf ?? player ?? '') : votes.get(voteId)?.recipient;
  const isGrant = (filter: Omit<GrantFilter, 'limit'>) => (grant: GrantRow) =>
    (filter.id === undefined || grant.id === filter.id) &&
    (filter.voteId === undefined || grant.voteId === filter.voteId) &&
    (filter.recipient === undefined ||
      [grant.recipient, madeFor(grant)].includes(playerKey(filter.recipient))) &&
    (filter.given === undefined || grant.given !== null) &&
    (filter.state === undefined || grant.state === filter.state) &&
    (filter.reward === undefined || grant.reward === filter.reward) &&
    (filter.redirected === undefined || grant.redirected !== null) &&
    (filter.since === undefined || grant.createdAt >= filter.since) &&
    (filter.after === undefined || grant.id < filter.after);
  const filters = combinations<Omit<GrantFilter, 'limit'>>([
    [{}, { recipient: 'STEVE' }, { recipient: 'alex' }, { recipient: 'Notch' }, { recipient: 'Nobody' }],
    [{}, { state: 'pending' }, { state: 'waiting' }, { state: 'cancelled' }, { state: 'held' }],
    [{}, { reward: 'thanks' }, { reward: 'never' }],
    [{}, { redirected: true }, { given: true }],
    [{}, { since: SINCE }, { since: NOON + DAY }],
    [{}, { after: 60 }, { id: 36 }, { voteId: 18 }],
  ]);
  const shown = await expectFound(filters, (filter) => grants.filter(isGrant(filter)), ledger.grants);
  expect(shown).toContain('recipient,state,since,after');
  expect(shown).toContain('recipient,reward,redirected');
}, 60_000);

test('votes and grants since and until a time are right even if the clock was set back in between', async () => {
  const ledger = await ledgers({ rewards: [reward('thanks')] });
  const hours = [10, 15.5, 11, 12 + 1 / 6, 12 + 5 / 6];
  await ledger.vote(...hours.map((hour, n) => ({ player: `P${n}`, at: june(1, 0) + hour * HOUR })));
  const ids = async (filter: object) => (await ledger.votes(filter)).map(({ id }) => id);
  expect(await ids({ since: june(1, 12, 30) })).toEqual([2, 5]);
  expect(await ids({ until: june(1, 11, 30) })).toEqual([1, 3]);
  expect((await ledger.grants({ since: june(1, 12, 30) })).map(({ voteId }) => voteId)).toEqual([2, 5]);
  expect([await ids({ since: june(2, 0) }), await ledger.grants({ since: june(2, 0) })]).toEqual([[], []]);
});

/** How many there are of each kind. */
function countsOf<Row>(rows: readonly Row[], kindOf: (row: Row) => string): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const row of rows) counts[kindOf(row)] = (counts[kindOf(row)] ?? 0) + 1;
  return counts;
}
const withoutZeros = (pairs: readonly (readonly [string, number])[]) =>
  Object.fromEntries(pairs.filter(([, count]) => count > 0));

/** Votes in random order of players and sites over two days, with grants in every state. */
async function random(seed: number): Promise<LedgerOfTest> {
  const dice = new Seeded(seed);
  const HOURS = { cooldown: '4h' };
  const ledger = await ledgers({
    sites: { default: HOURS, List: HOURS, Other: HOURS },
    gameServers: gameServers('main', 'lobby'),
    rewards: [
      reward('plain', { servers: ['main'] }),
      reward('late', { delay: '10m', servers: ['main'] }),
      reward('both', { servers: ['main', 'lobby'] }),
    ],
  });
  let at = NOON;
  for (let n = 0; n < 120; n++) {
    at += dice.below(48 * MINUTE);
    const player = dice.pick(['Steve', 'Alex', 'Herobrine']);
    await ledger.vote({ player, on: dice.pick(['List', 'Other', 'New']), at });
  }
  for (const { id, state } of await ledger.grants()) {
    const what = dice.below(6);
    if (what === 1) await ledger.cancel(id);
    else if (what === 2) await ledger.wait(id, id % 2 === 0 ? 'main' : 'lobby');
    else if (what > 2 && state === 'pending') await ledger.send(id, what === 3 ? 'refused' : 'delivered');
  }
  await ledger.give('plain', 'Notch');
  return ledger;
}

describe('figures', () => {
  test.each([1, 2])('the sums of any votes and grants are those of themselves (seed %i)', async (seed) => {
    const ledger = await random(seed);
    const [votes, grants] = [await ledger.votes(), await ledger.grants()];
    const kindOf = ({ site, decision }: Pick<VoteRow, 'site' | 'decision'>) => `${site} ${decision}`;
    for (const range of ['1 999', '17 60', '9 9', '9 8']) {
      const [from = 0, to = 0] = range.split(' ').map(Number);
      const isIn = ({ id }: { readonly id: number }) => id >= from && id <= to;
      const ofVotes = (await ledger.voteSums({ from, to })).map((sum) => [kindOf(sum), sum.votes] as const);
      expect(withoutZeros(ofVotes)).toEqual(countsOf(votes.filter(isIn), kindOf));
      const ofGrants = await ledger.rewardSums({ from, to });
      const byReward = (rows: readonly GrantRow[]) => countsOf(rows.filter(isIn), (grant) => grant.reward);
      expect(withoutZeros(ofGrants.map((sum) => [sum.reward, sum.grants]))).toEqual(byReward(grants));
      const delivered = grants.filter(({ state }) => state === 'delivered');
      expect(withoutZeros(ofGrants.map((sum) => [sum.reward, sum.delivered]))).toEqual(byReward(delivered));
    }
    const states = countsOf(grants, ({ state }) => state);
    expect(await ledger.grantStates()).toEqual(states);
    expect(Object.keys(states).length).toBeGreaterThan(4);
  });

  test('the grants that are not done are counted by game server and state, up to a limit', async () => {
    const ledger = await random(4);
    const grants = await ledger.grants();
    const open = ['pending', 'waiting', 'held', 'refused'] as const;
    const expected = (server: string, most: number) => {
      const countOf = (state: string) =>
        grants.filter((one) => one.server === server && one.state === state).length;
      const counts = open.map((state) => [state, Math.min(most, countOf(state))]);
      return { server, ...Object.fromEntries(counts) };
    };
    const lengths = await ledger.queueLengths(1_000);
    for (const server of ['main', 'lobby']) expect(lengths).toContainEqual(expected(server, 1_000));
    expect(await ledger.queueLengths(1)).toContainEqual(expected('main', 1));
  });

  test('the size is that of the file with the bytes that are not in it yet', async () => {
    const ledger = await ledgers({ rewards: [reward('thanks')] });
    const empty = await ledger.size();
    await ledger.vote(...Array.from({ length: 500 }, (_, n) => ({ player: `P${n}` })));
    const bytes = await ledger.size();
    expect([bytes > empty, bytes % 4_096]).toEqual([true, 0]);
    expect(statSync(ledger.file).size).toBeLessThan(bytes);
    ledger.sql('PRAGMA wal_checkpoint(TRUNCATE)');
    expect(statSync(ledger.file).size).toBe(bytes);
  });

  test('the revision changes with each change, also of another process, and stays otherwise', async () => {
    const ledger = await ledgers({ rewards: [reward('thanks')] });
    const other = await ledger.another();
    const seen = new Set([await ledger.revision()]);
    await other.votes();
    seen.add(await ledger.revision());
    expect(seen.size).toBe(1);
    const changes = [() => ledger.vote({}), () => ledger.cancel(1), () => other.vote({ player: 'Alex' })];
    for (const change of changes) {
      await change();
      seen.add(await ledger.revision());
      seen.add(await ledger.revision());
    }
    expect(seen.size).toBe(4);
  });

  test('the first vote and grant of a time are the first that came then or later; a void changes sums', async () => {
    const ledger = await ledgers({ rewards: [reward('thanks')] });
    expect(await ledger.firstVotes([0, NOON])).toEqual([1, 1]);
    await ledger.vote(...[0, 2, 2, 5].map((hours, n) => ({ player: `P${n}`, at: NOON + hours * HOUR })));
    const asked = [NOON - 1, NOON, NOON + 1, NOON + 2 * HOUR, NOON + 3 * HOUR, NOON + 6 * HOUR];
    expect([await ledger.firstVotes(asked), await ledger.firstGrants(asked)]).toEqual(
      Array(2).fill([1, 1, 2, 2, 4, 5]),
    );
    const before = await ledger.decisionChanges();
    await ledger.cancel(1);
    expect(await ledger.decisionChanges()).toBe(before);
    await ledger.void(1);
    expect(await ledger.decisionChanges()).not.toBe(before);
  });

  test('those with the most votes are found, in order, under the name of their latest vote', async () => {
    const ledger = await ledgers();
    const players = ['steve', 'Alex', 'Notch', 'Alex', 'STEVE', 'Alex'];
    await ledger.vote(...players.map((player, n) => ({ player, at: NOON + n * DAY })));
    const totals = [
      { recipientId: 2, kind: 'player', name: 'Alex', votes: 3 },
      { recipientId: 1, kind: 'player', name: 'STEVE', votes: 2 },
      { recipientId: 3, kind: 'player', name: 'Notch', votes: 1 },
    ];
    expect(await ledger.totals(9)).toEqual(totals);
    expect(await ledger.totals(2)).toEqual(totals.slice(0, 2));
  });
});

describe('the figures of a player', () => {
  const figuresOn = async (ledger: LedgerOfTest, date: number, name = 'steve') =>
    ledger.playerFigures({ kind: 'player', key: name }, dayOf(date));
  const on = (date: number, more: object = {}) => ({ at: june(date), ...more });
  const run = (from: number, to: number) => ({ from: dayOf(from), to: dayOf(to) });

  test('are their votes in total and in the day, week and month, without those that were voided', async () => {
    const ledger = await ledgers();
    const other = { on: 'Other' };
    await ledger.vote(on(1), on(8), on(9), on(9, other), on(9, other), on(10, { player: 'Alex' }));
    const counts = { total: 4, day: 2, week: 3, month: 4 };
    expect(await figuresOn(ledger, 9)).toEqual({ counts, streak: run(8, 9), bestStreak: 2 });
    expect(await figuresOn(ledger, 40)).toMatchObject({ counts: { total: 4, day: 0, week: 0, month: 0 } });
    await ledger.void(2);
    expect(await figuresOn(ledger, 9)).toMatchObject({ counts: { total: 3 }, streak: run(9, 9) });
  });

  test('have a streak that goes on until the end of the day after its last', async () => {
    const ledger = await ledgers();
    await ledger.vote(on(3), on(4), on(5));
    for (const date of [5, 6]) expect(await figuresOn(ledger, date)).toMatchObject({ streak: run(3, 5) });
    expect(await figuresOn(ledger, 7)).toMatchObject({ streak: null, bestStreak: 3 });
  });

  test('are those of all names of the player, and null for a name that was never seen', async () => {
    const ledger = await ledgers();
    await ledger.vote(on(1, { player: 'Alex' }), on(2, { player: 'Sasha' }));
    await ledger.merge('Sasha', 'Alex');
    for (const name of ['alex', 'sasha'])
      expect(await figuresOn(ledger, 2, name)).toMatchObject({ counts: { total: 2 }, streak: run(1, 2) });
    expect(await figuresOn(ledger, 2, 'nobody')).toBe(null);
  });

  test.each([
    ['in the order of days', [1, 2, 4, 5, 6], run(4, 6), 3],
    ['with a day that joins two runs', [1, 2, 4, 5, 3], run(1, 5), 5],
    ['with days before the latest run', [6, 1, 5, 2], run(5, 6), 2],
    ['with a day that lengthens an earlier run on either side', [9, 3, 4, 2], run(9, 9), 3],
    ['with the same day again', [4, 4, 5], run(4, 5), 2],
  ])('have runs of days whatever order they come in: %s', async (_, dates, streak, bestStreak) => {
    const ledger = await ledgers();
    await ledger.vote(...dates.map((date) => on(date)));
    expect(await figuresOn(ledger, Math.max(...dates))).toMatchObject({ streak, bestStreak });
  });
});

const vote = (on: string, at: number) => ({ on, at, player: `P${at}` });

test('the times at which votes came are said of some services, since an hour, without those that the operator added', async () => {
  const ledger = await ledgers();
  const none = () => ledger.receipts(['One'], null, NOON + 2 * HOUR);
  expect(await none()).toEqual({ byService: {}, upTo: 0, isLast: true });
  await ledger.vote(vote('One', NOON - HOUR), vote('One', NOON), vote('Two', NOON + 1));
  await ledger.vote(vote('Three', NOON + 2), vote('One', NOON + 3));
  await ledger.vote({ ...vote('One', NOON + 4), via: 'operator' });
  expect(await none()).toEqual({ byService: {}, upTo: 6, isLast: true });
  const services = ['One', 'Two', 'None'];
  const found = async (after: number | null, since: number) =>
    (await ledger.receipts(services, after, since)).byService;
  expect(await found(null, NOON + HOUR / 2)).toEqual({ One: [NOON, NOON + 3], Two: [NOON + 1] });
  expect([await found(4, 0), await found(6, 0)]).toEqual([{ One: [NOON + 3] }, {}]);
});

test('the times at which votes came are read in portions', async () => {
  const ledger = await ledgers();
  const votes = Array.from({ length: 2_100 }, (_, n) => ({ player: `P${n}`, at: NOON + n }));
  await ledger.vote(...votes);
  const read: number[] = [];
  for (let page = await ledger.receipts(['List'], null, NOON); ; ) {
    read.push(...(page.byService.List ?? []));
    if (page.isLast) break;
    page = await ledger.receipts(['List'], page.upTo, NOON);
  }
  expect(read).toEqual(votes.map(({ at }) => at));
});
