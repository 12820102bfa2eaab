import type { Clock } from '../core/clock.ts';
import { Problem } from '../core/problem.ts';
import { timeLimit } from '../core/time-limit.ts';

/** A page's answer as JSON. */
export interface Answered {
  readonly ok: boolean;
  readonly json: Readonly<Record<string, unknown>>;
}

export type Fields = Readonly<Record<string, string | readonly string[]>>;

/** The service itself waits up to 10 s for a test event. */
const ANSWER_WITHIN_MS = 30_000;

/** Uses the pages of a listing service as a browser does, with JSON answers: there is no other interface (SV-09). */
export class DashboardSession {
  private readonly cookies = new Map<string, string>();
  private readonly origin: string;
  private csrf = '';

  /** @throws Problem `usage`; each method throws `dashboard-unreachable` */
  constructor(
    url: string,
    private readonly clock: Clock,
  ) {
    this.origin = URL.canParse(url) ? new URL(url).origin : '';
    if (!/^https?:/.test(this.origin))
      throw new Problem('usage', `--url must be an http or https address, not "${url}"`);
  }

  /** @throws Problem `dashboard-sign-in` */
  async signIn(name: string, password: string): Promise<void> {
    const { ok, json } = await this.submit('/sign-in', '/sign-in', { name, password });
    if (!ok) throw new Problem('dashboard-sign-in', `${name} cannot sign in: ${String(json.message)}`);
  }

  get(path: string): Promise<Answered> {
    return this.send(path, {});
  }

  /** Loads `page`, then submits its form to `path`. */
  async submit(page: string, path: string, fields: Fields): Promise<Answered> {
    const shown = await this.get(page);
    if (!shown.ok) return shown;
    const body = new URLSearchParams({ csrf: this.csrf });
    for (const [name, value] of Object.entries(fields)) {
      for (const one of [value].flat()) body.append(name, one);
    }
    return this.send(path, { method: 'POST', body });
  }

  private async send(path: string, init: RequestInit): Promise<Answered> {
    const stop = new AbortController();
    const cancel = timeLimit(this.clock, ANSWER_WITHIN_MS, () => stop.abort());
    const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const form = { 'content-type': 'application/x-www-form-urlencoded', origin: this.origin };
    const headers = { accept: 'application/json', cookie, ...(init.body === undefined ? {} : form) };
    try {
      const all = { ...init, headers, redirect: 'manual', signal: stop.signal } as const;
      const response = await fetch(this.origin + path, all);
      this.csrf = response.headers.get('x-csrf-token') ?? this.csrf;
      for (const set of response.headers.getSetCookie()) {
        const [, name = '', value = ''] = /^([^=;]+)=([^;]*)/.exec(set) ?? [];
        if (/max-age=0\b/i.test(set)) this.cookies.delete(name);
        else this.cookies.set(name, value);
      }
      return { ok: response.ok, json: (await response.json()) as Answered['json'] };
    } catch (error) {
      const { cause, name } = error as { cause?: { code?: string }; name?: string };
      const why =
        name === 'AbortError' ? 'no answer within 30 s' : 'the answer is not from a listing service';
      const sentence = `no listing service at ${this.origin} (${cause?.code ?? why}): start one with \`teller loop\` or \`teller listing\`, or set --url`;
      throw new Problem('dashboard-unreachable', sentence, { cause: error });
    } finally {
      cancel();
    }
  }
}
