import { Hono } from 'hono';
import { html } from '../../web/kit.ts';
import { showPage } from '../../web/show.ts';
import type { ConsoleEnv, ConsoleParts } from '../parts.ts';
import { paths } from '../paths.ts';

/** What happens now, and what needs the operator. */
export function nowPages({ teller }: ConsoleParts): Hono<ConsoleEnv> {
  const pages = new Hono<ConsoleEnv>();
  pages.get(paths.now, (c) => {
    const { port } = teller.listener;
    const sites = teller.config.sites.size - 1;
    const state = `Listening on port ${port}. ${sites} sites.`;
    return showPage(c, { title: 'Now', lead: state, body: html``, json: { state } });
  });
  return pages;
}
