import type { LookupAddress, LookupOptions } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import { AddressNotAllowed } from '../../sender/connection.ts';
import { type Networks, whyNotPublic } from './address.ts';

/**
 * A lookup for connect time. The connection goes to the very addresses that were judged here, so that a name which
 * was public when it was saved and is not when it is used (DNS rebinding) leads nowhere. A name with one address
 * that is not public is refused whole: which of them is taken would be left to chance.
 */
export const checkingLookup =
  (lookup: LookupFunction, allowed: Networks): LookupFunction =>
  (name, options, callback) => {
    resolveAll(lookup, name, options).then(
      (addresses) => {
        const fault = notPublicAmong(addresses, allowed);
        if (fault !== null) callback(new AddressNotAllowed(faultClause(name, fault)), '');
        else if (options.all === true) callback(null, addresses);
        else callback(null, addresses[0]?.address ?? '', addresses[0]?.family);
      },
      (error: NodeJS.ErrnoException) => callback(error, ''),
    );
  };

interface NotPublic {
  readonly address: string;
  readonly why: string;
}

/** The first address that nothing may be sent to. */
export function notPublicAmong(addresses: readonly LookupAddress[], allowed: Networks): NotPublic | null {
  for (const { address } of addresses) {
    const why = whyNotPublic(address, allowed);
    if (why !== null) return { address, why };
  }
  return null;
}

/** Of a name, not which address: that would tell anyone with a webhook what the service's own network looks like. */
const faultClause = (name: string, { address, why }: NotPublic): string =>
  address === name ? `${address} ${why}` : `${name} ${RESOLVES_INSIDE}`;

export const RESOLVES_INSIDE = 'resolves to an address that is not public';

/** Rejects where the name does not resolve. A literal address stands for itself. */
export function resolveAll(
  lookup: LookupFunction,
  name: string,
  options: LookupOptions = {},
): Promise<LookupAddress[]> {
  const family = isIP(name);
  if (family !== 0) return Promise.resolve([{ address: name, family }]);
  return new Promise((resolve, reject) => {
    lookup(name, { ...options, all: true }, (error, found) => {
      if (error) reject(error);
      // Asked for all, a resolver answers with a list; one that knows a single address may still give just that.
      else resolve(typeof found === 'string' ? [{ address: found, family: isIP(found) }] : found);
    });
  });
}
