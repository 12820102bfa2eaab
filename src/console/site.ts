import { Hono, type MiddlewareHandler } from 'hono';
import type { Cancel, Clock } from '../core/clock.ts';
import { type Mode, modeText } from '../operator/now/modes.ts';
import { consoleBrand } from '../web/brands.ts';
import { isChange } from '../web/guards.ts';
import { count, type Html, html, menuCount, withTimes } from '../web/kit.ts';
import type { MenuLink } from '../web/layout.ts';
import { type ChangeSource, liveRoute } from '../web/live.ts';
import { pageApp } from '../web/page-app.ts';
import { seeOther } from '../web/show.ts';
import { LOOPBACK_HOSTS, type Site } from '../web/site.ts';
import type { Operator } from './access/operator.ts';
import { figuresPages } from './figures/pages.ts';
import { grantsPages } from './grants/pages.ts';
import { keysPages } from './keys/pages.ts';
import { nowPages } from './now/pages.ts';
import type { ConsoleEnv, ConsoleParts } from './parts.ts';
import { paths, signInThen } from './paths.ts';
import { playersPages } from './players/pages.ts';
import { rewardsPages } from './rewards/pages.ts';
import { NEED_YOU_MAX, RunningWatch, type WatchingParts } from './running-watch.ts';
import { signInPages } from './sign-in/pages.ts';
import { testPages } from './test-page/pages.ts';
import { votesPages } from './votes/pages.ts';

/** A part of the console that only operators see, with its place in the navigation. */
interface Section {
  readonly label: string;
  readonly href: string;
  readonly pagesOf: (parts: WatchingParts) => Hono<ConsoleEnv>;
}

/** Adding a section means adding its folder and a line here. */
const sections: readonly Section[] = [
  { label: 'Now', href: paths.now, pagesOf: nowPages },
  { label: 'Votes', href: paths.votes, pagesOf: votesPages },
  { label: 'Players', href: paths.players, pagesOf: playersPages },
  { label: 'Needs you', href: paths.grants, pagesOf: grantsPages },
  { label: 'Figures', href: paths.figures, pagesOf: figuresPages },
  { label: 'Rewards', href: paths.rewards, pagesOf: rewardsPages },
  { label: 'Test', href: paths.test, pagesOf: testPages },
];

/** How browsers reach the console. */
export interface ConsoleAddress {
  /** The host names that it accepts besides those of loopback. */
  readonly hosts: readonly string[];
  readonly https: boolean;
}

/** The web site of the console. */
export function consoleSite(parts: ConsoleParts, address: ConsoleAddress): Hono<ConsoleEnv> {
  const watch = new RunningWatch(parts);
  const app = pageApp<Operator>(siteOf(parts, address, watch));
  app.route('/', signInPages(parts));
  const inside = new Hono<ConsoleEnv>();
  inside.use(signedInOnly);
  inside.route('/', liveRoute<Operator>(new LookedAt(() => watch.mark(), parts.clock), parts.clock));
  inside.use(async (_, next) => {
    await watch.lookAtLedger();
    return next();
  });
  // The keys have no place in the navigation.
  for (const pagesOf of [...sections.map((each) => each.pagesOf), keysPages])
    inside.route('/', pagesOf({ ...parts, watch }));
  app.route('/', inside);
  return app;
}

/** With how many grants need the operator. */
const menuOf = ({ needYou }: RunningWatch): readonly MenuLink[] =>
  sections.map(({ label, href }) => {
    if (href !== paths.grants) return { label, href };
    const text = needYou >= NEED_YOU_MAX ? `${count(NEED_YOU_MAX)}+` : count(needYou);
    const note = menuCount('menu-need-you', needYou === 0 ? null : text, needYou === 1 ? 'grant' : 'grants');
    return { label, href, note };
  });

const siteOf = (
  { access, clock, random, log }: ConsoleParts,
  { hosts, https }: ConsoleAddress,
  watch: RunningWatch,
): Site<Operator> => ({
  name: 'Teller',
  brand: consoleBrand,
  cookie: 'teller-console',
  home: paths.now,
  hosts: [...LOOPBACK_HOSTS, ...hosts],
  https,
  answersScripts: false,
  sessions: access.sessions,
  accounts: {
    signIn: paths.signIn,
    signOut: paths.signOut,
    corner: () => ({ label: 'Keys', href: paths.keys, title: 'What to enter at each listing' }),
    signOutEverywhere: paths.signOutEverywhere,
  },
  navigation: (person) => (person === null ? [] : menuOf(watch)),
  notice: (person) => (person === null ? null : modeNotice(watch.modes)),
  clock,
  random,
  log,
});

/** On every page: why votes are not all paid to real players now; null if they are. */
const modeNotice = (modes: readonly Mode[]): Html | null =>
  modes.length === 0
    ? null
    : html`${modes.map((mode, index) => [index > 0 && html`<br>`, withTimes(modeText(mode))])}`;

const wantedPath = (url: string): string => {
  const { pathname, search } = new URL(url);
  return pathname + search;
};

/** Sends visitors to the page where they sign in, and from there back to the page they wanted. */
const signedInOnly: MiddlewareHandler<ConsoleEnv> = async (c, next) => {
  if (c.var.visit.person !== null) return next();
  return seeOther(c, isChange(c.req.method) ? paths.signIn : signInThen(wantedPath(c.req.url)));
};

/** How often it is looked whether something changed, while a page is open. */
const LOOK_EVERY_MS = 500;

/**
 * Notices changes by looking again and again, because other processes change the ledger too. Nothing is looked at while
 * nobody watches.
 */
class LookedAt implements ChangeSource {
  /** @param look a text that differs if anything that pages show has changed; null: nothing can be said now. */
  constructor(
    private readonly look: () => Promise<string | null>,
    private readonly clock: Pick<Clock, 'after'>,
  ) {}

  whenChanged(callback: () => void): Cancel {
    let cancelLook: Cancel = () => {};
    let isOver = false;
    let seen: string | null = null;
    const lookAgain = async (): Promise<void> => {
      const found = await this.look();
      if (isOver) return;
      if (seen !== null && found !== null && found !== seen) callback();
      seen = found ?? seen;
      cancelLook = this.clock.after(LOOK_EVERY_MS, () => void lookAgain());
    };
    void lookAgain();
    return () => {
      isOver = true;
      cancelLook();
    };
  }
}
