import { Hono } from 'hono';
import { Problem } from '../../core/problem.ts';
import { code, html, live, problemList } from '../../web/kit.ts';
import type { Page } from '../../web/layout.ts';
import { showPage } from '../../web/show.ts';
import type { ConsoleEnv } from '../parts.ts';
import { paths } from '../paths.ts';
import { type NowFacts, readFacts } from './facts.ts';
import { gameServersView } from './game-servers-view.ts';
import { nowJson } from './json.ts';
import type { WatchingParts } from '../running-watch.ts';
import { sitesView } from './sites-view.ts';
import { stateView } from './state-view.ts';

/** What happens now, and what needs the operator. */
export function nowPages(parts: WatchingParts): Hono<ConsoleEnv> {
  const pages = new Hono<ConsoleEnv>();
  pages.get(paths.now, async (c) => showPage(c, await nowPage(parts)));
  return pages;
}

async function nowPage(parts: WatchingParts): Promise<Page> {
  try {
    return pageOf(await readFacts(parts), parts);
  } catch (error) {
    if (error instanceof Problem) return unreadable(error);
    throw error;
  }
}

const TITLE = 'Now';

const pageOf = (facts: NowFacts, { clock, command }: WatchingParts): Page => ({
  title: TITLE,
  body: [
    live('state', stateView(facts.state, facts.state.needYou > 0 ? 'warn' : 'good', clock.now())),
    live('game-servers', gameServersView(facts.gameServers, command)),
    live('sites', sitesView(facts.sites, clock.now(), command)),
  ],
  json: nowJson(facts),
});

/** Nothing else is known without the ledger. */
const unreadable = ({ code: problemCode, message }: Problem): Page => ({
  title: TITLE,
  body: live(
    'state',
    problemList('Problems', [
      {
        tone: 'bad',
        sentence: 'The ledger cannot be read, so votes are probably not stored either.',
        advice: html`${message} ${code(problemCode)}`,
      },
    ]),
  ),
  json: { problems: [{ mark: 'problem', code: problemCode, sentence: message }] },
});
