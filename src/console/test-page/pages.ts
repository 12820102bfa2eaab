import { Hono } from 'hono';
import { showPage } from '../../web/show.ts';
import type { ConsoleEnv, ConsoleParts } from '../parts.ts';
import { paths } from '../paths.ts';
import { testPage } from './page.ts';
import { practicePages } from './practice-pages.ts';
import { votePages } from './vote-pages.ts';

/** What an operator tries before players do: a vote, and players who join. */
export function testPages(parts: ConsoleParts): Hono<ConsoleEnv> {
  const pages = new Hono<ConsoleEnv>();
  pages.get(paths.test, (c) => showPage(c, testPage(parts, c.var.visit.csrf)));
  for (const pagesOf of [votePages, practicePages]) pages.route('/', pagesOf(parts));
  return pages;
}
