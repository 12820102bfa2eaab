import { Hono } from 'hono';
import { shadowReport } from '../../operator/shadow/report.ts';
import { refuse } from '../../web/refusal.ts';
import { showPage } from '../../web/show.ts';
import type { ConsoleEnv, ConsoleParts } from '../parts.ts';
import { paths } from '../paths.ts';
import { commandPages } from './command-pages.ts';
import { testPage } from './page.ts';
import { practicePages } from './practice-pages.ts';
import { shadowPage } from './shadow.ts';
import { votePages } from './vote-pages.ts';

const DAY_MS = 86_400_000;

/** What an operator tries before players do: a vote, a command, players who join, and payment in shadow. */
export function testPages(parts: ConsoleParts): Hono<ConsoleEnv> {
  const { teller, clock } = parts;
  const pages = new Hono<ConsoleEnv>();
  pages.get(paths.test, (c) => showPage(c, testPage(parts, c.var.visit.csrf)));
  pages.get(paths.shadow, async (c) => {
    if (teller.config.pay.mode !== 'shadow') return refuse(c, c.var.site, 'not-found');
    return showPage(c, shadowPage(await shadowReport(teller.ledger, clock.now() - DAY_MS)));
  });
  for (const pagesOf of [votePages, commandPages, practicePages]) pages.route('/', pagesOf(parts));
  return pages;
}
