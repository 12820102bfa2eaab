import { publicKeyText } from '../../../protocol/votifier/v1.ts';
import type { Config, SiteConfig } from '../../config/config.ts';
import { readKeyPair } from '../../config/keys.ts';

/** What one listing needs; null if the protocol is off or nothing is set. */
export interface SiteKeys {
  readonly site: string;
  readonly token: string | null;
  /** Why there is no token; null if there is one or none is needed. */
  readonly problem: string | null;
  readonly publicKey: string | null;
  readonly port: number;
}

export interface ListingKeys {
  /** 0: a new port at each start. */
  readonly port: number;
  readonly acceptsV2: boolean;
  /** The same for every listing; null if v1 is off. */
  readonly publicKey: string | null;
  readonly sites: readonly SiteKeys[];
}

/**
 * What an operator pastes at each listing. It holds the tokens themselves: only `teller keys` and the console's page of the keys may show it (rule 10).
 * @throws Problem `key-missing`, `key-invalid`, `key-mismatch`
 */
export async function listingKeys({ keys, listener, sites }: Config): Promise<ListingKeys> {
  const { protocols, port } = listener;
  const acceptsV2 = protocols.includes('v2');
  const publicKey = protocols.includes('v1')
    ? publicKeyText((await readKeyPair(keys, '; `teller run` creates it')).publicKey)
    : null;
  const rows = [...sites].map(([site, { token }]) => {
    const own = acceptsV2 ? tokenOf(token) : { token: null, problem: null };
    return { site, ...own, publicKey, port };
  });
  return { port, acceptsV2, publicKey, sites: rows };
}

function tokenOf(token: SiteConfig['token']): Pick<SiteKeys, 'token' | 'problem'> {
  if (token === null) return { token: null, problem: 'no token is set' };
  return token.missing === null
    ? { token: token.reveal(), problem: null }
    : { token: null, problem: token.missing };
}
