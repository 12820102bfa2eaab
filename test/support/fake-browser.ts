import type { Hono } from 'hono';
import { formsIn, type ShownForm } from './page-text.ts';

/** An app, or anything else that answers requests. */
type RequestHandler = Pick<Hono, 'request'>;

type Fields = Readonly<Record<string, string | readonly string[]>>;

const HIDDEN_CSRF = /name="csrf" value="([^"]*)"/;

/**
 * Behaves as a browser does towards the guards: keeps cookies, sends Host and Origin, and posts forms with the CSRF
 * token of the last page. Follows only the redirect to the page that answers a form.
 */
export class FakeBrowser {
  readonly host: string;
  private readonly cookies = new Map<string, string>();
  /** The token in the forms of the last page that had one. */
  csrf = '';

  constructor(
    private readonly app: RequestHandler,
    host = '127.0.0.1:8190',
  ) {
    this.host = host;
  }

  get cookie(): string {
    return [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  }

  /** Sets a cookie that did not come from this app, as another site or a proxy could. */
  setCookie(name: string, value: string): void {
    this.cookies.set(name, value);
  }

  cookieNamed(name: string): string | undefined {
    return this.cookies.get(name);
  }

  get(path: string, headers: Readonly<Record<string, string>> = {}): Promise<BrowserResponse> {
    return this.send(path, { headers: { ...this.headers(), ...headers } });
  }

  /** Leaves out `headers` with an empty value. */
  async post(
    path: string,
    fields: Fields = {},
    headers: Readonly<Record<string, string>> = {},
  ): Promise<BrowserResponse> {
    const body = new URLSearchParams({ csrf: this.csrf });
    for (const [name, value] of Object.entries(fields)) {
      if (name === 'csrf') body.delete('csrf');
      for (const one of [value].flat()) body.append(name, one);
    }
    const sent = {
      ...this.headers(),
      origin: `http://${this.host}`,
      'content-type': 'application/x-www-form-urlencoded',
      ...headers,
    };
    const kept = Object.entries(sent).filter(([, value]) => value !== '');
    const request = { method: 'POST', headers: Object.fromEntries(kept), body: body.toString() };
    const answer = await this.send(path, request);
    return answer.to?.includes('?answer=') ? this.get(answer.to) : answer;
  }

  private headers(): Record<string, string> {
    return { host: this.host, ...(this.cookies.size > 0 ? { cookie: this.cookie } : {}) };
  }

  private async send(path: string, init: RequestInit): Promise<BrowserResponse> {
    const response = await this.app.request(`http://${this.host}${path}`, init);
    for (const cookie of response.headers.getSetCookie()) this.keep(cookie);
    const text = await response.text();
    this.csrf = HIDDEN_CSRF.exec(text)?.[1] ?? this.csrf;
    const { status, headers } = response;
    return { at: path, status, headers, text, to: headers.get('location') };
  }

  private keep(setCookie: string): void {
    const [pair = ''] = setCookie.split(';', 1);
    const [name = '', ...rest] = pair.split('=');
    if (/max-age=0/i.test(setCookie)) this.cookies.delete(name);
    else this.cookies.set(name, rest.join('='));
  }
}

/** A browser that asks the site at this address. */
export function browserOf(origin: string): FakeBrowser {
  const request = (to: string, init?: RequestInit) => fetch(to, { ...init, redirect: 'manual' });
  return new FakeBrowser({ request: request as never }, new URL(origin).host);
}

export interface BrowserResponse {
  /** The address that the browser shows. */
  readonly at: string;
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The target of a redirect. */
  readonly to: string | null;
}

/** The forms that the pages to which links lead post, by action. */
export async function postedForms(
  browser: FakeBrowser,
  starts: readonly string[],
): Promise<readonly ShownForm[]> {
  const paths = new Set(starts);
  const forms = new Map<string, ShownForm>();
  // Those that are added meanwhile come too.
  for (const path of paths) {
    const { text, headers } = await browser.get(path);
    if (!headers.get('content-type')?.startsWith('text/html')) continue;
    for (const form of formsIn(text)) if (form.method === 'post') forms.set(form.action, form);
    for (const [, href = ''] of text.matchAll(/<a [^>]*href="(\/[^"#?]*)/g)) paths.add(href);
  }
  return [...forms.values()];
}

/** Follows redirects, as browsers do. */
export async function opened(browser: FakeBrowser, path: string): Promise<BrowserResponse> {
  const seen = await browser.get(path);
  return seen.to === null ? seen : opened(browser, seen.to);
}

/**
 * Sends a form, and looks at its answer: as it is shown, reloaded, and as the script of that page asks for it.
 *
 * @param action where it is sent, if not to its page.
 */
export async function answerOf(
  browser: FakeBrowser,
  { page, action = page, fields }: { page: string; action?: string; fields: Fields },
) {
  await browser.get(page);
  const sent = await browser.post(action, fields);
  const shown = sent.to === null ? sent : await opened(browser, sent.to);
  const reloaded = await opened(browser, shown.at);
  const refreshed = await browser.get(shown.at, { 'x-refresh': '1' });
  return { shown, reloaded, refreshed };
}
