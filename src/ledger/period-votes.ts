import type { Days } from '../core/period.ts';
import type { LedgerReader, PageOfStandings } from './ledger.ts';
import type { If } from '../rewards/conditions.ts';
import { addStandings, type Standing } from '../rewards/standings.ts';

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
  ledger: Pick<LedgerReader, 'standings'>,
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
