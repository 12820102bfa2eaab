import type { Days } from '../core/period.ts';
import type { If } from '../rewards/conditions.ts';
import { addStandings, type Standing } from '../rewards/standings.ts';
import type { Ledger, PageOfStandings } from './ledger.ts';

/** Which votes are counted. */
export interface PeriodVotes {
  readonly days: Days;
  readonly filter: If;
  /** The IANA name of the time zone in which days begin. */
  readonly zone: string;
  readonly exclude: readonly string[];
}

/**
 * Adds the votes that were recorded after one, a part at a time.
 *
 * @param after null: from the first vote of the period on.
 * @returns where it ended.
 */
export async function addVotes(
  sums: Map<number, Standing>,
  ledger: Pick<Ledger, 'standings'>,
  votes: PeriodVotes,
  after: number | null,
): Promise<Pick<PageOfStandings, 'upTo' | 'changes'>> {
  for (let from = after; ; ) {
    const page = await ledger.standings({ ...votes, after: from });
    addStandings(sums, page.standings);
    from = page.upTo;
    if (page.isLast) return page;
  }
}

/**
 * The votes of a period, counted in parts. Votes that come later are added to those before, so that a look costs as much as
 * there are new ones: reading a month of 800,000 votes takes a second on the ledger's reader.
 */
export class RunningStandings {
  private sums = new Map<number, Standing>();
  private upTo: number | null = null;
  private changes: number | null = null;

  constructor(
    private readonly ledger: Pick<Ledger, 'standings'>,
    private readonly votes: PeriodVotes,
  ) {}

  /** By recipient. */
  get standings(): ReadonlyMap<number, Standing> {
    return this.sums;
  }

  /** @param parts ends the reading after so many. @returns whether every vote is counted. */
  async advance(parts: number): Promise<boolean> {
    let mayStartOver = true;
    for (let left = parts; left > 0; ) {
      const { upTo, changes, sums } = this;
      const page = await this.ledger.standings({ ...this.votes, after: upTo });
      // Votes that were added before are different now. If they go on changing, the next call starts over.
      if (mayStartOver && changes !== null && changes !== page.changes) {
        mayStartOver = false;
        this.startOver();
        continue;
      }
      mayStartOver = false;
      left--;
      // Somebody else has read the same part meanwhile.
      if (this.upTo !== upTo || this.sums !== sums) continue;
      addStandings(sums, page.standings);
      this.upTo = page.upTo;
      this.changes ??= page.changes;
      if (page.isLast) return true;
    }
    return false;
  }

  private startOver(): void {
    this.sums = new Map();
    this.upTo = null;
    this.changes = null;
  }
}
