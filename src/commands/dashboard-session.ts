import type { Clock } from '../core/clock.ts';
import { Problem } from '../core/problem.ts';
import { timeLimit } from '../core/time-limit.ts';

/** A page's answer as JSON. */
export interface Answered {
  readonly ok: boolean;
  readonly json: Readonly<Record<string, unknown>>;
}

interface SignIn {
  /** The address of the listing service. */
  readonly url: string;
  readonly account: string;
  readonly password: string;
  readonly clock: Clock;
}

type Fields = Readonly<Record<string, string | readonly string[]>>;

/** The service itself waits up to 10 s for a test event. */
const ANSWER_WITHIN_MS = 30_000;

/**
 * A session on the pages of a listing service for scripts: it uses the same addresses and forms as a browser, with JSON
 * answers. There is no other interface to these operations (SV-09).
 */
export class DashboardSession {
  private readonly cookies = new Map<string, string>();
  private csrf = '';

  private constructor(
    private readonly origin: string,
    private readonly clock: Clock,
  ) {}

  /** @throws Problem `usage`, `dashboard-unreachable`, `dashboard-sign-in` */
  static async open({ url, account, password, clock }: SignIn): Promise<DashboardSession> {
    const session = new DashboardSession(originOf(url), clock);
    await session.get('/sign-in');
    const { ok, json } = await session.post('/sign-in', { name: account, password });
    if (!ok) throw new Problem('dashboard-sign-in', `${account} cannot sign in: ${String(json.message)}`);
    return session;
  }

  get(path: string): Promise<Answered> {
    return this.send(path, { method: 'GET' }, {});
  }

  /** Loads `page`, then submits its form to `path`. */
  async submit(page: string, path: string, fields: Fields): Promise<Answered> {
    const shown = await this.get(page);
    return shown.ok ? this.post(path, fields) : shown;
  }

  async close(): Promise<void> {
    await this.get('/account');
    await this.post('/sign-out', {});
  }

  private post(path: string, fields: Fields): Promise<Answered> {
    const body = new URLSearchParams({ csrf: this.csrf });
    for (const [name, value] of Object.entries(fields)) {
      for (const one of [value].flat()) body.append(name, one);
    }
    const headers = { 'content-type': 'application/x-www-form-urlencoded', origin: this.origin };
    return this.send(path, { method: 'POST', body }, headers);
  }

  private async send(path: string, init: RequestInit, headers: Record<string, string>): Promise<Answered> {
    const stop = new AbortController();
    const cancel = timeLimit(this.clock, ANSWER_WITHIN_MS, () => stop.abort());
    try {
      const response = await fetch(this.origin + path, {
        ...init,
        headers: { ...headers, accept: 'application/json', cookie: this.cookieHeader() },
        redirect: 'manual',
        signal: stop.signal,
      });
      this.keep(response);
      return { ok: response.ok, json: (await response.json()) as Answered['json'] };
    } catch (error) {
      throw new Problem('dashboard-unreachable', this.unreachable(error), { cause: error });
    } finally {
      cancel();
    }
  }

  private keep(response: Response): void {
    this.csrf = response.headers.get('x-csrf-token') ?? this.csrf;
    for (const cookie of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=;]+)=([^;]*)/.exec(cookie) ?? [];
      if (/max-age=0\b/i.test(cookie)) this.cookies.delete(name);
      else this.cookies.set(name, value);
    }
  }

  private cookieHeader(): string {
    return [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  }

  private unreachable(error: unknown): string {
    const { cause, name } = error as { cause?: { code?: string }; name?: string };
    const why =
      cause?.code ??
      (name === 'AbortError' ? 'no answer within 30 s' : 'the answer is not from a listing service');
    return `no listing service at ${this.origin} (${why}): start one with \`teller loop\` or \`teller listing\`, or set --url`;
  }
}

function originOf(url: string): string {
  if (URL.canParse(url) && /^https?:$/.test(new URL(url).protocol)) return new URL(url).origin;
  throw new Problem('usage', `--url must be an http or https address, not "${url}"`);
}
