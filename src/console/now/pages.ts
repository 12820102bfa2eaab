import { Hono } from 'hono';
import { Problem } from '../../core/problem.ts';
import { code, html, live, problemList, type Tone } from '../../web/kit.ts';
import type { Page } from '../../web/layout.ts';
import { showPage } from '../../web/show.ts';
import type { ConsoleEnv } from '../parts.ts';
import { paths } from '../paths.ts';
import type { WatchingParts } from '../running-watch.ts';
import { type NowFacts, readFacts } from './facts.ts';
import { fixRoutes } from './fixes.ts';
import { gameServersView } from './game-servers-view.ts';
import { nowJson } from './json.ts';
import { checkedView, problemsView, type Sorted, sorted } from './problems-view.ts';
import { sitesView } from './sites-view.ts';
import { stateView } from './state-view.ts';

/** What happens now, and what needs the operator. */
export function nowPages(parts: WatchingParts): Hono<ConsoleEnv> {
  const pages = new Hono<ConsoleEnv>();
  pages.get(paths.now, async (c) => showPage(c, await nowPage(parts, c.var.visit.csrf)));
  pages.route('/', fixRoutes(parts));
  return pages;
}

async function nowPage(parts: WatchingParts, csrf: string): Promise<Page> {
  try {
    return pageOf(await readFacts(parts), parts, csrf);
  } catch (error) {
    if (error instanceof Problem) return unreadable(error);
    throw error;
  }
}

const TITLE = 'Now';

const pageOf = (facts: NowFacts, { clock, command }: WatchingParts, csrf: string): Page => {
  const now = clock.now();
  const { state, gameServers, sites, checked } = facts;
  const found = sorted(checked?.findings ?? []);
  const shown = { csrf, command };
  return {
    title: TITLE,
    body: [
      live('state', [stateView(state, toneOf(state, found), now), problemsView(found.urgent, shown)]),
      live('game-servers', gameServersView(gameServers, command)),
      live('sites', sitesView(sites, now, command)),
      live('checked', checkedView(found, shown)),
    ],
    json: nowJson(facts),
  };
};

/** What is lost, then what waits for the operator. */
function toneOf({ needYou }: NowFacts['state'], { urgent }: Sorted): Tone {
  if (urgent.some(({ mark }) => mark === 'problem')) return 'bad';
  return needYou > 0 || urgent.length > 0 ? 'warn' : 'good';
}

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
