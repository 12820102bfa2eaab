import { Hono } from 'hono';
import { Problem } from '../../core/problem.ts';
import { listingKeys } from '../../operator/keys/listing-keys.ts';
import { showPage } from '../../web/show.ts';
import { askToSignInAgain, freshMs } from '../access/fresh.ts';
import type { ConsoleEnv, ConsoleParts } from '../parts.ts';
import { paths } from '../paths.ts';
import { keysPage, unreadablePage } from './page.ts';

const WHY = 'This page shows tokens and keys, so it opens only in the 5 minutes after signing in.';

/** The only page with tokens and the public key (rule 10). What it shows is neither stored by browsers nor logged. */
export function keysPages(parts: ConsoleParts): Hono<ConsoleEnv> {
  const { teller, control, log, command } = parts;
  const pages = new Hono<ConsoleEnv>();
  pages.get(paths.keys, async (c) => {
    const leftMs = freshMs(c, parts);
    if (leftMs === 0) return askToSignInAgain(c, parts, { next: paths.keys, why: WHY });
    // The browser then asks again, and the keys leave its screen.
    c.header('Refresh', String(Math.ceil(leftMs / 1000)));
    log.info(
      { code: 'keys-shown', by: c.var.visit.person?.id },
      'a page of the console showed the tokens and the public key',
    );
    try {
      const keys = await listingKeys(teller.config);
      return showPage(c, keysPage({ keys, ...teller.listener, file: control.file, command, leftMs }));
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      return showPage(c, unreadablePage(error, command), 500);
    }
  });
  return pages;
}
