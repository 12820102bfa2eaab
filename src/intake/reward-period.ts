import type { SiteConfig } from '../config/config.ts';
import { type Clock, isClockSet, startOf } from '../core/clock.ts';
import type { UnrewardedReason } from '../core/decide.ts';
import type { RecoveryLedger } from '../ledger/ledger.ts';

/** What a site's votes are judged by before their window is looked at, whichever road they come by. */
export interface RewardPeriod {
  /** Votes cast before are not rewarded: another plugin may have paid them. */
  readonly payFrom: number;
  /** null: however late. */
  readonly maxAgeMs: number | null;
}

export function unrewardedReason(
  votedAt: number,
  { payFrom, maxAgeMs }: RewardPeriod,
  now: number,
): Exclude<UnrewardedReason, 'no-player'> | null {
  if (votedAt < payFrom) return 'before-start';
  return maxAgeMs !== null && now - votedAt > maxAgeMs ? 'too-old' : null;
}

/** @param startedAt when this Teller started, which is when it meets a site that its ledger does not know yet. */
export async function rewardPeriodOf(
  site: string,
  { api }: SiteConfig,
  ledger: Pick<RecoveryLedger, 'firstSeen'>,
  startedAt: number,
): Promise<RewardPeriod> {
  const firstSeen = await ledger.firstSeen(site, startedAt);
  return { payFrom: api?.payFrom ?? firstSeen, maxAgeMs: api?.maxAgeMs ?? null };
}

/**
 * Rules on votes as they come. A site is met at the start, so that its first vote is not older than the first meeting.
 * Where a vote is older all the same, it is met once more, for the same instant: the clock was not set at the start, or
 * was ahead and has been set back, or its listing's API has told by now that it is.
 */
export class RewardPeriods {
  private readonly startedAt: (now: number) => number;
  private readonly terms = new Map<string, RewardPeriod>();

  constructor(
    private readonly sites: ReadonlyMap<string, SiteConfig>,
    private readonly ledger: Pick<RecoveryLedger, 'firstSeen'>,
    private readonly clock: Clock,
  ) {
    this.startedAt = startOf(clock);
  }

  /** null: nothing is against it; where the clock is not set, it seems to be cast in the future, and waits. */
  async unrewardedReason(site: string, votedAt: number): Promise<ReturnType<typeof unrewardedReason>> {
    const known = this.terms.get(site);
    const terms = known !== undefined && votedAt >= known.payFrom ? known : await this.load(site);
    return terms === null ? null : unrewardedReason(votedAt, terms, this.clock.now());
  }

  async load(site: string): Promise<RewardPeriod | null> {
    const { clock, ledger } = this;
    const config = this.sites.get(site);
    if (config === undefined || !isClockSet(clock.now())) return null;
    const terms = await rewardPeriodOf(site, config, ledger, this.startedAt(clock.now()));
    this.terms.set(site, terms);
    return terms;
  }
}
