import type { GrantCounts, IdRange, LedgerReader, VoteSum } from '../../ledger/ledger.ts';
import { type DaySpan, Edges, lastDays, lastHours, type Span, type SpanOfRows } from './spans.ts';
import { SpanSums, type Summing, type SumsOfSpan } from './span-sums.ts';

/** What was received in an hour or a day. */
export interface VotesInSpan extends Span, SumsOfSpan<VoteSum> {
  /** The grants that were made then, by the state that they have now. */
  readonly grants: GrantCounts;
}

export interface VotesByTimeValue {
  /** The IANA name of the time zone in which hours and days begin. */
  readonly zone: string;
  /** Oldest first; the last one is not over. */
  readonly hours: readonly VotesInSpan[];
  /** Oldest first; the last one is not over. */
  readonly days: readonly (VotesInSpan & DaySpan)[];
}

const HOURS = 48;
const DAYS = 90;
/** So many votes are summed for one page; reading them takes some 30 ms. The next page goes on with older ones. */
const VOTES_AT_ONCE = 20_000;
/** Counting so many grants takes some ms. */
const GRANTS_AT_ONCE = 200_000;

type Ledger = Pick<
  LedgerReader,
  'timeZone' | 'firstVotes' | 'firstGrants' | 'voteSums' | 'decisionChanges' | 'grantCounts'
>;

/** Votes of the last hours and days by site and decision. It keeps what it has read, so a page costs what came since. */
export class VotesByTime {
  private readonly hours: Section;
  private readonly days: Section;
  private changes: number | null = null;

  constructor(private readonly ledger: Ledger) {
    this.hours = new Section(ledger);
    this.days = new Section(ledger);
  }

  /** @param most ends the reading after so many votes: earlier spans are not whole then. */
  async at(now: number, most: number = VOTES_AT_ONCE): Promise<VotesByTimeValue> {
    const zone = await this.ledger.timeZone();
    await this.forgetChanged();
    const [hours, days] = [lastHours(HOURS, now, zone), lastDays(DAYS, now, zone)];
    const ofHours = await this.hours.read(hours, now, most);
    const ofDays = await this.days.read(days, now, most - ofHours.read);
    return { zone, hours: ofHours.spans, days: ofDays.spans };
  }

  /** Votes that are decided again, which is rare, belong to other sums. */
  private async forgetChanged(): Promise<void> {
    const changes = await this.ledger.decisionChanges();
    if (this.changes !== null && this.changes !== changes) {
      this.hours.forget();
      this.days.forget();
    }
    this.changes = changes;
  }
}

export const voteSumming = (ledger: Pick<LedgerReader, 'voteSums'>): Summing<VoteSum> => ({
  read: (votes) => ledger.voteSums(votes),
  keyOf: ({ site, decision }) => JSON.stringify([site, decision]),
  add: (one, other) => ({ ...one, votes: one.votes + other.votes, granted: one.granted + other.granted }),
});

/** The hours, or the days. */
class Section {
  private readonly votes: Edges;
  private readonly grants: Edges;
  private readonly sums: SpanSums<VoteSum>;

  constructor(private readonly ledger: Ledger) {
    this.votes = new Edges((times) => ledger.firstVotes(times));
    this.grants = new Edges((times) => ledger.firstGrants(times));
    this.sums = new SpanSums(voteSumming(ledger));
  }

  forget(): void {
    this.sums.forget();
  }

  async read<Of extends Span>(
    spans: readonly Of[],
    now: number,
    most: number,
  ): Promise<{ readonly read: number; readonly spans: readonly (Of & VotesInSpan)[] }> {
    const ofVotes = await this.votes.rowsOf(spans, now);
    this.sums.keepOnly(ofVotes);
    const read = await this.sums.fill(ofVotes, most);
    const grants = await grantsIn(this.ledger, await this.grants.rowsOf(spans, now));
    return {
      read,
      spans: ofVotes.map(({ ids: _, ...span }, at) => {
        const sums = this.sums.of(ofVotes[at] as SpanOfRows);
        return { ...(span as unknown as Of), ...sums, grants: grants[at] ?? {} };
      }),
    };
  }
}

async function grantsIn(
  ledger: Pick<LedgerReader, 'grantCounts'>,
  spans: readonly SpanOfRows[],
): Promise<readonly GrantCounts[]> {
  const counts: GrantCounts[] = [];
  for (const ranges of portions(spans.map(({ ids }) => ids)))
    counts.push(...(await ledger.grantCounts(ranges)));
  return counts;
}

/** A range alone may have more. */
function portions(ranges: readonly IdRange[]): readonly (readonly IdRange[])[] {
  const parts: IdRange[][] = [];
  let rows = Number.POSITIVE_INFINITY;
  for (const range of ranges) {
    const more = range.to - range.from + 1;
    if (rows + more > GRANTS_AT_ONCE) parts.push([]);
    rows = rows + more > GRANTS_AT_ONCE ? more : rows + more;
    parts.at(-1)?.push(range);
  }
  return parts;
}
