import type { LedgerReader, VoteSum } from '../../ledger/ledger.ts';
import { SpanSums, type Summing, type SumsOfSpan } from './span-sums.ts';
import { type DaySpan, Edges, lastDays, lastHours, type Span, type SpanOfRows } from './spans.ts';

/** What was received in an hour or a day. */
export interface VotesInSpan extends Span, SumsOfSpan<VoteSum> {}

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

type Ledger = Pick<LedgerReader, 'timeZone' | 'firstVotes' | 'voteSums' | 'decisionChanges'>;

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
  private readonly sums: SpanSums<VoteSum>;

  constructor(ledger: Pick<LedgerReader, 'firstVotes' | 'voteSums'>) {
    this.votes = new Edges((times) => ledger.firstVotes(times));
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
    return {
      read,
      spans: ofVotes.map(({ ids: _, ...span }, at) => {
        const sums = this.sums.of(ofVotes[at] as SpanOfRows);
        return { ...(span as unknown as Of), ...sums };
      }),
    };
  }
}
