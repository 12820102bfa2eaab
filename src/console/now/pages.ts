import { Hono } from 'hono';
import { isLoopback } from '../../core/address.ts';
import type { Finding } from '../../core/finding.ts';
import { Problem } from '../../core/problem.ts';
import { type GameServersNow, gameServersNow } from '../../operator/now/game-servers.ts';
import { type GuideNow, guideNow, isBeginning } from '../../operator/now/guide.ts';
import { type SitesNow, sitesNow } from '../../operator/now/sites.ts';
import { type StateNow, stateNow, stateSentences } from '../../operator/now/state.ts';
import {
  ago,
  code,
  type Html,
  html,
  linkButton,
  live,
  problemList,
  stateSentence,
  type Tone,
} from '../../web/kit.ts';
import type { Page } from '../../web/layout.ts';
import { showPage } from '../../web/show.ts';
import type { ConsoleEnv } from '../parts.ts';
import { paths } from '../paths.ts';
import type { WatchingParts } from '../running-watch.ts';
import { canConnectReal, connectRoutes } from './connect-pages.ts';
import { fixRoutes } from './fixes.ts';
import { gameServersView } from './game-servers-view.ts';
import { guideView } from './guide-view.ts';
import { checkedView, problemsView, type Sorted, sorted } from './problems-view.ts';
import { siteRoutes } from './site-pages.ts';
import { sitesView } from './sites-view.ts';

/** What happens now, and what needs the operator. */
export function nowPages(parts: WatchingParts): Hono<ConsoleEnv> {
  const pages = new Hono<ConsoleEnv>();
  pages.get(paths.now, async (c) => {
    const asked = { csrf: c.var.visit.csrf, host: c.req.header('host') ?? '' };
    return showPage(c, await nowPage(parts, asked));
  });
  pages.route('/', fixRoutes(parts));
  pages.route('/', connectRoutes(parts));
  pages.route('/', siteRoutes(parts));
  return pages;
}

/** Who asks, and under which host name. */
interface Asked {
  readonly csrf: string;
  readonly host: string;
}

async function nowPage(parts: WatchingParts, asked: Asked): Promise<Page> {
  try {
    return pageOf(await readFacts(parts), parts, asked);
  } catch (error) {
    if (error instanceof Problem) return unreadable(error);
    throw error;
  }
}

const TITLE = 'Now';

const pageOf = (facts: NowFacts, parts: WatchingParts, { csrf, host }: Asked): Page => {
  const { teller, clock, command } = parts;
  const now = clock.now();
  const { state, gameServers, sites, checked, guide } = facts;
  const found = sorted(checked ?? []);
  const shown = { csrf, command };
  const { listener, config } = teller;
  const canConnect = canConnectReal(clock);
  const { protocols } = config.listener;
  const view = { guide, listener, protocols, publicHost: publicHostIn(host), canConnect, ...shown };
  const isBegun = !isBeginning(guide, canConnect);
  return {
    title: TITLE,
    actions: canConnect && isBegun && linkButton('Add a game server', paths.connect),
    body: [
      live('state', [stateView(state, toneOf(state, found), now), problemsView(found.urgent, shown)]),
      live('guide', !isBegun && guideView(view)),
      live('game-servers', gameServersView(gameServers, { command, canConnect })),
      live('sites', sitesView(sites, now, command)),
      live('checked', checkedView(found, shown)),
    ],
  };
};

/** The name under which a browser on another machine has reached this one, as it may be the one that listings need. */
function publicHostIn(host: string): string | null {
  const name = host.replace(/:\d+$/, '').replace(/^\[(.*)\]$/, '$1');
  return name === '' || isLoopback(name) ? null : name;
}

/** What is lost, then what waits for the operator. */
function toneOf({ needYou }: NowFacts['state'], { urgent }: Sorted): Tone {
  if (urgent.some(({ mark }) => mark === 'problem')) return 'bad';
  return needYou > 0 || urgent.length > 0 ? 'warn' : 'good';
}

/** Nothing else is known without the ledger. */
const unreadable = ({ code: problemCode, message }: Problem): Page => ({
  title: TITLE,
  body: [
    live(
      'state',
      problemList('Problems', [
        {
          tone: 'bad',
          sentence: 'The ledger cannot be read, so votes are probably not stored either.',
          advice: html`${message} ${code(problemCode)}`,
        },
      ]),
    ),
    // For when it can be read again.
    ['guide', 'game-servers', 'sites', 'checked'].map((id) => live(id, null)),
  ],
});

/** What the page shows. */
interface NowFacts {
  readonly state: StateNow;
  readonly gameServers: GameServersNow;
  readonly sites: SitesNow;
  readonly guide: GuideNow;
  /** What the last check found; null: the first one has not ended. */
  readonly checked: readonly Finding[] | null;
}

/** Rejects with the ledger's Problem. */
async function readFacts({ teller, watch, clock }: WatchingParts): Promise<NowFacts> {
  const { config, ledger, listener } = teller;
  const now = clock.now();
  watch.gameServers.look();
  const practice = teller.practiceServers;
  const [state, gameServers, sites, checked] = await Promise.all([
    stateNow({ config, port: listener.port, ledger }, watch.pauses, clock),
    gameServersNow(config, teller.gameServers, watch.gameServers, ledger, clock),
    sitesNow(ledger, config.sites, now),
    watch.checks.latest(),
  ]);
  const away = gameServers.servers.flatMap(({ name, connection }) =>
    connection.kind === 'trouble' ? [name] : [],
  );
  const known = { servers: gameServers.servers, sites: sites.sites, isPaid: state.isPaid };
  const guide = await guideNow(ledger, practice, known, now);
  return { state: { ...state, away }, gameServers, sites, checked, guide };
}

/** How Teller is, in one line. `tone`: that of the worst problem. */
function stateView(state: StateNow, tone: Tone, now: number): Html {
  const { listening, modes, sites, away, needYou } = stateSentences(state);
  const { lastVoteAt } = state;
  const vote = lastVoteAt === null ? 'No vote yet.' : html`Last vote ${ago(lastVoteAt, now)}.`;
  const needed = [away, needYou].filter((each) => each !== null);
  const parts = [listening, ...modes, sites, vote, ...needed];
  return stateSentence({ tone, sentence: parts.map((part, index) => [index > 0 && ' ', part]) });
}
