import type { Random } from '../../src/core/random.ts';
import { below, happens, oneOf } from './chance.ts';
import { FIVEM, MAX_AGE_MS, MINECRAFT, PAY_FROM_MS, type Site } from './sites.ts';

export const ROADS = ['v2', 'v1', 'webhook', 'api'] as const;
export type Road = (typeof ROADS)[number];

/** A vote as its listing knows it. */
export interface SentVote {
  readonly id: string;
  readonly site: Site;
  /** A player's name, or a user ID. */
  readonly voter: string;
  readonly votedAt: number;
  /** By v1 with no readable time, so that nothing but its block says which vote it is. */
  readonly isTimeless: boolean;
  readonly roads: readonly Road[];
  /** Those by which it may be told again. */
  readonly againBy: readonly Exclude<Road, 'api'>[];
  /** Why it cannot be rewarded; null where the window decides. */
  readonly ruling: 'too-old' | 'before-start' | null;
  /** Whether somebody was told that it is on disk. */
  isAnswered: boolean;
  /** Whether the webhook was answered; until then it comes again. */
  isDelivered: boolean;
  /** In which life of Teller it was first told; null: not yet. */
  toldIn: number | null;
}

const HALF_DAY_MS = 12 * 3_600_000;
/** Past votes lie this far from the window's and the terms' bounds, which move with the run. */
const MARGIN_MS = 3 * 3_600_000;
const SLOTS = 13;
const AT_ONCE_MOST = 6;
const REGULARS = 8;
const VOTES_OF_A_REGULAR = 7;

/** Somebody who votes again and again, half a day apart or multiples of it: so often exactly at the window's bound. */
interface Regular {
  readonly name: string;
  readonly freeSlots: number[];
  votes: number;
  lastAt: number;
}

/** Who votes where and when, by the random alone. */
export class Voters {
  private readonly regulars: Readonly<Record<Site['game'], Regular[]>>;
  private votes = 0;
  private people = 0;

  constructor(
    private readonly random: Random,
    private readonly startedAt: number,
  ) {
    const eight = (site: Site): Regular[] => Array.from({ length: REGULARS }, () => this.newRegular(site));
    this.regulars = { minecraft: eight(MINECRAFT), fivem: eight(FIVEM) };
  }

  /** Those that are cast together. */
  some(): SentVote[] {
    return Array.from({ length: 1 + below(this.random, AT_ONCE_MOST) }, () => this.next());
  }

  /** Cast before Teller was first started: its API tells them, and the webhook still tries some of them. */
  ofThePast(site: Site): SentVote {
    const roads = happens(this.random, 0.4) ? (['webhook', 'api'] as const) : (['api'] as const);
    return this.pastVote(site, this.regularOf(site), roads);
  }

  private next(): SentVote {
    const site = happens(this.random, 0.75) ? MINECRAFT : FIVEM;
    if (!happens(this.random, 0.4)) return this.newcomersVote(site);
    const regular = this.regularOf(site);
    return happens(this.random, 0.6)
      ? this.pastVote(site, regular, ['webhook'])
      : this.voteNow(site, regular.name, Math.max(Date.now(), regular.lastAt + 1000), regular);
  }

  private newcomersVote(site: Site): SentVote {
    const isTimeless = site === MINECRAFT && happens(this.random, 0.08);
    const voter = this.newName(site, 'P');
    if (!isTimeless) return this.voteNow(site, voter, Date.now());
    return this.vote({ site, voter, votedAt: Date.now(), isTimeless, roads: ['v1'], againBy: ['v1'] });
  }

  private voteNow(site: Site, voter: string, votedAt: number, regular?: Regular): SentVote {
    if (regular !== undefined) regular.lastAt = votedAt;
    const isMinecraft = site === MINECRAFT;
    const chances = { v2: isMinecraft ? 0.5 : 0, v1: isMinecraft ? 0.4 : 0, webhook: 0.5, api: 0.3 };
    const drawn = ROADS.filter((road) => happens(this.random, chances[road]));
    const roads = drawn.length > 0 ? drawn : (['webhook'] as const);
    const againBy = isMinecraft ? (['v2', 'v1', 'webhook'] as const) : (['webhook'] as const);
    return this.vote({ site, voter, votedAt, roads, againBy });
  }

  private pastVote(site: Site, { name, freeSlots }: Regular, roads: readonly Road[]): SentVote {
    const [slot = 1] = freeSlots.splice(below(this.random, freeSlots.length), 1);
    // A millisecond to either side of the bound as often as on it.
    const votedAt = this.startedAt - MARGIN_MS - slot * HALF_DAY_MS + oneOf(this.random, [-1, 0, 0, 1]);
    return this.vote({ site, voter: name, votedAt, roads, againBy: ['webhook'] });
  }

  private vote(
    vote: Pick<SentVote, 'site' | 'voter' | 'votedAt' | 'roads' | 'againBy'> & { isTimeless?: boolean },
  ): SentVote {
    this.votes += 1;
    const id = `00000000-0000-7000-8000-${String(this.votes).padStart(12, '0')}`;
    const ageMs = this.startedAt - vote.votedAt;
    const ruling = ageMs > PAY_FROM_MS ? 'before-start' : ageMs > MAX_AGE_MS ? 'too-old' : null;
    return {
      ...{ id, isTimeless: false, ruling, isAnswered: false, isDelivered: false, toldIn: null },
      ...vote,
    };
  }

  /** After some votes somebody else comes in his place, or soon nothing but cooldown would be left. */
  private regularOf({ game }: Site): Regular {
    const regulars = this.regulars[game];
    const at = below(this.random, REGULARS);
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
    this.people += 1;
    return game === 'minecraft' ? `${initial}${this.people}` : `user-${initial}${this.people}`;
  }
}
