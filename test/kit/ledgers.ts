/**
 * A ledger without the rest of Teller, for what nobody sees at once: which grants are due, what two processes do to one file,
 * what a doubted clock leaves. Configs are written as operators write them, and times are milliseconds.
 */
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { Config } from '../../src/config/config.ts';
import { examineText } from '../../src/config/load.ts';
import type { ClockReading } from '../../src/core/clock-reading.ts';
import { reasonAfter } from '../../src/core/grant-reason.ts';
import { localDay } from '../../src/core/local-time.ts';
import { NO_OCCASION, type Occasion } from '../../src/core/occasion.ts';
import type { Outcome } from '../../src/core/outcome.ts';
import { type PlayerName, playerKey } from '../../src/core/player-name.ts';
import type { GrantState } from '../../src/core/settlement.ts';
import { type Channel, castTime } from '../../src/core/vote.ts';
import { wrongCountsOf } from '../../src/ledger/deep-check.ts';
import type {
  Change,
  ClockNews,
  CommandClaim,
  GrantFilter,
  GrantRow,
  Ledger,
  PaymentOrder,
  PlayerRow,
  PresentPlayer,
  RecountOrder,
  Settlement,
  VoteFilter,
  VoteRow,
} from '../../src/ledger/ledger.ts';
import { Foreseeing } from '../../src/ledger/sqlite/foreseeing.ts';
import { noteRestore } from '../../src/ledger/sqlite/restoring.ts';
import { ledgerSchema } from '../../src/ledger/sqlite/schema.ts';
import { openDatabase } from '../../src/platform/sqlite/open.ts';
import type { Arrival } from '../../src/rewards/arrival.ts';
import type { Draws } from '../../src/rewards/draws.ts';
import { parseOccasion } from '../../src/rewards/occasion-name.ts';
import { reasonText } from '../../src/rewards/reasons.ts';
import type { Party, Reward, Rules, Top } from '../../src/rewards/reward.ts';
import { importedVote } from '../../src/votes/intake/added-vote.ts';
import { forwardOf } from '../../src/votes/intake/forward.ts';
import { rulesOf } from '../../src/votes/intake/rules.ts';
import { matchSite } from '../../src/votes/intake/sites.ts';
import { placeEmptyLedger, temporaryFolder } from '../support/folder.ts';
import { ledgerAt } from './ledger-file.ts';

export const SECOND = 1_000;
export const MINUTE = 60 * SECOND;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;
/** In UTC, as all times here. The first of June 2026 is a Monday. */
export const june = (date: number, hour = 12, minute = 0): number => Date.UTC(2026, 5, date, hour, minute);
export const NOON = june(1);
/** The number of that day. */
export const dayOf = (date: number): number => june(date, 0) / DAY;

const REAL = { kind: 'rcon', port: 25_575, password: 'a-password-of-this-test' };
/** Game servers that are real, for a config. */
export const gameServers = (...names: readonly string[]): object =>
  Object.fromEntries(names.map((name) => [name, REAL]));

const BASE = {
  timeZone: 'UTC',
  sites: { List: {}, Other: {} },
  gameServers: gameServers('main'),
  rewards: [] as readonly object[],
};

/** A reward whose only command is `say {player} voted`, paid to anyone at once. */
export const reward = (name: string, more: object = {}): object => ({
  ...{ name, when: 'always', commands: ['say {player} voted'] },
  ...more,
});

export interface Cast {
  readonly player?: string;
  /** A user ID in place of a player. */
  readonly user?: string;
  /** The service: `List`, unless it is another one. */
  readonly on?: string;
  /** When it was cast: at noon on 1 June 2026, unless it is another time. */
  readonly at?: number;
  /** By default when it was cast. */
  readonly received?: number;
  /** The time that its sender claims. Without milliseconds it has only seconds. By default none. */
  readonly claim?: number;
  readonly via?: Channel;
  readonly event?: string;
  /** A v1 block, by its first byte. */
  readonly block?: number;
  readonly unrewarded?: 'too-old' | 'before-start' | undefined;
  /** What its random numbers follow from. */
  readonly seed?: number;
  readonly address?: string;
  readonly sentAs?: string;
  readonly wire?: string;
  /** What the clock showed when it came, by which the clock is judged. */
  readonly reading?: ClockReading;
}

type TopOrder = Parameters<Ledger['settleTop']>[0];
type Ended = Partial<Omit<Settlement, 'grantId' | 'outcome'>> & { readonly next?: Partial<CommandClaim> };

const ENDS = {
  delivered: [{ kind: 'delivered', reply: 'Gave' }, 'delivered'],
  refused: [{ kind: 'refused', reply: 'Unknown item' }, 'refused'],
  held: [{ kind: 'unknown', reason: 'closed' }, 'held'],
  offline: [{ kind: 'player-offline', reply: 'No player was found' }, 'waiting'],
  'not-sent': [{ kind: 'not-sent', reason: 'unreachable' }, 'pending'],
} as const satisfies Record<string, readonly [Outcome, GrantState]>;
export type End = keyof typeof ENDS;

export interface LedgerOfTest extends Omit<Ledger, keyof Verbs>, Verbs {}

/** What tests say shorter than the ledger does. Lists are oldest first, and without a limit. */
export interface Verbs {
  readonly file: string;
  readonly news: readonly ClockNews[];
  config(): Config;
  rules(): Rules;
  /** Uses another config from that time on: keys that are given replace those at its top. */
  use(written: object, at?: number): Promise<void>;
  /** Votes that come together. @returns the decisions, or `same 1` for a vote that was there as number 1. */
  vote(...casts: readonly Cast[]): Promise<readonly string[]>;
  /** A vote under rules that no config has. */
  voteUnder(rules: Rules, cast: Cast): Promise<unknown>;
  votes(filter?: Partial<VoteFilter>): Promise<readonly VoteRow[]>;
  /** For each vote: the occasions that this reward was granted for, or the code of why not; undefined: it was not looked at. */
  judged(reward: string): Promise<readonly unknown[]>;
  /** For each vote and reward, as an operator reads it. */
  why(): Promise<readonly string[]>;
  grants(filter?: Partial<GrantFilter>): Promise<readonly GrantRow[]>;
  /** `Steve thanks: pending`, with the occasion, another game server than `main`, and the reason. */
  owed(filter?: Partial<GrantFilter>): Promise<readonly string[]>;
  /** The IDs of the grants that may be paid. */
  due(server?: string, at?: number): Promise<readonly number[]>;
  claim(id: number, more?: Partial<CommandClaim>): Promise<boolean>;
  settle(id: number, end: End | Outcome, more?: Ended): Promise<boolean>;
  /** Claims and settles. */
  send(id: number, end: End | Outcome, more?: Ended): Promise<void>;
  /** Sets a grant to `waiting`. */
  wait(id: number, server?: string, at?: number): Promise<void>;
  /** By `ann`, unless it is another operator. */
  pay(
    id: number,
    more?: Partial<Omit<PaymentOrder, 'to'>> & { readonly to?: string },
    at?: number,
  ): Promise<Change>;
  cancel(
    id: number,
    more?: { readonly by?: string; readonly shownChange?: number },
    at?: number,
  ): Promise<Change>;
  give(reward: string, player?: string, occasion?: string, at?: number): ReturnType<Ledger['giveReward']>;
  void(...ids: readonly number[]): ReturnType<Ledger['voidVotes']>;
  /** A game server shows these names with their UUIDs. */
  see(players: Readonly<Record<string, string>>, at?: number): Promise<boolean>;
  merge(name: string, into: string): ReturnType<Ledger['mergePlayers']>;
  split(name: string): ReturnType<Ledger['splitPlayer']>;
  /** @returns the name that stands for them from now on, or the code of why not. */
  forget(name: string): Promise<string>;
  /** Who this is first of all. */
  player(name: string): Promise<PlayerRow | undefined>;
  /** The operator says that the clock is right. @returns how many grants each portion has released. */
  release(wall: number): Promise<readonly number[]>;
  restored(backupAt: number, at: number): void;
  /** Pays the parties that were reached. @param present who is online. @returns how many grants each portion created. */
  fix(
    present?: readonly { readonly player: string; readonly server: string }[] | null,
    at?: number,
  ): Promise<readonly number[]>;
  /** The services that have an entry in `sites` from that time on, and what is paid for their votes of before. */
  list(services: readonly string[], at: number, portion?: number): ReturnType<Ledger['payUnlisted']>;
  /** Pays the places of a top for a period. @returns how many grants were created; null: it was paid before. */
  settlePlaces(
    name: string,
    places: Pick<TopOrder, 'period' | 'endedAt' | 'places'>,
  ): ReturnType<Ledger['settleTop']>;
  /** The operator rewards a vote that was not, as one of the entry `default`. */
  rewardLate(vote: number, at: number): ReturnType<Ledger['rewardVote']>;
  /** Imports votes of the time before Teller, by `votes by ann`. @returns what became of them. */
  bring(casts: readonly Cast[], now: number): ReturnType<Ledger['importVotes']>;
  /** The rewards that a vote would be granted, of which nothing is stored. */
  foreseen(arrival: Arrival): readonly string[];
  arrival(cast: Cast): Arrival;
  partyNamed(name: string): Party;
  topNamed(name: string): Top;
  rewardNamed(name: string): Reward;
  /** The counts that are not those of the votes. */
  wrong(): Promise<RecountOrder>;
  /** Another process on the same file, with the same config. */
  another(): Promise<LedgerOfTest>;
  /** What only a fault of the disk or of a program does. @returns the rows of the last statement, if it has some. */
  sql(text: string): readonly unknown[];
  /** Until the returned function is called, each write of that kind loses its transaction. */
  failing(write: string): () => void;
}

export const RIGHT: RecountOrder = { recipients: [], network: false, parties: [] };
const DRAWS: Draws = { kind: 'drawn', seed: 0.5 };
const NO_LIMIT = { limit: 99_999 };

/** Loads a config. It throws with the faults, if it has some. */
export async function loaded(written: object): Promise<Config> {
  const { config, faults } = await examineText(
    JSON.stringify({ ...BASE, ...written }),
    '/srv/teller/config.json',
    {
      env: {},
    },
  );
  if (config === null) throw new Error(JSON.stringify(faults));
  return config;
}

/** A ledger with this config, which is in use since the first of June 2026, closed with the test. */
export async function ledgers(
  written: object = {},
  file = join(temporaryFolder(), 'teller.db'),
): Promise<LedgerOfTest> {
  placeEmptyLedger(file);
  const news: ClockNews[] = [];
  const { database, ledger } = ledgerAt(file, { onClockNews: (one) => void news.push(one) });
  // What a power cut leaves on the disk is not what these tests ask.
  database.pragma('synchronous = OFF');
  onTestFinished(() => ledger.close());
  let [config, rules] = [await loaded(written), {} as Rules];

  const use = async (next: object, at = june(1, 0)): Promise<void> => {
    config = await loaded(next);
    const zone = config.timeZone ?? 'UTC';
    rules = rulesOf(config, zone);
    const rewards = [...config.rewards, ...config.party, ...config.tops];
    await ledger.useConfig({ rewards, tops: config.tops, today: localDay(at, zone) });
  };
  await use(written);
  const named = <Named extends { readonly name: string }>(list: readonly Named[], name: string): Named => {
    const found = list.find((one) => one.name === name);
    if (found === undefined) throw new Error(`the config has no ${name}`);
    return found;
  };
  const votes: Verbs['votes'] = async (filter = {}) =>
    (await ledger.votes({ ...NO_LIMIT, ...filter })).toReversed();
  const grants: Verbs['grants'] = async (filter = {}) =>
    (await ledger.grants({ ...NO_LIMIT, ...filter })).toReversed();
  const settlement = (id: number, end: End | Outcome, more: Ended): Settlement => {
    const [outcome, state] = typeof end === 'string' ? ENDS[end] : [end, 'held' as const];
    const { next: _, ...rest } = more;
    return {
      ...{
        grantId: id,
        position: 0,
        outcome,
        state,
        reason: reasonAfter(outcome),
        dueAt: NOON,
        endedAt: NOON,
      },
      ...rest,
    };
  };
  const claimOf = (id: number, more: Partial<CommandClaim> = {}): CommandClaim => ({
    ...{ grantId: id, position: 0, player: 'Steve', uuid: null, now: NOON },
    ...more,
  });
  const claim: Verbs['claim'] = (id, more) => ledger.claim(claimOf(id, more));
  const settle: Verbs['settle'] = (id, end, more = {}) =>
    more.next === undefined
      ? ledger.settle(settlement(id, end, more))
      : ledger.settle(settlement(id, end, more), claimOf(id, more.next));

  const verbs: Verbs = {
    ...{ file, news, use, votes, grants, claim, settle },
    config: () => config,
    rules: () => rules,
    vote: async (...casts) => {
      const recorded = casts.map((cast) =>
        ledger.record(arrivalOf(cast, config, rules), cast.reading ?? null),
      );
      return (await Promise.all(recorded)).map((one) =>
        one.kind === 'new' ? one.decision.kind : `same ${one.id}`,
      );
    },
    voteUnder: (those, cast) => ledger.record(arrivalOf(cast, config, those), cast.reading ?? null),
    judged: async (name) =>
      (await votes())
        .map(({ reasons }) => reasons.get(name))
        .map((reason) =>
          reason?.code === 'granted' ? (reason.facts?.occasions ?? 'granted') : reason?.code,
        ),
    why: async () => (await votes()).flatMap(({ reasons }) => [...reasons.values()].map(reasonText)),
    owed: async (filter) =>
      (await grants(filter)).map(({ player, reward: name, occasion, server, state, reason }) => {
        const what = [player, name, occasion, server === 'main' ? '' : `on ${server}`];
        return `${what.filter(Boolean).join(' ')}: ${[state, reason?.code].filter(Boolean).join(' ')}`;
      }),
    due: async (server = 'main', at = NOON) =>
      (await ledger.pending({ server, practice: false }, at, 9_999)).map(({ id }) => id),
    send: async (id, end, more = {}) => {
      const { position = 0, endedAt = NOON } = more;
      const [{ player } = { player: null }] = await grants({ id });
      if (!(await claim(id, { position, player, now: endedAt })))
        throw new Error(`grant ${id} is not claimed`);
      await settle(id, end, more);
    },
    wait: (id, server = 'main', at = NOON) => ledger.wait({ id, server }, { code: 'player-offline' }, at),
    pay: (id, more = {}, at = NOON) =>
      ledger.pay(id, { texts: null, by: 'ann', kindByServer: new Map(), ...more } as PaymentOrder, at),
    cancel: (id, more = {}, at = NOON) => ledger.cancel(id, { by: 'ann', ...more }, at),
    give: (name, player = 'Steve', occasion = '', at = NOON) =>
      ledger.giveReward(
        {
          ...{
            reward: named(config.rewards, name),
            player: player as PlayerName,
            by: 'ann',
            rules,
            draws: DRAWS,
          },
          occasion: occasion === '' ? NO_OCCASION : (parseOccasion(occasion) as Occasion),
        },
        at,
      ),
    void: (...ids) => ledger.voidVotes(ids, { by: 'ann', reason: 'forged' }, NOON),
    see: (players, at = NOON) =>
      ledger.storeSeen(
        {
          players: Object.entries(players).map(([name, uuid]) => ({ name, uuid })),
          ...{ server: 'main', rules },
        },
        at,
      ),
    merge: (name, into) =>
      ledger.mergePlayers({ name: name as PlayerName, into: into as PlayerName, by: 'ann', rules }, NOON),
    split: (name) => ledger.splitPlayer({ name: name as PlayerName, by: 'ann' }, NOON),
    forget: async (name) => {
      const order = { name: name as PlayerName, by: 'ann' };
      let step = await ledger.forgetPlayer(order, null, NOON);
      while (step.kind === 'forgetting') step = await ledger.forgetPlayer(order, step.progress, NOON);
      return step.kind === 'forgotten' ? step.name : step.code;
    },
    player: async (name) => (await ledger.players(name))[0],
    release: async (wall) => {
      const released: number[] = [];
      for (let next = null, isFirst = true; isFirst || next !== null; isFirst = false) {
        const portion: Awaited<ReturnType<Ledger['releaseClock']>> = await ledger.releaseClock(
          wall,
          next,
          wall,
        );
        released.push(portion.released);
        next = portion.next as never;
      }
      return released;
    },
    restored: (backupAt, at) => void noteRestore(database, backupAt, at),
    fix: async (present = null, at = NOON) => {
      const created: number[] = [];
      for (const { id, party } of await ledger.reachedParties()) {
        const order = {
          ...{ id, party: named(config.party, party), rules, draws: DRAWS },
          present: present as readonly PresentPlayer[] | null,
        };
        for (let after: number | null = 0; after !== null; ) {
          const { grants: count, next }: { grants: number; next: number | null } = await ledger.fixParty(
            order,
            after,
            at,
          );
          created.push(count);
          after = next;
        }
      }
      return created;
    },
    list: async (services, at, portion = 50) => {
      await ledger.keepListed(services, at);
      const { cooldown, countsAll } = matchSite(config.sites, services[0] ?? 'List').entry;
      const listed = services.map((service) => ({ service, site: service, cooldown, countsAll }));
      return ledger.payUnlisted(
        { sites: listed, rules, draws: Array.from({ length: portion }, () => DRAWS) },
        at,
      );
    },
    settlePlaces: (name, order) =>
      ledger.settleTop({ top: named(config.tops, name), rules, draws: DRAWS, ...order }, order.endedAt),
    rewardLate: (vote, at) => {
      const { key: site, entry } = matchSite(config.sites, 'default');
      return ledger.rewardVote(vote, { site, cooldown: entry.cooldown, rules, draws: DRAWS }, at);
    },
    bring: (casts, now) => {
      const by = 'votes by ann';
      const votes = casts.map((cast) => {
        const judged = arrivalOf(cast, config, rules);
        return importedVote(judged, { at: judged.vote.castAt, by, now });
      });
      return ledger.importVotes(votes, { by, rules, now });
    },
    foreseen: (arrival) => {
      const other = openDatabase(file, ledgerSchema, 'read');
      const found = new Foreseeing(other).judge([arrival], 'grants');
      other.close();
      return found.flatMap(({ grants: owed }) => owed.map(({ reward: name }) => name));
    },
    arrival: (cast) => arrivalOf(cast, config, rules),
    partyNamed: (name) => named(config.party, name),
    topNamed: (name) => named(config.tops, name),
    rewardNamed: (name) => named(config.rewards, name),
    wrong: () => wrongCountsOf(ledger),
    another: () => ledgers(written, file),
    sql: (text) => {
      if (/^\s*SELECT/.test(text)) return database.prepare(text).all();
      database.exec(text);
      return [];
    },
    failing: (write) => {
      database.exec(
        `CREATE TEMP TRIGGER failing AFTER ${write} BEGIN SELECT RAISE(ROLLBACK, 'the disk fails'); END`,
      );
      return () => void database.exec('DROP TRIGGER failing');
    },
  };
  return { ...ledger, ...verbs };
}

/** A vote as it arrives under a config. */
export function arrivalOf(cast: Cast, config: Config, rules: Rules): Arrival {
  const { player = 'Steve', user, on: service = 'List', via: channel = 'listener-v2', seed = 0.5 } = cast;
  const claim =
    cast.claim === undefined
      ? null
      : ({ at: cast.claim, precision: cast.claim % SECOND === 0 ? 's' : 'ms' } as const);
  const receivedAt = cast.received ?? cast.at ?? cast.claim ?? NOON;
  const { key, entry } = matchSite(config.sites, service);
  const judged = {
    vote: {
      ...{ service, site: key, receivedAt, channel, claim },
      recipient:
        user === undefined
          ? { kind: 'player' as const, key: playerKey(player as PlayerName), player: player as PlayerName }
          : { kind: 'user' as const, key: user },
      castAt: cast.at ?? castTime(claim, receivedAt),
      address: cast.address ?? '192.0.2.1',
      eventId: cast.event ?? null,
      blockDigest: cast.block === undefined ? null : Buffer.alloc(32, cast.block),
      wire: cast.wire ?? '{}',
      ...(cast.sentAs === undefined ? {} : { sentAs: cast.sentAs }),
    },
    ...{ cooldown: entry.cooldown, countsAll: entry.countsAll, unrewarded: cast.unrewarded },
  };
  return { ...judged, draws: { kind: 'drawn', seed }, rules, ...forwardOf(judged, '203.0.113.9', rules) };
}
