/** Who votes where and when, decided at random. */
import type { Seeded } from '../support/seeded.ts';
import {
  DAY_MS,
  DOWN_FOR_DAYS,
  FIVEM,
  MAX_AGE_MS,
  MINECRAFT,
  NEW_SITES,
  PAST,
  PAY_FROM_MS,
  type Site,
} from './sites.ts';

export const CHANNELS = ['listener-v2', 'listener-v1', 'webhook', 'api'] as const;
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

const HALF_DAY_MS = 12 * 3_600_000;
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

/** What a voter decides. */
type Ballot = Pick<SentVote, 'site' | 'voter' | 'votedAt' | 'channels' | 'repeatBy'> & {
  readonly isTimeless?: boolean;
};

/** Makes votes, each with an ID of its own. */
export class Ballots {
  private votes = 0;

  constructor(readonly startedAt: number) {}

  cast(ballot: Ballot): SentVote {
    this.votes += 1;
    const id = `00000000-0000-7000-8000-${String(this.votes).padStart(12, '0')}`;
    const ageMs = this.startedAt - ballot.votedAt;
    const expectedDecision = ageMs > PAY_FROM_MS ? 'before-start' : ageMs > MAX_AGE_MS ? 'too-old' : null;
    return {
      ...{ id, isTimeless: false, expectedDecision },
      ...{ isAnswered: false, isDelivered: false, firstSentIn: null },
      ...ballot,
    };
  }

  /** Sent to the listener now, and never again. */
  castNow(site: Site, voter: string, repeatBy: SentVote['repeatBy'] = []): SentVote {
    return this.cast({ site, voter, votedAt: Date.now(), channels: ['listener-v2'], repeatBy });
  }
}

/** Decides at random who votes where and when. */
export class Voters {
  private readonly regulars: Readonly<Record<Site['game'], Regular[]>>;
  private names = 0;

  constructor(
    private readonly random: Seeded,
    private readonly ballots: Ballots,
  ) {
    const eight = (site: Site): Regular[] => Array.from({ length: REGULARS }, () => this.newRegular(site));
    this.regulars = { minecraft: eight(MINECRAFT), fivem: eight(FIVEM) };
  }

  /** Some votes that are cast at the same time. */
  some(): SentVote[] {
    return Array.from({ length: 1 + this.random.below(MAX_AT_ONCE) }, () => this.next());
  }

  /** A vote from before the first start. The API lists it, and some are still delivered to the webhook. */
  earlierVote(site: Site): SentVote {
    const channels = this.random.chance(0.4) ? (['webhook', 'api'] as const) : (['api'] as const);
    return this.pastVote(site, this.regularOf(site), channels);
  }

  private next(): SentVote {
    const site = this.random.chance(0.75) ? MINECRAFT : FIVEM;
    if (!this.random.chance(0.4)) return this.voteOfNewVoter(site);
    const regular = this.regularOf(site);
    return this.random.chance(0.6)
      ? this.pastVote(site, regular, ['webhook'])
      : this.voteNow(site, regular.name, Math.max(Date.now(), regular.lastAt + 1000), regular);
  }

  private voteOfNewVoter(site: Site): SentVote {
    const isTimeless = site === MINECRAFT && this.random.chance(0.08);
    const voter = this.newName(site, 'P');
    if (!isTimeless) return this.voteNow(site, voter, Date.now());
    return this.ballots.cast({
      site,
      voter,
      votedAt: Date.now(),
      isTimeless,
      channels: ['listener-v1'],
      repeatBy: ['listener-v1'],
    });
  }

  private voteNow(site: Site, voter: string, votedAt: number, regular?: Regular): SentVote {
    if (regular !== undefined) regular.lastAt = votedAt;
    const isMinecraft = site === MINECRAFT;
    const chances = {
      'listener-v2': isMinecraft ? 0.5 : 0,
      'listener-v1': isMinecraft ? 0.4 : 0,
      webhook: 0.5,
      api: 0.3,
    };
    const drawn = CHANNELS.filter((channel) => this.random.chance(chances[channel]));
    const channels = drawn.length > 0 ? drawn : (['webhook'] as const);
    const repeatBy = isMinecraft
      ? (['listener-v2', 'listener-v1', 'webhook'] as const)
      : (['webhook'] as const);
    return this.ballots.cast({ site, voter, votedAt, channels, repeatBy });
  }

  private pastVote(site: Site, { name, freeSlots }: Regular, channels: readonly Channel[]): SentVote {
    const [slot = 1] = freeSlots.splice(this.random.below(freeSlots.length), 1);
    // Half of them are exactly on the bound, the others a millisecond before or after it.
    const votedAt = this.ballots.startedAt - MARGIN_MS - slot * HALF_DAY_MS + this.random.pick([-1, 0, 0, 1]);
    return this.ballots.cast({ site, voter: name, votedAt, channels, repeatBy: ['webhook'] });
  }

  /** Regular voters are replaced after some votes, because otherwise soon all their votes would be in cooldown. */
  private regularOf({ game }: Site): Regular {
    const regulars = this.regulars[game];
    const at = this.random.below(REGULARS);
    const regular = regulars[at] as Regular;
    regular.votes += 1;
    if (regular.votes === VOTES_OF_A_REGULAR) {
      regulars[at] = this.newRegular(game === 'minecraft' ? MINECRAFT : FIVEM);
    }
    return regular;
  }

  private newRegular(site: Site): Regular {
    const freeSlots = Array.from({ length: SLOTS }, (_, slot) => slot + 1);
    return { name: this.newName(site, 'R'), freeSlots, votes: 0, lastAt: 0 };
  }

  private newName({ game }: Site, initial: string): string {
    this.names += 1;
    return game === 'minecraft' ? `${initial}${this.names}` : `user-${initial}${this.names}`;
  }
}

const COMES_LATE = 0.3;

/** Votes that were cast on the days whose tops end in the run: several a day by each player. Some are delivered late. */
export class PastVotes {
  private readonly players = Array.from({ length: 8 }, (_, at) => `Past${at + 1}`);
  private minutes = 0;

  constructor(
    private readonly random: Seeded,
    private readonly ballots: Ballots,
  ) {}

  /** The API lists them when the run begins. */
  beforeStart(): SentVote[] {
    return Array.from({ length: 120 }, () => this.vote('api'));
  }

  some(): SentVote[] {
    return this.random.chance(COMES_LATE) ? [this.vote('webhook')] : [];
  }

  /** No two are in the same minute of a day. */
  private vote(channel: 'api' | 'webhook'): SentVote {
    this.minutes += 1;
    const day = 1 + this.random.below(DOWN_FOR_DAYS - 1);
    const midnight = Math.floor(this.ballots.startedAt / DAY_MS) * DAY_MS;
    const votedAt = midnight - day * DAY_MS + (this.minutes % (24 * 60)) * 60_000;
    const voter = this.random.pick(this.players);
    return this.ballots.cast({ site: PAST, voter, votedAt, channels: [channel], repeatBy: ['webhook'] });
  }
}

const NEWCOMER_VOTES = 0.3;

/** Players who vote once on each of the sites that have no entry at first. */
export class Newcomers {
  private readonly left: Site[] = [];
  private players = 0;

  constructor(
    private readonly random: Seeded,
    private readonly ballots: Ballots,
  ) {}

  /** The votes of one player follow each other, so that most of them find the shared window taken. */
  some(): SentVote[] {
    if (!this.random.chance(NEWCOMER_VOTES)) return [];
    if (this.left.length === 0) {
      this.players += 1;
      this.left.push(...NEW_SITES);
    }
    const site = this.random.pick(this.left);
    this.left.splice(this.left.indexOf(site), 1);
    return [this.ballots.castNow(site, `Newcomer${this.players}`, ['listener-v2'])];
  }
}
