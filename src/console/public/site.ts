import { Hono } from 'hono';
import type { PublicPageConfig } from '../../config/config.ts';
import { isLoopback } from '../../core/address.ts';
import { isoTime } from '../../core/instant.ts';
import { Problem } from '../../core/problem.ts';
import type { Random } from '../../core/random.ts';
import type { UnnamedProxies } from '../../operator/public/unnamed-proxy.ts';
import { type VoteSite, voteSites } from '../../operator/public/vote-sites.ts';
import { consoleBrand } from '../../web/brands.ts';
import { acceptedHosts } from '../../web/own-address.ts';
import { pageApp } from '../../web/page-app.ts';
import type { PageHandler } from '../../web/server.ts';
import { type PageStatus, showPage } from '../../web/show.ts';
import { bindingsOf, clientAddress, LOOPBACK_HOSTS, type PageEnv, type Site } from '../../web/site.ts';
import { type Board, type BoardParts, FRESH_MS, FreshBoard } from './board.ts';
import { type PublicView, publicPage } from './page.ts';
import { HOME, TOP_JSON } from './paths.ts';
import { type Answer, Questions } from './question.ts';

export interface PublicParts extends BoardParts {
  readonly random: Random;
  readonly proxies: UnnamedProxies;
}

const CACHED = `public, max-age=${FRESH_MS / 1_000}`;
const UNREADABLE = { code: 'votes-unreadable', message: 'Votes cannot be read now. Try again in a minute.' };
const TOO_MANY = {
  code: 'too-many-questions',
  message: 'Too many names in a minute. Try again in a minute.',
};

/** The page for players, and its figures for web sites. */
export function publicSite(parts: PublicParts, settings: PublicPageConfig): PageHandler {
  const board = new FreshBoard(parts);
  const page = playersPage(parts, settings, board);
  const figures = figuresForSites(parts, board);
  return async (request, bindings) => {
    if (bindings.isUnnamedProxy) await noteProxy(bindings.clientAddress, parts);
    return (new URL(request.url).pathname === TOP_JSON ? figures : page).fetch(request, bindings);
  };
}

async function noteProxy(address: string, { proxies, log }: PublicParts): Promise<void> {
  try {
    await proxies.note(address);
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    log.warn({ code: error.code }, `\`teller check\` cannot see the proxy at ${address}: ${error.message}`);
  }
}

/** Pages of other web sites may read it, so it has none of the headers that keep them out of pages. */
function figuresForSites({ teller }: PublicParts, board: FreshBoard): Hono {
  const app = new Hono();
  app.get(TOP_JSON, async (c) => {
    c.header('Access-Control-Allow-Origin', '*');
    c.header('X-Content-Type-Options', 'nosniff');
    const found = await board.current();
    return found === null
      ? c.json(UNREADABLE, 503, { 'Cache-Control': 'no-store' })
      : c.json(topJson(found, voteSites(teller.config)), 200, { 'Cache-Control': CACHED });
  });
  return app;
}

/** Nobody signs in. */
type NoPerson = never;

function playersPage(
  parts: PublicParts,
  settings: PublicPageConfig,
  fresh: FreshBoard,
): Hono<PageEnv<NoPerson>> {
  const { teller, clock } = parts;
  const questions = new Questions(parts);
  const app = pageApp<NoPerson>(siteOf(parts, settings));
  app.get(HOME, async (c) => {
    const entered = c.req.query('name')?.trim() ?? '';
    const answer = entered === '' ? null : await questions.answer(entered, clientAddress(c));
    const board = await fresh.current();
    const sites = voteSites(teller.config);
    const status = board === null ? 503 : STATUS[answer?.kind ?? 'times'];
    c.header('Vary', 'Accept');
    if (status === 200 && answer === null) c.header('Cache-Control', CACHED);
    if (answer?.kind === 'too-many') c.header('Retry-After', String(Math.ceil(answer.waitMs / 1_000)));
    const isOfAll = bindingsOf(c).isUnnamedProxy === true;
    const view = { name: settings.name, sites, board, entered, answer, isOfAll, now: clock.now() };
    return showPage(c, { ...publicPage(view), json: jsonOf(view) }, status);
  });
  return app;
}

const STATUS: Readonly<Record<Answer['kind'], PageStatus>> = {
  times: 200,
  'no-name': 422,
  'too-many': 429,
  unreadable: 503,
};

function jsonOf({ board, sites, answer }: Pick<PublicView, 'board' | 'sites' | 'answer'>): object {
  if (board === null || answer?.kind === 'unreadable') return UNREADABLE;
  if (answer?.kind === 'no-name') return { code: answer.code, message: answer.sentence };
  if (answer?.kind === 'too-many') return TOO_MANY;
  return { ...topJson(board, sites), answer: answer === null ? null : answerJson(answer) };
}

/** Behind a proxy, players come by its host name: `publicUrl`, if Teller listens on loopback only. */
const siteOf = (
  { clock, random, log }: PublicParts,
  { host, publicUrl, name }: PublicPageConfig,
): Site<NoPerson> => {
  const { hosts, https } = acceptedHosts({ host, publicUrl });
  return {
    name: name ?? 'Votes',
    brand: consoleBrand,
    cookie: 'teller-public',
    home: HOME,
    hosts: isLoopback(host) ? [...LOOPBACK_HOSTS, ...hosts] : 'any',
    https,
    answersScripts: true,
    sessions: null,
    accounts: null,
    navigation: () => [],
    ...{ clock, random, log },
  };
};

/** What `/top.json` answers. */
const topJson = ({ tops, parties }: Board, sites: readonly VoteSite[]) => ({
  tops: tops.map(({ top, per, period, places }) => ({ top, per, period, places })),
  parties: parties.map(({ party, votes, every, left }) => ({ party, votes, every, left })),
  sites: sites.map(({ site, url }) => ({ site, url })),
});

const answerJson = ({ name, sites }: Extract<Answer, { kind: 'times' }>) => ({
  name,
  sites: sites.map(({ site, url, from }) => ({ site, url, from: from === null ? null : isoTime(from) })),
});
