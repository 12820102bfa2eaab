import { MINUTE_MS } from '../../core/duration.ts';
import { showPage } from '../../web/show.ts';
import type { PageContext } from '../../web/site.ts';
import type { ConsoleParts } from '../parts.ts';
import { signInAgainPage } from '../sign-in/page.ts';
import type { Operator } from './operator.ts';
import { rememberPage } from './wanted-page.ts';

const FRESH_MS = 5 * MINUTE_MS;

/** For how long a session still counts as just begun, in ms; 0 if it no longer does, also if the clock was set back. */
export function freshMs(
  { var: { visit } }: PageContext<Operator>,
  { clock }: Pick<ConsoleParts, 'clock'>,
): number {
  const age = visit.person === null ? FRESH_MS : clock.now() - visit.person.since;
  return age < 0 ? 0 : Math.max(0, FRESH_MS - age);
}

/**
 * Asks for a new sign-in, for what a stolen session must not do.
 *
 * @param next where the new session goes on. Nothing that was typed may be lost, so it shows what was kept
 */
export function askToSignInAgain(
  c: PageContext<Operator>,
  { access: { hasPassword }, command }: Pick<ConsoleParts, 'access' | 'command'>,
  { next, why }: { readonly next: string; readonly why: string },
): Response | Promise<Response> {
  rememberPage(c, next);
  const { csrf } = c.var.visit;
  return showPage(c, signInAgainPage({ csrf, next, hasPassword, command }, why), 403);
}
