import type { Secret, SiteConfig, SiteGame } from '../../config/config.ts';

/** The path of one site's deliveries, and what they are checked against. */
export interface Route {
  /** Key of the entry in `sites`. */
  readonly site: string;
  readonly secret: Secret;
  readonly listingId: string;
  /** The game according to the config. */
  readonly game: SiteGame;
}

/** By path. Throws the Problem `secret-missing`. */
export function routesOf(sites: ReadonlyMap<string, SiteConfig>): ReadonlyMap<string, Route> {
  const routes = new Map<string, Route>();
  for (const [site, { webhook, game }] of sites) {
    if (webhook === null) continue;
    webhook.secret.reveal(); // fails at the start, instead of with the first vote, if the secret is missing
    routes.set(webhook.path, { site, secret: webhook.secret, listingId: webhook.listingId, game });
  }
  return routes;
}

/** The path without the query. Paths are compared as sent, without decoding. */
export const pathOf = (target: string): string => target.split('?', 1)[0] as string;
