import type { Flash } from './flash.ts';
import { document, type Frame, type Page } from './layout.ts';
import { wantsJson } from './refusal.ts';
import { accountCorner, type PageContext } from './site.ts';

/** 410 is for what is used up, 422 for a form that comes back with faults. */
export type PageStatus = 200 | 410 | 422 | 429;

/** Where scripts, which see no forms, find the token that a form of theirs has to carry. */
export const CSRF_HEADER = 'X-Csrf-Token';

/** Answers with a page in the site's frame; scripts, which ask for JSON, get what it shows as values. */
export function showPage<Person>(
  c: PageContext<Person>,
  page: Page,
  status: PageStatus = 200,
): Response | Promise<Response> {
  if (wantsJson(c)) return answerScript(c, page.json ?? { title: page.title }, status);
  return c.html(document(frameOf(c), page).toString(), status);
}

/** What a form came to. Amber without a code was done, and has something to look at. */
export interface Ending extends Flash {
  /** Stable; where it did not do what was asked. */
  readonly code?: string;
  /** What it made, as values for scripts. */
  readonly json?: object;
}

/** After a form has done its work: to a page that can be reloaded, which tells what was done. */
export function seeOther<Person>(c: PageContext<Person>, path: string, ending?: Ending): Response {
  if (wantsJson(c)) return answerEnding(c, ending);
  if (ending !== undefined) c.var.flashes.put(c, ending);
  return c.redirect(path, 303);
}

function answerEnding<Person>(c: PageContext<Person>, ending: Ending | undefined): Response {
  const { tone, text: message, code, json } = ending ?? { tone: 'good', text: 'Done.' };
  if (tone !== 'bad' && code === undefined) return answerScript(c, { message, ...json }, 200);
  return answerScript(c, { code: code ?? 'not-done', message, ...json }, 409);
}

/** For `Page.json` of a form that comes back: every fault by its field. */
export const formFaults = (faults: Readonly<Record<string, string>>) => ({
  code: 'form-invalid',
  message: Object.values(faults).join(' '),
  faults,
});

function answerScript<Person>(c: PageContext<Person>, json: object, status: PageStatus | 409): Response {
  c.header(CSRF_HEADER, c.var.visit.csrf);
  return c.json(json, status);
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
    notice: site.notice?.() ?? null,
  };
}
