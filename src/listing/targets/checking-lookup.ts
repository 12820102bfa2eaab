import type { LookupAddress, LookupOptions } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import { AddressNotAllowed } from '../../platform/dial.ts';
import { type Networks, whyNotPublic } from './address.ts';

/**
 * A lookup for connect time. The connection goes to exactly the addresses that are checked here, so a name that was
 * public when it was saved but is private when it is used (DNS rebinding) is not connected to. A name with one private
 * address is refused, because the connection might go to that one.
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

/** Does not show a name's address, because that would let webhook owners explore the service's network. */
const faultClause = (name: string, { address, why }: NotPublic): string =>
  address === name ? `${address} ${why}` : `${name} ${RESOLVES_INSIDE}`;

export const RESOLVES_INSIDE = 'resolves to an address that is not public';

/** Rejects if the name does not resolve. A literal address is returned as it is. */
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
      // With `all` a resolver should answer with a list, but some answer with a single address.
      else resolve(typeof found === 'string' ? [{ address: found, family: isIP(found) }] : found);
    });
  });
}
