import { expect, test } from 'vitest';
import { HOUR_MS } from '../../src/core/duration.ts';
import { NO_OCCASION } from '../../src/core/occasion.ts';
import { type PlayerName, playerKey } from '../../src/core/player-name.ts';
import type { Channel } from '../../src/core/vote.ts';
import type {
  GrantFilter,
  GrantRow,
  Ledger,
  VoteFilter,
  VotePage,
  VoteRow,
} from '../../src/ledger/ledger.ts';
import { ALL_WON } from '../../src/rewards/draws.ts';
import { freshLedger, record, rulesFor, THANKS } from '../support/ledgers.ts';
import { arrival, at, DAY } from '../support/votes.ts';

const NOON = at('2026-06-01T12:00:00Z');
const SINCE = NOON + 7 * HOUR_MS;
const UNTIL = NOON + 9 * HOUR_MS + 1;
const VOTES = 60;
const ALL = 1_000;
/** A limit above what matches shows the same as no limit. */
const limitsFor = ({ length }: readonly object[]) => [...[1, 3].filter((limit) => limit <= length), ALL];

const NAMES = [
  { service: 'List', site: 'List' },
  { service: 'Twin', site: 'List' },
  { service: 'List', site: 'default' },
  { service: 'Other', site: 'default' },
];

const CHANNELS: readonly Channel[] = ['listener-v1', 'listener-v2', 'api'];

/**
 * Votes of three players for services with and without an entry of their own. Some were cast too early, some found their
 * window taken. Some grants are cancelled, some redirected, and the operator rewards old votes at the end.
 */
async function variedLedger(): Promise<Ledger> {
  const { ledger } = freshLedger();
  const arrivals = Array.from({ length: VOTES }, (_, n) => {
    const receivedAt = NOON + Math.floor(n / 5) * HOUR_MS + (n % 2);
    const player = n % 4 === 0 ? 'Alex' : n % 7 === 0 ? 'Herobrine' : 'Steve';
    const castAt = n % 6 === 0 ? receivedAt - 30 * DAY : receivedAt;
    const name = NAMES[(n + (n >> 2)) % NAMES.length];
    const channel = CHANNELS[(n + (n >> 3)) % CHANNELS.length] as Channel;
    return arrival({ player, cooldownMs: 2, receivedAt, castAt, claim: null, channel, ...name });
  });
  await record(ledger, arrivals, rulesFor(THANKS, { ...THANKS, name: 'daily' }));
  await changeGrants(ledger);
  const unrewarded = (await ledger.votes({ limit: ALL })).filter(({ decision }) => decision !== 'rewarded');
  const by = {
    site: 'default',
    cooldown: { kind: 'span', ms: 2 },
    rules: rulesFor(THANKS),
    draws: ALL_WON,
  } as const;
  for (const { id } of unrewarded.filter((_, n) => n % 3 === 0)) {
    await ledger.rewardVote(id, by, NOON + DAY);
  }
  for (const player of ['Steve', 'Alex', 'Notch'] as PlayerName[]) {
    const given = { reward: THANKS, player, occasion: NO_OCCASION, by: 'ann', ...by };
    const result = await ledger.giveReward(given, NOON + DAY);
    if (player !== 'Steve' || result.kind !== 'given') continue;
    const [id = 0] = result.grantIds;
    await ledger.wait({ id, server: 'main' }, { code: 'player-offline' }, NOON + DAY);
    const to = 'Alex' as PlayerName;
    await ledger.pay(id, { texts: null, by: 'ann', kindByServer: new Map(), to }, NOON + DAY);
  }
  return ledger;
}

async function changeGrants(ledger: Ledger): Promise<void> {
  for (const { id, player } of await ledger.grants({ limit: ALL })) {
    if (id % 5 === 0) await ledger.cancel(id, { by: 'ann' }, NOON);
    if (id % 5 !== 1) continue;
    const to = (player === 'Steve' ? 'Alex' : 'Steve') as PlayerName;
    await ledger.wait({ id, server: 'main' }, { code: 'player-offline' }, NOON);
    if (id % 3 === 0) await ledger.pay(id, { texts: null, by: 'ann', kindByServer: new Map(), to }, NOON);
  }
}

/** Every combination of these choices. */
const combinations = <Filter extends object>(choices: readonly (readonly Filter[])[]): readonly Filter[] =>
  choices.reduce<readonly Filter[]>(
    (combined, options) => combined.flatMap((filter) => options.map((option) => ({ ...filter, ...option }))),
    [{} as Filter],
  );

/** What a vote can be searched by. */
const MATCHING: readonly (readonly Omit<VoteFilter, 'limit'>[])[] = [
  [{}, { recipient: 'STEVE' }, { recipient: 'alex' }, { recipient: 'Nobody' }],
  [{}, { site: 'List' }, { site: 'default' }, { site: 'Twin' }, { site: 'None' }],
  [{}, { decision: 'rewarded' }, { decision: 'cooldown' }, { decision: 'too-old' }],
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
  const ledger = await variedLedger();
  const votes = await ledger.votes({ limit: ALL });
  expect(votes.map(({ id }) => id)).toEqual(Array.from({ length: VOTES }, (_, n) => VOTES - n));
  const filters = combinations<Omit<VoteFilter, 'limit'>>([...MATCHING, [{}, { after: 55 }, { id: 23 }]]);
  const shown = new Set<string>();
  for (const filter of filters) {
    const expected = votes.filter(isVote(filter));
    if (expected.length > 0) shown.add(Object.keys(filter).join());
    for (const limit of limitsFor(expected)) {
      const found = await ledger.votes({ ...filter, limit });
      expect(found, JSON.stringify({ ...filter, limit })).toEqual(expected.slice(0, limit));
    }
  }
  expect(shown).toContain('recipient,site,decision,channel,since,after');
  expect(shown).toContain('recipient,site,decision,channel,since,until,after');
});

test('the pages of a search that ends after five votes have together all that match, and say where to go on', async () => {
  const ledger = await variedLedger();
  const votes = await ledger.votes({ limit: ALL });
  let cutShort = 0;
  for (const filter of combinations<Omit<VoteFilter, 'limit'>>(MATCHING)) {
    const found: VoteRow[] = [];
    for (let after: number | null = VOTES + 1; after !== null; ) {
      const page: VotePage = await ledger.votePage({ ...filter, after, limit: 3 }, 5);
      expect(page.lookedAt).toBeLessThanOrEqual(5);
      expect(page.votes.length).toBeLessThanOrEqual(3);
      if (page.lookedAt === 5 && page.votes.length < 3) cutShort++;
      if (page.searchedTo !== null) expect(page.searchedTo).toBeLessThan(after);
      found.push(...page.votes);
      after = page.searchedTo;
    }
    expect(found, JSON.stringify(filter)).toEqual(votes.filter(isVote(filter)));
  }
  expect(cutShort).toBeGreaterThan(20);
});

test('the votes of a page are given with the number of their grants in each state', async () => {
  const ledger = await variedLedger();
  const { votes } = await ledger.votePage({ limit: 20 }, 20);
  const counts = await ledger.grantsOfVotes(votes.map(({ id }) => id));
  const states = new Set<string>();
  for (const { id } of votes) {
    const grants = await ledger.grants({ voteId: id, limit: ALL });
    const expected: Record<string, number> = {};
    for (const { state } of grants) expected[state] = (expected[state] ?? 0) + 1;
    expect(counts.get(id) ?? {}, `vote ${id}`).toEqual(expected);
    for (const state of Object.keys(expected)) states.add(state);
  }
  expect(states).toEqual(new Set(['pending', 'waiting', 'cancelled']));
  expect(counts.size).toBeLessThan(20);
});

/** The key of the recipient that a grant was made for, whomever it was redirected to since. */
const madeFor = ({ voteId, redirected, player }: GrantRow, votes: ReadonlyMap<number, VoteRow>) =>
  voteId === null ? playerKey(redirected?.insteadOf ?? player ?? '') : votes.get(voteId)?.recipient;

const isGrant = (filter: Omit<GrantFilter, 'limit'>, votes: ReadonlyMap<number, VoteRow>) => {
  const key = filter.recipient === undefined ? undefined : playerKey(filter.recipient);
  return (grant: GrantRow) =>
    (filter.id === undefined || grant.id === filter.id) &&
    (filter.voteId === undefined || grant.voteId === filter.voteId) &&
    (key === undefined || grant.recipient === key || madeFor(grant, votes) === key) &&
    (filter.given === undefined || grant.given !== null) &&
    (filter.state === undefined || grant.state === filter.state) &&
    (filter.reward === undefined || grant.reward === filter.reward) &&
    (filter.redirected === undefined || grant.redirected !== null) &&
    (filter.since === undefined || grant.createdAt >= filter.since) &&
    (filter.after === undefined || grant.id < filter.after);
};

test('the grants that match any filters are those that match each of them, newest first', async () => {
  const ledger = await variedLedger();
  const grants = await ledger.grants({ limit: ALL });
  const votes = new Map((await ledger.votes({ limit: ALL })).map((vote) => [vote.id, vote]));
  const late = grants.filter(({ voteId }) => votes.get(voteId ?? 0)?.operatorRewardedAt !== null);
  expect(late.length).toBeGreaterThan(3);
  expect(late).toEqual(grants.slice(0, late.length));
  const filters = combinations<Omit<GrantFilter, 'limit'>>([
    [{}, { recipient: 'STEVE' }, { recipient: 'alex' }, { recipient: 'Notch' }, { recipient: 'Nobody' }],
    [{}, { state: 'pending' }, { state: 'waiting' }, { state: 'cancelled' }, { state: 'held' }],
    [{}, { reward: 'thanks' }],
    [{}, { redirected: true }, { given: true }],
    [{}, { since: SINCE }, { since: NOON + DAY }],
    [{}, { after: 80 }, { id: 36 }, { voteId: 18 }],
  ]);
  const shown = new Set<string>();
  for (const filter of filters) {
    const expected = grants.filter(isGrant(filter, votes));
    if (expected.length > 0) shown.add(Object.keys(filter).join());
    for (const limit of limitsFor(expected)) {
      const found = await ledger.grants({ ...filter, limit });
      expect(found, JSON.stringify({ ...filter, limit })).toEqual(expected.slice(0, limit));
    }
  }
  expect(shown).toContain('recipient,state,reward,redirected,after');
  expect(shown).toContain('recipient,state,since,after');
  expect(shown).toContain('recipient,state,given,since');
});
