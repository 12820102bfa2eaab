/** Who has how many votes in a period, and who is on which place. */
import { misfitOf, type Ties, type Top } from './reward.ts';

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
    if (before === undefined) sums.set(each.recipientId, each);
    else sums.set(each.recipientId, sum(before, each));
  }
}

const sum = (one: Standing, other: Standing): Standing => {
  const latest = other.reachedAt >= one.reachedAt ? other : one;
  return { ...latest, votes: one.votes + other.votes };
};

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
      // Somebody else has read the same part meanwhile.
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

/** Everyone who can be paid, the best first: who cannot takes no place from the others. */
export const placesOf = (top: Top, standings: readonly Standing[]): readonly Placed[] =>
  placed(standings.filter(canBePaidBy(top)), top.ties);

/** So many of them, in one pass. */
export const firstPlacesOf = (top: Top, standings: Iterable<Standing>, limit: number): readonly Placed[] =>
  placed(best(filtered(standings, canBePaidBy(top)), limit), top.ties);

function canBePaidBy(top: Top): (standing: Standing) => boolean {
  const fit = { player: misfitOf(top, 'player') === null, user: misfitOf(top, 'user') === null };
  return ({ player }) => (player === null ? fit.user : fit.player);
}

function* filtered(standings: Iterable<Standing>, isWanted: (one: Standing) => boolean): Iterable<Standing> {
  for (const each of standings) if (isWanted(each)) yield each;
}
