import { Hono } from 'hono';
import { PASSWORD_MOST } from '../../web/auth/passwords.ts';
import { TOO_MANY_ATTEMPTS } from '../../web/auth/sign-in-refused.ts';
import { signOut, signOutEverywhere, startSession } from '../../web/auth/start-session.ts';
import { exactText, readFields } from '../../web/fields.ts';
import { freshForm, refusedForm } from '../../web/kit.ts';
import { localPath } from '../../web/local-path.ts';
import { seeOther, showPage } from '../../web/show.ts';
import { clientAddress, type PageContext } from '../../web/site.ts';
import type { Access, EnteringBrowser, Entry } from '../access/access.ts';
import type { Operator } from '../access/operator.ts';
import { rememberPage, takePage } from '../access/wanted-page.ts';
import type { ConsoleEnv, ConsoleParts } from '../parts.ts';
import { paths } from '../paths.ts';
import { LINK_USED, linkPage, type SignInPage, signInPage, WRONG } from './page.ts';

const FIELDS = { password: exactText({ label: 'Password', most: PASSWORD_MOST }) } as const;

/** Signing in, by one-time link or password, and out. */
export function signInPages({ access, log, command }: ConsoleParts): Hono<ConsoleEnv> {
  const pages = new Hono<ConsoleEnv>();
  const shown = (more: Pick<SignInPage, 'csrf' | 'next'> & Partial<SignInPage>) =>
    signInPage({ state: freshForm, hasPassword: access.hasPassword, command, ...more });
  pages.get(paths.signIn, (c) => {
    const next = localPath(c.req.query('next'), paths.now);
    if (c.var.visit.person !== null) return seeOther(c, next);
    rememberPage(c, next);
    return showPage(c, shown({ csrf: c.var.visit.csrf, next }));
  });
  pages.post(paths.signIn, async (c) => {
    const { entered, visit } = c.var;
    const again = { csrf: visit.csrf, next: localPath(entered.next?.[0], paths.now) };
    const read = readFields(entered, FIELDS);
    if (read.kind === 'faults') {
      const state = { entered, faults: read.faults };
      return showPage(c, shown({ ...again, state, refused: refusedForm(read.faults) }), 422);
    }
    const entry = await access.withPassword(read.values.password, enteringBrowser(c));
    if (entry.kind === 'signed-in') {
      takePage(c);
      return start(c, access, entry, again.next);
    }
    if (entry.kind === 'wrong') return showPage(c, shown({ ...again, refused: WRONG }), 422);
    c.header('Retry-After', String(entry.retryAfterSeconds));
    return showPage(c, shown({ ...again, refused: TOO_MANY_ATTEMPTS }), 429);
  });
  const usedLink = (c: PageContext<Operator>) =>
    showPage(c, shown({ csrf: c.var.visit.csrf, next: paths.now, refused: LINK_USED }), 410);
  pages.get(paths.open(':code'), (c) => {
    const code = c.req.param('code') ?? '';
    return access.isPresentLink(code) ? showPage(c, linkPage(code, c.var.visit.csrf)) : usedLink(c);
  });
  pages.post(paths.open(':code'), async (c) => {
    const entry = await access.withLink(c.req.param('code') ?? '', enteringBrowser(c));
    return entry.kind === 'signed-in' ? start(c, access, entry, takePage(c)) : usedLink(c);
  });
  pages.post(paths.signOut, (c) => signOut(c, access.sessions));
  pages.post(paths.signOutEverywhere, (c) => {
    const { person } = c.var.visit;
    if (person === null) return seeOther(c, paths.signIn);
    log.info({ code: 'sessions-ended', by: person.id }, `${person.id} signs out everywhere`);
    return signOutEverywhere(c, access.sessions, person);
  });
  return pages;
}

const enteringBrowser = (c: PageContext<Operator>): EnteringBrowser => ({
  address: clientAddress(c),
  known: c.var.cookies.known(c),
  csrf: c.var.visit.person === null ? null : c.var.visit.csrf,
});

async function start(
  c: PageContext<Operator>,
  { sessions }: Access,
  entrance: Extract<Entry, { kind: 'signed-in' }>,
  next: string,
): Promise<Response> {
  await startSession(c, sessions, entrance);
  return seeOther(c, next);
}
