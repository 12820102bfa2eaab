import type { SiteConfig } from '../../config/config.ts';
import { printableJson } from '../../core/printable.ts';
import { DEFAULT_SITE, SERVICE_NAME_MAX, serviceNameOf } from '../../core/service-name.ts';

export { DEFAULT_SITE } from '../../core/service-name.ts';

import { STAND_IN_SERVICE } from '../../core/vote.ts';

/** The site entry that applies to a service name (rule 3): the one of exactly this name, else `default`. */
export interface SiteMatch {
  readonly key: string;
  readonly entry: SiteConfig;
  readonly isListed: boolean;
}

type Sites = ReadonlyMap<string, SiteConfig>;

/** White space around a name is ignored, both in votes and in the config. */
export function matchSite(sites: Sites, serviceName: string): SiteMatch {
  const key = keysOf(sites).get(serviceNameOf(serviceName)) ?? DEFAULT_SITE;
  const entry = sites.get(key);
  if (entry === undefined) throw new Error('a loaded config has sites.default');
  return { key, entry, isListed: key !== DEFAULT_SITE };
}

const known = new WeakMap<Sites, ReadonlyMap<string, string>>();

/** The keys of `sites` by service name. A key is kept as it is written, because windows are stored under it. */
function keysOf(sites: Sites): ReadonlyMap<string, string> {
  const keys = known.get(sites) ?? new Map([...sites.keys()].map((key) => [serviceNameOf(key), key]));
  known.set(sites, keys);
  return keys;
}

/**
 * What an operator adds to `sites` to give a service its own window; null if no entry can have that name, and for
 * `teller send`, which is not a listing.
 */
export const entryToAdd = (serviceName: string): string | null =>
  canBeListed(serviceName) && serviceName !== STAND_IN_SERVICE ? `${printableJson(serviceName)}: {}` : null;

/** Other keys have another meaning in the config, such as `default` or a comment, or cannot be used. */
export const canBeListed = (name: string): boolean =>
  name.length <= SERVICE_NAME_MAX &&
  !name.startsWith('//') &&
  ![DEFAULT_SITE, '$schema', '__proto__'].includes(name);
