import type { SiteConfig } from '../../config/config.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { figuresOfSites } from './figures.ts';

/**
 * How sure it is that a listing uses this name. `signed`: a v2 vote had the name, and only a listing with a token can sign
 * one. `claimed`: only v1 or refused votes had it, which anyone with the public key can send under any name.
 */
export type Proof = 'signed' | 'claimed';

/** A service name that was seen and has no entry in `sites`. */
export interface SeenSite {
  readonly service: string;
  readonly proof: Proof;
  /** null: all of its votes were refused. */
  readonly lastVoteAt: number | null;
  readonly votes: number;
  /** Those of the last 7 days that are paid when it gets an entry. */
  readonly waiting: number;
  /** A similar listed name, probably a misspelling of this one. */
  readonly nearly: string | null;
}

export const provenIn = (seen: readonly SeenSite[]): readonly string[] =>
  seen.filter(({ proof }) => proof === 'signed').map(({ service }) => service);

/**
 * Newest first.
 *
 * @param ledger null before the first start
 */
export async function seenSites(
  ledger: Ledger | null,
  sites: ReadonlyMap<string, SiteConfig>,
  now: number,
): Promise<readonly SeenSite[]> {
  if (ledger === null) return [];
  const { services } = await figuresOfSites(ledger, sites, now);
  const unlisted = services.filter(({ lacksEntry }) => lacksEntry);
  const signed = await ledger.signedServices(unlisted.map(({ service }) => service));
  return unlisted.map(({ service, lastVoteAt, decisions, waiting, nearly }) => ({
    service,
    proof: signed.has(service) ? 'signed' : 'claimed',
    lastVoteAt,
    votes: Object.values(decisions).reduce((sum, count) => sum + count, 0),
    waiting,
    nearly,
  }));
}
