import type { SiteConfig } from '../config/config.ts';
import type { Ruling } from '../core/decide.ts';
import type { RecoveryLedger } from '../ledger/ledger.ts';

/** What a site's votes are judged by before their window is looked at, whichever road they come by. */
export interface PayTerms {
  /** Votes cast before are not rewarded: another plugin may have paid them. */
  readonly payFrom: number;
  /** null: however late. */
  readonly maxAgeMs: number | null;
}

export function rulingOf(
  votedAt: number,
  { payFrom, maxAgeMs }: PayTerms,
  now: number,
): Exclude<Ruling, 'no-player'> | null {
  if (votedAt < payFrom) return 'before-start';
  return maxAgeMs !== null && now - votedAt > maxAgeMs ? 'too-old' : null;
}

/** The terms of a site. Asked for at the start, too, so that its first vote is not older than the first meeting. */
export async function payTermsOf(
  site: string,
  { api }: SiteConfig,
  ledger: Pick<RecoveryLedger, 'firstMet'>,
  now: number,
): Promise<PayTerms> {
  const firstMet = await ledger.firstMet(site, now);
  return { payFrom: api?.payFrom ?? firstMet, maxAgeMs: api?.maxAgeMs ?? null };
}
