import type { ConsoleConfig } from '../config/config.ts';
import { type Closable, type OnEnd, started } from '../platform/started.ts';
import { acceptedHosts, originOf } from '../web/own-address.ts';
import { type PageHandler, servePages } from '../web/server.ts';
import { LOOPBACK_HOSTS } from '../web/site.ts';
import { linkFileIn, sessionFileIn } from './access/files.ts';
import { OneTimeLink } from './access/one-time-link.ts';
import { healthPaths } from './health/paths.ts';
import { loadedLater } from './loaded-later.ts';
import type { ConsoleParts } from './parts.ts';
import { type PublicPage, startPublicPage } from './public/server.ts';

/** The console of a running Teller. */
export interface Console extends Closable {
  /** The URL of its pages, without a slash at the end. */
  readonly url: string;
  /** Opens the console once, without a password. */
  readonly link: string;
  /** null: the config has none. */
  readonly publicPage: PublicPage | null;
}

const HEALTH: ReadonlySet<string> = new Set(healthPaths);

/** What the console is started with. */
export type StartParts = Omit<ConsoleParts, 'access' | 'onEnd' | 'publicPage'>;

/**
 * Serves the console. Its pages are loaded with the first request, so that they cost nothing until a page is opened.
 * Throws a Problem (`port-…`, `data-unwritable`).
 */
export const startConsole = (parts: StartParts): Promise<Console> =>
  started((onEnd) => startParts(parts, onEnd));

async function startParts(parts: StartParts, onEnd: OnEnd): Promise<Omit<Console, 'close'>> {
  const { teller, control, clock, random } = parts;
  const { console: settings } = teller.config;
  const publicPage = settings.public && (await startPublicPage(parts, settings.public, onEnd));
  const pages = loadedLater(() => pagesOf({ ...parts, onEnd, publicPage }, link, settings));
  const health = loadedLater(() => healthOf(parts, settings));
  const isOfHealth = (request: Request): boolean => HEALTH.has(new URL(request.url).pathname);
  const server = await servePages(
    (request, bindings) => (isOfHealth(request) ? health : pages)(request, bindings),
    {
      host: settings.host,
      port: settings.port,
      key: 'the port of `console` in the config',
      likelyHolder: 'another Teller',
      visitors: settings.password === null ? 'local' : 'signed-in',
      ...{ clock, log: parts.log },
      trustedProxies: settings.trustedProxies,
    },
  );
  onEnd(() => server.close());
  const url = originOf(settings, server.address);
  const link = new OneTimeLink(linkFileIn(control.folder), url, random);
  await link.publish();
  onEnd(() => link.remove());
  return { url, link: link.url, publicPage };
}

async function healthOf(parts: StartParts, settings: ConsoleConfig): Promise<PageHandler> {
  const { healthPages } = await import('./health/pages.ts');
  const health = healthPages(parts, [...LOOPBACK_HOSTS, ...acceptedHosts(settings).hosts]);
  return (request) => health.fetch(request);
}

async function pagesOf(
  parts: Omit<ConsoleParts, 'access'>,
  link: OneTimeLink,
  settings: ConsoleConfig,
): Promise<PageHandler> {
  const { teller, control } = parts;
  // The thread that reads the ledger starts with the first query: meanwhile, the pages are loaded.
  teller.ledger.timeZone().catch(() => undefined);
  const [{ consoleSite }, { Access }] = await Promise.all([
    import('./site.ts'),
    import('./access/access.ts'),
  ]);
  const passwordHash = (): string | null => {
    const { console: current } = teller.config;
    return current.password?.reveal() ?? null;
  };
  const sessionFile = sessionFileIn(control.folder);
  const access = await Access.open({ ...parts, passwordHash, link, sessionFile });
  const site = consoleSite({ ...parts, access }, acceptedHosts(settings));
  return (request, bindings) => site.fetch(request, bindings);
}
