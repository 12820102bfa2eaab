import type { SiteConfig } from '../config/config.ts';
import { printableJson } from '../core/printable.ts';
import { DEFAULT_SITE, SERVICE_NAME_MAX, serviceNameOf } from '../core/service-name.ts';

export { DEFAULT_SITE } from '../core/service-name.ts';

import { STAND_IN_SERVICE } from '../core/vote.ts';

/** The site entry that a service name falls under (rule 3): its own, to the letter, else `default`. */
export interface SiteMatch {
  readonly key: string;
  readonly entry: SiteConfig;
  readonly isListed: boolean;
}

type Sites = ReadonlyMap<string, SiteConfig>;

/** White space around a name is no part of it, neither in what a sender sends nor in the config. */
export function matchSite(sites: Sites, serviceName: string): SiteMatch {
  const key = keysOf(sites).get(serviceNameOf(serviceName)) ?? DEFAULT_SITE;
  const entry = sites.get(key);
  if (entry === undefined) throw new Error('a loaded config has sites.default');
  return { key, entry, isListed: key !== DEFAULT_SITE };
}

const known = new WeakMap<Sites, ReadonlyMap<string, string>>();

/** The keys of `sites` by the name that each stands for. A key is kept as it is written: windows are stored under it. */
function keysOf(sites: Sites): ReadonlyMap<string, string> {
  const keys = known.get(sites) ?? new Map([...sites.keys()].map((key) => [serviceNameOf(key), key]));
  known.set(sites, keys);
  return keys;
}

/**
 * What an operator adds to `sites` to give a service a window of its own; null where no entry can be of that name, and for
 * `teller send`, which is no listing.
 */
export const entryToAdd = (serviceName: string): string | null =>
  canBeListed(serviceName) && serviceName !== STAND_IN_SERVICE ? `${printableJson(serviceName)}: {}` : null;

/** The config reads these keys as something else: `default`, a comment, or none at all. */
export const canBeListed = (name: string): boolean =>
  name.length <= SERVICE_NAME_MAX &&
  !name.startsWith('//') &&
  ![DEFAULT_SITE, '$schema', '__proto__'].includes(name);
