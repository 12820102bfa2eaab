import type { SiteConfig } from '../config/config.ts';
import { printableJson } from '../core/printable.ts';

/** The site entry that a service name falls under (rule 3): its own, to the letter, else `default`. */
export interface SiteMatch {
  readonly key: string;
  readonly entry: SiteConfig;
  readonly isListed: boolean;
}

export function matchSite(sites: ReadonlyMap<string, SiteConfig>, serviceName: string): SiteMatch {
  const own = serviceName === DEFAULT_SITE ? undefined : sites.get(serviceName);
  if (own !== undefined) return { key: serviceName, entry: own, isListed: true };
  const entry = sites.get(DEFAULT_SITE);
  if (entry === undefined) throw new Error('a loaded config has sites.default');
  return { key: DEFAULT_SITE, entry, isListed: false };
}

export const DEFAULT_SITE = 'default';

/** What an operator adds to `sites` to give a service a window of its own. */
export const entryToAdd = (serviceName: string): string => `${printableJson(serviceName)}: {}`;
