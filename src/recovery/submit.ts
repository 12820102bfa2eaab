import type { ReportedVote, UnreadVote } from '../../protocol/listing-api/reported-votes.ts';
import type { SiteConfig } from '../config/config.ts';
import type { Clock } from '../core/clock.ts';
import type { Intake } from '../intake/intake.ts';
import type { ReportRefusal } from '../intake/vote-report.ts';
import { type RewardPeriod, unrewardedReason } from '../intake/reward-period.ts';
import type { RefusalCounter } from '../intake/refusal-codes.ts';
import type { RecoveryLedger } from '../ledger/ledger.ts';
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
  /** For what the API told: a service that repeats what it was sent must not bring the token into the log. */
  readonly told: (text: string) => string;
}

const UNREAD_KEPT_MAX = 1_000;
/** What stands for an address in the figures of refusals. */
const SENDER = 'the listing’s API';

/** Hands the votes of one site that are not known yet to the intake. */
export class Submitter {
  /** By event ID, when they were cast: not being in the ledger, they are told again as long as the overlap holds them. */
  private readonly refused = new Map<string, number>();
  /** Records that are no votes, as they came. */
  private readonly unread = new Set<string>();
  /** Votes that came by no other road before. */
  found = 0;

  constructor(private readonly parts: SubmitterParts) {}

  /**
   * One after another, oldest first, and each until it is stored: handed in together, they would share commits, and
   * one that fails before another that does not would let a newer vote be judged before an older one.
   */
  async all(votes: readonly ReportedVote[], terms: RewardPeriod): Promise<void> {
    const { ledger, site, retries } = this.parts;
    const ids = votes.map(({ id }) => id);
    const known = await retries.ledger(() => ledger.knownEvents(site, ids));
    for (const vote of votes) {
      if (known.has(vote.id) || this.refused.has(vote.id)) continue;
      await retries.untilDone(() => this.submit(vote, terms));
    }
  }

  /** Told again at every reading, and counted once. */
  countUnread(records: readonly UnreadVote[]): void {
    const { refusals, site, told } = this.parts;
    for (const { text, why } of records) {
      if (this.unread.has(text)) continue;
      if (this.unread.size >= UNREAD_KEPT_MAX) this.unread.clear();
      this.unread.add(text);
      refusals.count('api-not-a-vote', site, SENDER, `${told(text)}; ${told(why)}`);
    }
  }

  /** Those cast before will not be told again. */
  forgetRefused(castBefore: number): void {
    for (const [id, votedAt] of this.refused) {
      if (votedAt < castBefore) this.refused.delete(id);
    }
  }

  private async submit(vote: ReportedVote, terms: RewardPeriod): Promise<Attempt<null>> {
    const { intake, clock, listingClock, config, site } = this.parts;
    const now = clock.now();
    // How old it is, who dates it knows best: by ours alone every vote is too old where ours is days ahead.
    const unrewarded = unrewardedReason(vote.votedAt, terms, listingClock.earlier());
    const answer = await intake.acceptReport(voteReport(vote, site, config, unrewarded, now));
    if (answer.kind === 'unable') return { kind: 'failed', fault: VOTE_NOT_STORED };
    if (answer.kind === 'refused') this.skip(vote, answer.code);
    else if (answer.recorded.kind === 'new') this.found++;
    return { kind: 'done', value: null };
  }

  private skip({ id, userId, votedAt, metadata: { playerName } }: ReportedVote, code: ReportRefusal): void {
    const { site, refusals, told } = this.parts;
    this.refused.set(id, votedAt);
    refusals.count(`api-${code}`, site, SENDER, `vote ${told(id)} of ${told(playerName ?? userId)}`);
  }
}
