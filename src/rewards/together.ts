/** What players earn together: which votes count for a party and how many are left, and who is on which place of a top. */
import type { JudgedArrival, WindowDecision } from '../core/decide.ts';
import { type Per, periodOf } from '../core/period.ts';
import type { JudgedVote } from './condition.ts';
import { judgedVote } from './decide.ts';
import { filteredOut, type RewardReason, reason } from './judge-if.ts';
import { misfitOf, type Party, type Ties, type Top } from './reward.ts';

/** Who is paid at a party: those whose votes made it, those who are online, or nobody in particular, once. */
export const PARTY_FOR: readonly [Party['for'], ...Party['for'][]] = ['voters', 'online', 'once'];

/** The period in which a vote counts for a party, in a form that can be stored. */
export interface PartyPeriod {
  /** Empty: the count never starts again. */
  readonly per: Per | '';
  readonly period: number;
}

export const partyPeriod = ({ reset }: Pick<Party, 'reset'>, day: number): PartyPeriod =>
  reset === null ? { per: '', period: 0 } : { per: reset, period: periodOf(reset, day) };

/** A vote as what players earn together sees it; null: it is in no total, so it does not count. */
export function countedVote(arrival: JudgedArrival, decision: WindowDecision, zone: string) {
  const vote = judgedVote({ ...arrival, rules: { zone } }, decision);
  return vote?.standing === 'marked' ? null : vote;
}

/**
 * Why a vote that is counted in totals does not count for a party; null if it does.
 *
 * @param today as days since 1970-01-01: a vote counts only until its period is over.
 */
export function uncountedReason(party: Pick<Party, 'if' | 'reset'>, vote: JudgedVote, today: number) {
  const isOver = partyPeriod(party, vote.day).period < partyPeriod(party, today).period;
  return filteredOut(party.if, vote) ?? (isOver ? OVER : null);
}

/** Stored with a vote that counted. `left`: how many more votes the party took then; 0: this vote reached it. */
export const countedReason = (number: number, left: number): RewardReason =>
  reason('party', { number, left });

/** Stored with a vote of a period that was over. */
export const OVER: RewardReason = { code: 'party-over' };

/** `party 12` */
export const partyOccasion = (number: number): string => `party ${number}`;

/**
 * What a vote of a period is to the count that is stored. `over`: its period is over, and it does not count. `new`: the count starts again
 * with it. `same`: it is added, also if the config has another `reset` now: what was counted stays counted.
 */
export function countWith(stored: PartyPeriod | null, vote: PartyPeriod): 'same' | 'over' | 'new' {
  if (stored === null) return 'new';
  if (stored.per !== vote.per || stored.period === vote.period) return 'same';
  return stored.period > vote.period ? 'over' : 'new';
}

/** How far a party is, as stored. */
export interface PartyCount extends PartyPeriod {
  readonly counted: number;
}

/**
 * How many votes are left until the next party; at least one.
 *
 * @param stored null before the first vote.
 * @param today as days since 1970-01-01: a count of an earlier period is over.
 */
export function leftUntil(party: Party, stored: PartyCount | null, today: number): number {
  const { per, period } = partyPeriod(party, today);
  const isOver = stored === null || (stored.per === per && stored.period < period);
  return Math.max(1, party.every - (isOver ? 0 : stored.counted));
}

/** What a recipient has in a period. */
export interface Standing {
  readonly recipientId: number;
  /** As in the latest of the votes; null for a user ID. */
  readonly player: string | null;
  readonly votes: number;
  /** The cast time of the latest of the votes, which made it so many. */
  readonly reachedAt: number;
}

export interface Placed extends Standing {
  /** From 1. After two who share place 1 comes place 3. */
  readonly place: number;
}

const inOrder = (one: Standing, other: Standing): number =>
  other.votes - one.votes || one.reachedAt - other.reachedAt || one.recipientId - other.recipientId;

/** Everyone with a vote, the best first. */
export function placed(standings: readonly Standing[], ties: Ties): readonly Placed[] {
  let place = 0;
  let before: Standing | null = null;
  return standings.toSorted(inOrder).map((standing, at) => {
    const isShared = ties === 'share' && before?.votes === standing.votes;
    if (!isShared) place = at + 1;
    before = standing;
    return { ...standing, place };
  });
}

/** The votes of more of a period added to those before. */
export function addStandings(sums: Map<number, Standing>, more: readonly Standing[]): void {
  for (const each of more) {
    const before = sums.get(each.recipientId);
    const latest = before !== undefined && before.reachedAt > each.reachedAt ? before : each;
    sums.set(each.recipientId, { ...latest, votes: (before?.votes ?? 0) + each.votes });
  }
}

/** A part of the votes of a period. */
export interface CountedPart {
  /** Each recipient once. */
  readonly standings: readonly Standing[];
  /** The last vote that was looked at. */
  readonly upTo: number;
  readonly isLast: boolean;
  /** Changes when votes were voided, decided again, or moved between players, and when counts were imported. */
  readonly changes: number;
}

/**
 * The votes of a period, counted in parts. Votes that come later are added to those before, so that a look costs as much as
 * there are new ones: reading a month of 800,000 votes takes a second on the ledger's reader.
 */
export class RunningStandings {
  private sums = new Map<number, Standing>();
  private upTo: number | null = null;
  private changes: number | null = null;

  /** @param read the part after a vote; null: the first one. */
  constructor(private readonly read: (after: number | null) => Promise<CountedPart>) {}

  /** By recipient. */
  get standings(): ReadonlyMap<number, Standing> {
    return this.sums;
  }

  /** @param parts ends the reading after so many. @returns whether every vote is counted. */
  async advance(parts = Number.POSITIVE_INFINITY): Promise<boolean> {
    let mayStartOver = true;
    for (let left = parts; left > 0; ) {
      const { upTo, changes, sums } = this;
      const part = await this.read(upTo);
      // Votes that were added before are different now. If they go on changing, the next call starts over.
      if (mayStartOver && changes !== null && changes !== part.changes) {
        mayStartOver = false;
        this.startOver();
        continue;
      }
      mayStartOver = false;
      left--;
      // Another call has read the same part meanwhile.
      if (this.upTo !== upTo || this.sums !== sums) continue;
      addStandings(sums, part.standings);
      this.upTo = part.upTo;
      this.changes ??= part.changes;
      if (part.isLast) return true;
    }
    return false;
  }

  private startOver(): void {
    this.sums = new Map();
    this.upTo = null;
    this.changes = null;
  }
}

/** The best ones, in order, in one pass: sorting 100,000 players would stop the main thread for a tenth of a second. */
export function best(standings: Iterable<Standing>, limit: number): readonly Standing[] {
  const found: Standing[] = [];
  for (const each of standings) {
    const last = found.at(-1);
    if (found.length === limit && last !== undefined && inOrder(each, last) > 0) continue;
    const at = found.findIndex((other) => inOrder(each, other) < 0);
    found.splice(at === -1 ? found.length : at, 0, each);
    if (found.length > limit) found.pop();
  }
  return found;
}

/**
 * Everyone who can be paid, the best first: those who cannot be paid take no place from the others.
 *
 * @param limit how many places are wanted; absent: all.
 */
export function placesOf(top: Top, standings: Iterable<Standing>, limit?: number): readonly Placed[] {
  const fit = { player: misfitOf(top, 'player') === null, user: misfitOf(top, 'user') === null };
  const payable = [...standings].filter(({ player }) => (player === null ? fit.user : fit.player));
  return placed(limit === undefined ? payable : best(payable, limit), top.ties);
}
