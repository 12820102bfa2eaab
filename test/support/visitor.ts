import type { Hono } from 'hono';

/** What a request is sent to: an app, or whatever answers like one. */
type Answering = Pick<Hono, 'request'>;

type Fields = Readonly<Record<string, string | readonly string[]>>;

const HIDDEN_CSRF = /name="csrf" value="([^"]*)"/;

/**
 * A browser as far as guards can see one: keeps cookies, sends Host and Origin, and posts forms with the token of the
 * page it saw last. It follows no redirects by itself.
 */
export class Visitor {
  readonly host: string;
  private readonly cookies = new Map<string, string>();
  /** The token in the forms of the last page that had any. */
  csrf = '';

  constructor(
    private readonly app: Answering,
    host = '127.0.0.1:8190',
  ) {
    this.host = host;
  }

  get cookie(): string {
    return [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  }

  /** As a page of another site, a proxy or an older visit could have left it. */
  plant(name: string, value: string): void {
    this.cookies.set(name, value);
  }

  held(name: string): string | undefined {
    return this.cookies.get(name);
  }

  get(path: string, headers: Readonly<Record<string, string>> = {}): Promise<Seen> {
    return this.send(path, { headers: { ...this.headers(), ...headers } });
  }

  /** `headers` with an empty value are left out. */
  post(path: string, fields: Fields = {}, headers: Readonly<Record<string, string>> = {}): Promise<Seen> {
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
    return this.send(path, { method: 'POST', headers: Object.fromEntries(kept), body: body.toString() });
  }

  private headers(): Record<string, string> {
    return { host: this.host, ...(this.cookies.size > 0 ? { cookie: this.cookie } : {}) };
  }

  private async send(path: string, init: RequestInit): Promise<Seen> {
    const response = await this.app.request(`http://${this.host}${path}`, init);
    for (const cookie of response.headers.getSetCookie()) this.keep(cookie);
    const text = await response.text();
    this.csrf = HIDDEN_CSRF.exec(text)?.[1] ?? this.csrf;
    return { status: response.status, headers: response.headers, text, to: response.headers.get('location') };
  }

  private keep(setCookie: string): void {
    const [pair = ''] = setCookie.split(';', 1);
    const [name = '', ...rest] = pair.split('=');
    if (/max-age=0/i.test(setCookie)) this.cookies.delete(name);
    else this.cookies.set(name, rest.join('='));
  }
}

export interface Seen {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** Where it redirects to. */
  readonly to: string | null;
}
