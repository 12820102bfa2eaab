import type { ReportedVote, UnreadVote } from '../../../protocol/listing-api/reported-votes.ts';
import type { SiteConfig } from '../../config/config.ts';
import type { Clock } from '../../core/clock.ts';
import type { RecoveryLedger } from '../../ledger/ledger.ts';
import type { Intake } from '../intake/intake.ts';
import type { RefusalCounter } from '../intake/refusal-codes.ts';
import { type RewardPeriod, unrewardedReason } from '../intake/reward-period.ts';
import type { ReportRefusal } from '../intake/vote-report.ts';
import type { ListingClock } from './clocks.ts';
import { VOTE_NOT_STORED } from './faults.ts';
import { voteReport } from './reported-vote.ts';
import type { Attempt, Retries } from './retries.ts';

export interface SubmitterParts {
  readonly site: string;
  readonly config: SiteConfig;
  readonly ledger: RecoveryLedger;
  readonly intake: Pick<Intake, 'acceptReport'>;
  readonly retries: Retries;
  readonly refusals: RefusalCounter;
  readonly clock: Clock;
  readonly listingClock: ListingClock;
  /** Removes the token from the API's text: a service that echoes the request must not get the token into our log. */
  readonly redact: (text: string) => string;
}

const UNREAD_KEPT_MAX = 1_000;
/** Used instead of an address in the refusal statistics. */
const SENDER = 'the listing’s API';

/** Submits the votes of one site that are not in the ledger to the intake. */
export class Submitter {
  /**
   * The cast times of refused votes by event ID: as they are not in the ledger, every reading of the overlap reports
   * them again.
   */
  private readonly refused = new Map<string, number>();
  /** Records that are not votes, as received. */
  private readonly unread = new Set<string>();
  /** Votes that no other channel had brought before. */
  found = 0;

  constructor(private readonly parts: SubmitterParts) {}

  /**
   * Submits one vote at a time, oldest first, and retries each until it is stored. If they were submitted together and
   * one failed while a later one succeeded, a newer vote would be judged before an older one.
   */
  async submitAll(votes: readonly ReportedVote[], period: RewardPeriod): Promise<void> {
    const { ledger, site, retries } = this.parts;
    const ids = votes.map(({ id }) => id);
    const known = await retries.ledger(() => ledger.knownEvents(site, ids));
    for (const vote of votes) {
      if (known.has(vote.id) || this.refused.has(vote.id)) continue;
      await retries.untilDone(() => this.submit(vote, period));
    }
  }

  /** Every reading reports them again, but they are counted once. */
  countUnread(records: readonly UnreadVote[]): void {
    const { refusals, site, redact } = this.parts;
    for (const { text, why } of records) {
      if (this.unread.has(text)) continue;
      if (this.unread.size >= UNREAD_KEPT_MAX) this.unread.clear();
      this.unread.add(text);
      refusals.count('api-not-a-vote', site, SENDER, `${redact(text)}; ${redact(why)}`);
    }
  }

  /** Forgets votes cast before a time, which are not reported again. */
  forgetRefused(castBefore: number): void {
    for (const [id, votedAt] of this.refused) {
      if (votedAt < castBefore) this.refused.delete(id);
    }
  }

  private async submit(vote: ReportedVote, period: RewardPeriod): Promise<Attempt<null>> {
    const { intake, clock, listingClock, config, site } = this.parts;
    const now = clock.now();
    // The age is measured by the listing's clock, which dates the vote: by ours, every vote would be too old if it is
    // days ahead.
    const unrewarded = unrewardedReason(vote.votedAt, period, listingClock.earlier());
    const answer = await intake.acceptReport(voteReport(vote, site, config, unrewarded, now));
    if (answer.kind === 'unable') return { kind: 'failed', fault: VOTE_NOT_STORED };
    if (answer.kind === 'refused') this.skip(vote, answer.code);
    else if (answer.recorded.kind === 'new') this.found++;
    return { kind: 'done', value: null };
  }

  private skip({ id, userId, votedAt, metadata: { playerName } }: ReportedVote, code: ReportRefusal): void {
    const { site, refusals, redact } = this.parts;
    this.refused.set(id, votedAt);
    refusals.count(`api-${code}`, site, SENDER, `vote ${redact(id)} of ${redact(playerName ?? userId)}`);
  }
}
