import type { Flash } from './flash.ts';
import { type AccountCorner, document, type Frame, type Page } from './layout.ts';
import type { Visit } from './session.ts';
import type { PageContext, Site } from './site.ts';

/** 410 is for what is used up, 422 for a form that comes back with faults. */
export type PageStatus = 200 | 410 | 422 | 429;

/** Answers with a page in the site's frame. */
export function showPage<Person>(
  c: PageContext<Person>,
  page: Page,
  status: PageStatus = 200,
): Response | Promise<Response> {
  return c.html(document(frameOf(c), page).toString(), status);
}

/** After a form has done its work: to a page that can be reloaded, which tells what was done. */
export function seeOther<Person>(c: PageContext<Person>, path: string, flash?: Flash): Response {
  if (flash !== undefined) c.var.flashes.put(c, flash);
  return c.redirect(path, 303);
}

function frameOf<Person>(c: PageContext<Person>): Frame {
  const { site, visit, flash } = c.var;
  return {
    site: site.name,
    home: site.home,
    navigation: site.navigation(visit.person),
    account: accountCorner(site, visit),
    path: c.req.path,
    flash,
    now: site.clock.now(),
  };
}

function accountCorner<Person>({ accounts }: Site<Person>, { person, csrf }: Visit<Person>): AccountCorner {
  if (accounts === null) return { kind: 'none' };
  const { signIn, signOut, account, nameOf } = accounts;
  if (person === null) return { kind: 'signed-out', signIn };
  return { kind: 'signed-in', name: nameOf(person), href: account, signOut, csrf };
}
