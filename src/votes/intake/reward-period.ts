import type { SiteConfig } from '../../config/config.ts';
import { type Clock, isClockSet, startOf } from '../../core/clock.ts';
import type { UnrewardedReason } from '../../core/decide.ts';
import type { RecoveryLedger } from '../../ledger/ledger.ts';

/** Which of a site's reported votes can be rewarded, by their cast time; it is checked before the window. */
export interface RewardPeriod {
  /** Votes cast before this are not rewarded: another plugin may have paid them. */
  readonly payFrom: number;
  /** null: no limit. */
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

/** @param startedAt when this Teller started: a site that its ledger does not know yet was first seen then. */
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
 * The reward periods of the sites with a webhook. They are loaded at the start, so that a site's first vote is not
 * older than the time it was first seen. If a vote is older, the period is loaded again for the same start: at the
 * start the clock may not have been set, or it was ahead and has been corrected, or the listing's API has shown that it
 * is ahead.
 */
export class RewardPeriods {
  private readonly startedAt: (now: number) => number;
  private readonly bySite = new Map<string, RewardPeriod>();

  constructor(
    private readonly sites: ReadonlyMap<string, SiteConfig>,
    private readonly ledger: Pick<RecoveryLedger, 'firstSeen'>,
    private readonly clock: Clock,
  ) {
    this.startedAt = startOf(clock);
  }

  /** null: the vote can be rewarded. If the clock is not set, the vote seems to be from the future, and waits. */
  async unrewardedReason(site: string, votedAt: number): Promise<ReturnType<typeof unrewardedReason>> {
    const known = this.bySite.get(site);
    const period = known !== undefined && votedAt >= known.payFrom ? known : await this.load(site);
    return period === null ? null : unrewardedReason(votedAt, period, this.clock.now());
  }

  async load(site: string): Promise<RewardPeriod | null> {
    const { clock, ledger } = this;
    const config = this.sites.get(site);
    if (config === undefined || !isClockSet(clock.now())) return null;
    const period = await rewardPeriodOf(site, config, ledger, this.startedAt(clock.now()));
    this.bySite.set(site, period);
    return period;
  }
}
