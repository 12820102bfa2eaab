import type { Secret, SiteConfig, SiteGame } from '../config/config.ts';

/** Where one site's deliveries come in, and what they have to be. */
export interface Route {
  /** Key of the entry in `sites`. */
  readonly site: string;
  readonly secret: Secret;
  readonly listingId: string;
  /** What the config says that it is. */
  readonly game: SiteGame;
}

/** By path. Throws the Problem `secret-missing`. */
export function routesOf(sites: ReadonlyMap<string, SiteConfig>): ReadonlyMap<string, Route> {
  const routes = new Map<string, Route>();
  for (const [site, { webhook, game }] of sites) {
    if (webhook === null) continue;
    webhook.secret.reveal(); // a secret that is missing is told at the start, and not with the first vote
    routes.set(webhook.path, { site, secret: webhook.secret, listingId: webhook.listingId, game });
  }
  return routes;
}

/** Without the query. A path is compared as it was sent: nothing in it is decoded. */
export const pathOf = (target: string): string => target.split('?', 1)[0] as string;
