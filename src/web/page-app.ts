import { Hono, type MiddlewareHandler } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { routePath } from 'hono/route';
import { assetRoutes } from './assets.ts';
import { type Sessions, VisitCookies } from './auth/session.ts';
import { Cookie } from './cookie.ts';
import type { Exchange } from './exchange.ts';
import { parseEntered } from './fields.ts';
import { FlashCookie } from './flash.ts';
import { ANSWER, FormAnswers } from './form-answers.ts';
import { isChange, isForm, isJson, listedHost, sameOrigin, securityHeaders } from './guards.ts';
import { REFRESH_HEADER } from './page-script.ts';
import { refuse, wantsJson } from './refusal.ts';
import { isSameText } from './same-text.ts';
import { pathOf, showPage } from './show.ts';
import { isCutOff, type PageEnv, type Site } from './site.ts';

/** The largest form is a pasted delivery: body, headers and secret. */
const BODY_MAX_BYTES = 64 * 1024;

/** The form field that carries the session's token. */
const CSRF_FIELD = 'csrf';

/**
 * A Hono app whose routes are pages. All guards are registered here, in order, so routes that are added later can rely on
 * them.
 */
export function pageApp<Person>(site: Site<Person>): Hono<PageEnv<Person>> {
  const app = new Hono<PageEnv<Person>>();
  app.use(securityHeaders);
  app.use(listedHost(site));
  app.route('/', assetRoutes(site.brand.assets));
  app.use(sameOrigin(site));
  const answers = new FormAnswers(site.random);
  app.use(async (c, next) => {
    c.set('answers', answers);
    c.set('pageWithForm', (path) => pageWithForm(app, path));
    return next();
  });
  app.use(site.sessions === null ? onlyReading(site) : visiting(site, site.sessions));
  // The guards above read no body: what they refuse costs nothing more.
  app.use(bodyLimit({ maxSize: BODY_MAX_BYTES, onError: (c) => refuse(c, site, 'body-too-large') }));
  app.use(ownForm(site));
  app.use(answered());
  // The address of a form is not a page's, but a refusal of a guard is shown there, and may be reloaded.
  app.notFound((c) =>
    READS.has(c.req.method) && takes(app, 'POST', pathOf(c)) && !wantsJson(c, site)
      ? c.redirect(pageWithForm(app, pathOf(c)), 303)
      : refuse(c, site, 'not-found'),
  );
  app.onError((error, c) => {
    if (isCutOff(c)) return c.body(null, 400);
    // The route instead of the path: a path may contain an invitation's code.
    const at = `${c.req.method} ${routePath(c, -1)}`;
    site.log.error({ code: 'page-fault', at, fault: error.stack ?? error.message }, `A page failed: ${at}`);
    return refuse(c, site, 'internal-fault');
  });
  return app;
}

const READS: ReadonlySet<string> = new Set(['GET', 'HEAD']);

/** Nothing can be changed, so there is no visitor to find and no form to prove. */
const onlyReading =
  <Person>(site: Site<Person>): MiddlewareHandler<PageEnv<Person>> =>
  async (c, next) => {
    if (!READS.has(c.req.method)) return refuse(c, site, 'not-found');
    c.set('site', site);
    c.set('visit', { person: null, csrf: '' });
    c.set('flash', null);
    return next();
  };

/** Finds the visitor, and the result of the last form that this page has to show. */
function visiting<Person>(
  site: Site<Person>,
  sessions: Sessions<Person>,
): MiddlewareHandler<PageEnv<Person>> {
  const cookies = new VisitCookies(site.cookie, site.https, site.random);
  const flashes = new FlashCookie(new Cookie(`${site.cookie}-flash`, site.https), site.random.bytes(32));
  return async (c, next) => {
    c.set('site', site);
    c.set('cookies', cookies);
    c.set('flashes', flashes);
    c.set('visit', cookies.visit(c, sessions));
    c.set('flash', isChange(c.req.method) || isUnseen(c) ? null : flashes.take(c));
    return next();
  };
}

/** Whether nobody sees the answer, or not yet. The flash message then waits for the page that the visitor sees next. */
const isUnseen = (c: Exchange): boolean =>
  c.req.method === 'HEAD' ||
  c.req.header('sec-purpose')?.startsWith('prefetch') === true ||
  c.req.header(REFRESH_HEADER) !== undefined ||
  c.req.header('accept') === 'text/event-stream';

/** Shows the page that answered a form. A refresh asks for the page without it, for the parts that change. */
const answered =
  <Person>(): MiddlewareHandler<PageEnv<Person>> =>
  async (c, next) => {
    const id = c.req.query(ANSWER);
    if (id === undefined || c.req.method !== 'GET' || isUnseen(c) || wantsJson(c, c.var.site)) return next();
    const answer = c.var.answers.find(c.var.visit.csrf, id);
    return answer === null ? next() : showPage(c, answer.page, answer.status);
  };

/** Whether a route of the app, not only a guard, takes such a request. */
const takes = <Person>(app: Hono<PageEnv<Person>>, method: 'GET' | 'POST', path: string): boolean =>
  app.router.match(method, path)[0].some(([[, route]]) => route.method === method);

/** The path itself or the nearest above it that is a page: forms of a page are sent to paths below its own. */
function pageWithForm<Person>(app: Hono<PageEnv<Person>>, path: string): string {
  const above = path.slice(0, path.lastIndexOf('/'));
  return path === '/' || takes(app, 'GET', path) ? path : pageWithForm(app, above === '' ? '/' : above);
}

/** Reads the form, and refuses forms without the visitor's CSRF token. */
function ownForm<Person>(site: Site<Person>): MiddlewareHandler<PageEnv<Person>> {
  return async (c, next) => {
    c.set('entered', {});
    const type = c.req.header('content-type');
    if (!isChange(c.req.method) || isJson(type)) return next();
    if (!isForm(type)) return refuse(c, site, 'body-kind');
    const entered = parseEntered(await c.req.text());
    const [token = ''] = entered[CSRF_FIELD] ?? [];
    if (!isSameText(token, c.var.visit.csrf)) return refuse(c, site, 'form-outdated');
    c.set('entered', entered);
    return next();
  };
}
