import type { Exchange } from './exchange.ts';
import type { Flash } from './flash.ts';
import { ANSWER } from './form-answers.ts';
import { isChange } from './guards.ts';
import { document, type Frame, type Page, type PageStatus } from './layout.ts';
import { wantsJson } from './refusal.ts';
import { accountCorner, type PageContext } from './site.ts';

export type { PageStatus } from './layout.ts';

/** The response header in which scripts find the CSRF token for their next form. */
const CSRF_HEADER = 'X-Csrf-Token';

/**
 * Answers with a page in the site's frame, or with its values if JSON is requested. A form is answered by leading the
 * browser to the page, unless nobody is signed in: anyone could fill the memory that this takes.
 */
export function showPage<Person>(
  c: PageContext<Person>,
  page: Page,
  status: PageStatus = 200,
): Response | Promise<Response> {
  if (wantsJson(c, c.var.site)) return answerScript(c, page.json ?? { title: page.title }, status);
  const { visit, answers, pageWithForm } = c.var;
  if (isChange(c.req.method) && visit.person !== null) {
    const id = answers.keep(visit.csrf, { page, status });
    return c.redirect(`${pageWithForm(pathOf(c))}?${ANSWER}=${id}`, 303);
  }
  return c.html(document(frameOf(c), page).toString(), status);
}

/** As it was sent, for a link: the path that the framework gives is decoded. */
export const pathOf = (c: Exchange): string => new URL(c.req.url).pathname;

/** The result of a form. Tone `warn` without a code: the action was done, but something needs attention. */
export interface Ending extends Flash {
  /** A stable code, if the form did not do what was requested. */
  readonly code?: string;
  /** The result as values, for scripts. */
  readonly json?: object;
}

/** Redirects after a form to a page that can be reloaded and shows the result. */
export function seeOther<Person>(c: PageContext<Person>, path: string, ending?: Ending): Response {
  if (wantsJson(c, c.var.site)) return answerEnding(c, ending);
  if (ending !== undefined) c.var.flashes.put(c, ending);
  return c.redirect(path, 303);
}

function answerEnding<Person>(c: PageContext<Person>, ending: Ending | undefined): Response {
  const { tone, text: message, code, json } = ending ?? { tone: 'good', text: 'Done.' };
  if (tone !== 'bad' && code === undefined) return answerScript(c, { message, ...json }, 200);
  return answerScript(c, { code: code ?? 'not-done', message, ...json }, 409);
}

/** The `Page.json` of a form with faults: each fault under the name of its field. */
export const formFaults = (faults: Readonly<Record<string, string>>) => ({
  code: 'form-invalid',
  message: Object.values(faults).join(' '),
  faults,
});

function answerScript<Person>(c: PageContext<Person>, json: object, status: PageStatus): Response {
  if (c.var.visit.csrf !== '') c.header(CSRF_HEADER, c.var.visit.csrf);
  return c.json(json, status);
}

function frameOf<Person>(c: PageContext<Person>): Frame {
  const { site, visit, flash } = c.var;
  return {
    site: site.name,
    brand: site.brand,
    home: site.home,
    navigation: site.navigation(visit.person),
    account: accountCorner(site, visit),
    path: c.req.path,
    flash,
    now: site.clock.now(),
    notice: site.notice?.(visit.person) ?? null,
  };
}
