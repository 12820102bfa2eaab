/** Who votes where and when, decided at random. Each kind of voter is a function that casts some votes at a time. */
import type { Seeded } from '../support/seeded.ts';
import type { MinecraftServer } from './game-servers.ts';
import {
  ACCOUNTS,
  DAY_MS,
  DOWN_FOR_DAYS,
  FIVEM,
  MAX_AGE_MS,
  MINECRAFT,
  NEW_SITES,
  NEWS,
  PAST,
  PAY_FROM_MS,
  type Site,
  TOWN,
} from './sites.ts';

const CHANNELS = ['listener-v2', 'listener-v1', 'webhook', 'api'] as const;
export type Channel = (typeof CHANNELS)[number];

/** A vote as its listing knows it. */
export interface SentVote {
  readonly id: string;
  readonly site: Site;
  /** A player's name, or a user ID. */
  readonly voter: string;
  readonly votedAt: number;
  /** A v1 vote without a readable time, so that only its block identifies it. */
  readonly isTimeless: boolean;
  readonly channels: readonly Channel[];
  /** The channels by which it may be sent again. */
  readonly repeatBy: readonly Exclude<Channel, 'api'>[];
  /** Why it cannot be rewarded; null if the window decides. */
  readonly expectedDecision: 'too-old' | 'before-start' | null;
  /** Whether a sender was told that it is stored. */
  isAnswered: boolean;
  /** Whether its webhook was answered. Until then it is delivered again. */
  isDelivered: boolean;
  /** The lifetime of Teller in which it was first sent; null if it was not sent yet. */
  firstSentIn: number | null;
}

/** What a voter decides. By default the vote is sent to the listener now, and never again. */
type Ballot = Pick<SentVote, 'site' | 'voter'> &
  Partial<Pick<SentVote, 'votedAt' | 'channels' | 'repeatBy' | 'isTimeless'>>;

export type Cast = (ballot: Ballot) => SentVote;

/** @returns what makes votes, each with an ID of its own. */
export function casting(startedAt: number): Cast {
  let votes = 0;
  return ({ votedAt = Date.now(), ...ballot }) => {
    votes += 1;
    const id = `00000000-0000-7000-8000-${String(votes).padStart(12, '0')}`;
    const ageMs = startedAt - votedAt;
    const expectedDecision = ageMs > PAY_FROM_MS ? 'before-start' : ageMs > MAX_AGE_MS ? 'too-old' : null;
    return {
      ...{ id, votedAt, expectedDecision, isTimeless: false },
      ...{ channels: ['listener-v2'], repeatBy: [] },
      ...{ isAnswered: false, isDelivered: false, firstSentIn: null },
      ...ballot,
    };
  };
}

const HALF_DAY_MS = DAY_MS / 2;
/** Earlier votes are at least this far from the bounds of window and age, because the run takes time. */
const MARGIN_MS = 3 * 3_600_000;
const SLOTS = 13;
const MAX_AT_ONCE = 6;
const REGULARS = 8;
const VOTES_OF_A_REGULAR = 7;

/** A voter who votes repeatedly, at multiples of half a day: often exactly at the bound of the window. */
interface Regular {
  readonly name: string;
  readonly freeSlots: number[];
  votes: number;
  lastAt: number;
}

/** Those of the two listings that report their votes by all channels: new voters, and regular ones. */
export function voters(random: Seeded, cast: Cast, startedAt: number) {
  let names = 0;
  const newName = ({ game }: Site, initial: string): string => {
    names += 1;
    return game === 'minecraft' ? `${initial}${names}` : `user-${initial}${names}`;
  };
  const newRegular = (site: Site): Regular => {
    const freeSlots = Array.from({ length: SLOTS }, (_, slot) => slot + 1);
    return { name: newName(site, 'R'), freeSlots, votes: 0, lastAt: 0 };
  };
  const regularsOf = (site: Site) => Array.from({ length: REGULARS }, () => newRegular(site));
  const regulars = { minecraft: regularsOf(MINECRAFT), fivem: regularsOf(FIVEM) };
  /** Regular voters are replaced after some votes, because otherwise soon all their votes would be in cooldown. */
  const regularOf = (site: Site): Regular => {
    const at = random.below(REGULARS);
    const regular = regulars[site.game][at] as Regular;
    regular.votes += 1;
    if (regular.votes === VOTES_OF_A_REGULAR) regulars[site.game][at] = newRegular(site);
    return regular;
  };
  const pastVote = (site: Site, { name, freeSlots }: Regular, channels: readonly Channel[]): SentVote => {
    const [slot = 1] = freeSlots.splice(random.below(freeSlots.length), 1);
    // Half of them are exactly on the bound, the others a millisecond before or after it.
    const votedAt = startedAt - MARGIN_MS - slot * HALF_DAY_MS + random.pick([-1, 0, 0, 1]);
    return cast({ site, voter: name, votedAt, channels, repeatBy: ['webhook'] });
  };
  const voteNow = (site: Site, voter: string, votedAt = Date.now()): SentVote => {
    const isMinecraft = site === MINECRAFT;
    const listener = isMinecraft
      ? { 'listener-v2': 0.5, 'listener-v1': 0.4 }
      : { 'listener-v2': 0, 'listener-v1': 0 };
    const chances = { ...listener, webhook: 0.5, api: 0.3 };
    const drawn = CHANNELS.filter((channel) => random.chance(chances[channel]));
    const channels = drawn.length > 0 ? drawn : (['webhook'] as const);
    const repeatBy = isMinecraft
      ? (['listener-v2', 'listener-v1', 'webhook'] as const)
      : (['webhook'] as const);
    return cast({ site, voter, votedAt, channels, repeatBy });
  };
  const voteOfNewVoter = (site: Site): SentVote => {
    const isTimeless = site === MINECRAFT && random.chance(0.08);
    const voter = newName(site, 'P');
    const byV1 = { channels: ['listener-v1'], repeatBy: ['listener-v1'] } as const;
    return isTimeless ? cast({ site, voter, isTimeless, ...byV1 }) : voteNow(site, voter);
  };
  const next = (): SentVote => {
    const site = random.chance(0.75) ? MINECRAFT : FIVEM;
    if (!random.chance(0.4)) return voteOfNewVoter(site);
    const regular = regularOf(site);
    if (random.chance(0.6)) return pastVote(site, regular, ['webhook']);
    regular.lastAt = Math.max(Date.now(), regular.lastAt + 1_000);
    return voteNow(site, regular.name, regular.lastAt);
  };
  return {
    /** Some votes that are cast at the same time. */
    some: (): SentVote[] => Array.from({ length: 1 + random.below(MAX_AT_ONCE) }, next),
    /** A vote from before the first start. The API lists it, and some are still delivered to the webhook. */
    earlierVote: (site: Site): SentVote => {
      const channels = random.chance(0.4) ? (['webhook', 'api'] as const) : (['api'] as const);
      return pastVote(site, regularOf(site), channels);
    },
  };
}

const COMES_LATE = 0.3;

/** Votes that were cast on the days whose tops end in the run: several a day by each player. Some are delivered late. */
export function pastVotes(random: Seeded, cast: Cast, startedAt: number) {
  const players = Array.from({ length: 8 }, (_, at) => `Past${at + 1}`);
  let minutes = 0;
  /** No two are in the same minute of a day. */
  const vote = (channel: 'api' | 'webhook'): SentVote => {
    minutes += 1;
    const day = 1 + random.below(DOWN_FOR_DAYS - 1);
    const midnight = Math.floor(startedAt / DAY_MS) * DAY_MS;
    const votedAt = midnight - day * DAY_MS + (minutes % (24 * 60)) * 60_000;
    const voter = random.pick(players);
    return cast({ site: PAST, voter, votedAt, channels: [channel], repeatBy: ['webhook'] });
  };
  return {
    /** The API lists them when the run begins. */
    beforeStart: (): SentVote[] => Array.from({ length: 120 }, () => vote('api')),
    some: (): SentVote[] => (random.chance(COMES_LATE) ? [vote('webhook')] : []),
  };
}

const NEWCOMER_VOTES = 0.3;

/** Players who vote once on each of the sites that have no entry at first. */
export function newcomers(random: Seeded, cast: Cast) {
  const left: Site[] = [];
  let players = 0;
  /** The votes of one player follow each other, so that most of them find the shared window taken. */
  return (): SentVote[] => {
    if (!random.chance(NEWCOMER_VOTES)) return [];
    if (left.length === 0) {
      players += 1;
      left.push(...NEW_SITES);
    }
    const [site] = left.splice(random.below(left.length), 1) as [Site];
    return [cast({ site, voter: `Newcomer${players}`, repeatBy: ['listener-v2'] })];
  };
}

/** Whether someone may vote on a site again: every vote is outside the windows of their others. */
function windows() {
  const votedAt = new Map<string, number>();
  return (who: string, { name, windowMs }: Site): boolean => {
    const isFree = Date.now() - (votedAt.get(`${who} ${name}`) ?? 0) > windowMs;
    if (isFree) votedAt.set(`${who} ${name}`, Date.now());
    return isFree;
  };
}

const PEOPLE = ['Town1', 'Town2', 'Town3', 'Town4', 'Town5'];
const VOTES = 0.6;
const MOVES = 0.2;
const STRANGER_VOTES = 0.1;

export const isStranger = (player: string): boolean => player.toLowerCase().startsWith('stranger');

/** Players who vote again and again, and move between two game servers; and strangers, who are on none. */
export function town(random: Seeded, cast: Cast, servers: Readonly<Record<'main' | 'sky', MinecraftServer>>) {
  const isFree = windows();
  let strangers = 0;
  const move = (): void => {
    const [player, to] = [random.pick(PEOPLE), random.pick(['main', 'sky', null] as const)];
    for (const server of Object.values(servers)) server.leave(player);
    if (to !== null) servers[to].join(player);
  };
  const someOn = (site: Site): SentVote[] => {
    const voter = random.chance(VOTES) ? random.pick(PEOPLE) : null;
    return voter !== null && isFree(voter, site) ? [cast({ site, voter, repeatBy: ['listener-v2'] })] : [];
  };
  return {
    some: (): SentVote[] => {
      if (random.chance(MOVES)) move();
      const votes = [...someOn(TOWN), ...someOn(NEWS)];
      if (!random.chance(STRANGER_VOTES)) return votes;
      strangers += 1;
      return [...votes, cast({ site: NEWS, voter: `Stranger${strangers}` })];
    },
    /** From now on, everyone is on both game servers, as they are listed for a moment when they move. */
    gather: (): void => {
      for (const server of Object.values(servers)) server.joinAll(PEOPLE);
    },
  };
}

/** Someone with a UUID. Their name may change. */
export interface Account {
  readonly uuid: string;
  name: string;
  isOnline: boolean;
}

const PLAYERS = 5;
const ACCOUNT_VOTES = 0.5;
const COMES_OR_GOES = 0.4;
const IS_RENAMED = 0.3;
const NAME_IS_TAKEN = 0.3;
/** A name is free for so long, which is longer than Teller believes a list of players. */
const FREE_FOR_MS = 5_000;

export type Accounts = ReturnType<typeof accountsOn>;

/**
 * Players who vote, and are renamed while they are offline, but only after they were paid under the name that they have:
 * then Teller has seen it with their UUID. Strangers take the names that become free, and never vote.
 *
 * @param realm the game server that shows their UUIDs.
 */
export function accountsOn(realm: MinecraftServer, random: Seeded, cast: Cast) {
  /** Who cast a vote, by its ID. */
  const casters = new Map<string, Account>();
  const strangers: Account[] = [];
  const freeNames: { readonly name: string; readonly since: number }[] = [];
  const isFree = windows();
  let [names, uuids] = [0, 0];
  const open = (name: string): Account => {
    uuids += 1;
    const uuid = `00000001-0000-4000-8000-${String(uuids).padStart(12, '0')}`;
    return { uuid, name, isOnline: false };
  };
  const newName = (): string => {
    names += 1;
    return `Name${names}`;
  };
  const players = Array.from({ length: PLAYERS }, () => open(newName()));
  const comeOrGo = (account: Account): void => {
    account.isOnline = !account.isOnline;
    if (account.isOnline) realm.join(account.name, account.uuid);
    else realm.leave(account.name);
  };
  const wasPaidAs = (name: string): boolean =>
    realm.recorded.some(({ command, reply }) => reply === 'confirmed' && command === `give ${name} apple 1`);
  const renameOne = (): void => {
    const player = players.find(({ name, isOnline }) => !isOnline && wasPaidAs(name));
    if (player === undefined) return;
    freeNames.push({ name: player.name, since: Date.now() });
    player.name = newName();
  };
  const takeName = (): void => {
    const [free] = freeNames;
    if (free === undefined || Date.now() - free.since < FREE_FOR_MS) return;
    freeNames.shift();
    const stranger = open(free.name);
    strangers.push(stranger);
    comeOrGo(stranger);
  };
  return {
    ...{ casters, strangers },
    /** How often a player was renamed. */
    renamed: () => names - PLAYERS,
    some: (): SentVote[] => {
      if (random.chance(COMES_OR_GOES)) comeOrGo(random.pick([...players, ...strangers]));
      if (random.chance(IS_RENAMED)) renameOne();
      if (random.chance(NAME_IS_TAKEN)) takeName();
      const player = random.chance(ACCOUNT_VOTES) ? random.pick(players) : null;
      if (player === null || !isFree(player.uuid, ACCOUNTS)) return [];
      const vote = cast({ site: ACCOUNTS, voter: player.name, repeatBy: ['listener-v2'] });
      casters.set(vote.id, player);
      return [vote];
    },
    /** From now on, everyone is online. */
    gather: (): void => {
      for (const { name, uuid } of [...players, ...strangers]) realm.join(name, uuid);
    },
    /** What they were given, under whatever name. */
    giftsOf: (account: Account): number =>
      realm.recorded.filter(({ command, uuid }) => uuid === account.uuid && / apple \d+$/.test(command))
        .length,
  };
}
