import type { SiteConfig } from '../../config/config.ts';
import type { LedgerReader } from '../../ledger/ledger.ts';
import { figuresOfSites } from './figures.ts';

/**
 * How sure it is that a listing calls itself so. `signed`: a v2 vote came under the name, and only a listing that has a
 * token can sign one. `claimed`: v1 votes or refused ones, which anyone with the public key can send in any name.
 */
export type Proof = 'signed' | 'claimed';

/** A service name that came in and has no entry in `sites`. */
export interface SeenSite {
  readonly service: string;
  readonly proof: Proof;
  /** null: its votes were refused. */
  readonly lastVoteAt: number | null;
  readonly votes: number;
  /** A listed name that is nearly this one, so that the entry probably has a slip. */
  readonly nearly: string | null;
}

export const provenIn = (seen: readonly SeenSite[]): readonly string[] =>
  seen.filter(({ proof }) => proof === 'signed').map(({ service }) => service);

/**
 * The latest first.
 *
 * @param ledger null before the first start, when no vote was seen.
 */
export async function seenSites(
  ledger: LedgerReader | null,
  sites: ReadonlyMap<string, SiteConfig>,
  now: number,
): Promise<readonly SeenSite[]> {
  if (ledger === null) return [];
  const { services } = await figuresOfSites(ledger, sites, now);
  const unlisted = services.filter(({ lacksEntry }) => lacksEntry);
  const signed = await ledger.signedServices(unlisted.map(({ service }) => service));
  return unlisted.map(({ service, lastVoteAt, decisions, nearly }) => ({
    service,
    proof: signed.has(service) ? 'signed' : 'claimed',
    lastVoteAt,
    votes: Object.values(decisions).reduce((sum, count) => sum + count, 0),
    nearly,
  }));
}
