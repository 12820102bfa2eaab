import { type Context, Hono } from 'hono';
import type { Clock } from '../../core/clock.ts';
import { Problem } from '../../core/problem.ts';
import { timeLimit } from '../../core/time-limit.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { isListedHost, securityHeaders } from '../../web/guards.ts';
import { isSameText } from '../../web/same-text.ts';
import type { ConsoleParts } from '../parts.ts';
import { healthPaths } from './paths.ts';

export type HealthParts = Pick<ConsoleParts, 'teller' | 'clock' | 'metrics'>;

const PLAIN = { 'Content-Type': 'text/plain; charset=utf-8', 'Cache-Control': 'no-store' } as const;

/** @param hosts the host names under which programs are answered (rule 12) */
export function healthPages({ teller, clock, metrics }: HealthParts, hosts: readonly string[]): Hono {
  const [alive, ready, figures] = healthPaths;
  const pages = new Hono();
  pages.use(securityHeaders);
  pages.use(async (c, next) =>
    isListedHost(c.req.header('host'), hosts) ? next() : refused(c, 421, 'host-not-listed', NAME_IT),
  );
  pages.get(alive, (c) => c.text('ok\n', 200, PLAIN));
  pages.get(ready, async (c) => {
    const found = await readiness(teller.ledger, clock);
    return c.text(`${found}\n`, found === 'ready' ? 200 : 503, PLAIN);
  });
  pages.get(figures, async (c) => {
    const { console: settings } = teller.config;
    if (metrics === null) return refused(c, 404, 'metrics-off', SET_UP);
    const given = c.req.header('authorization') ?? '';
    const token = settings.metricsToken?.reveal();
    const isAllowed =
      settings.metrics === 'open' || (token !== undefined && isSameText(given, `Bearer ${token}`));
    if (!isAllowed) return refused(c, 401, 'metrics-token-wrong', SEND_TOKEN);
    const isReady = (await readiness(teller.ledger, clock)) === 'ready';
    return c.body(await metrics.text(teller.ledger, isReady), 200, {
      ...PLAIN,
      'Content-Type': metrics.contentType,
    });
  });
  return pages;
}

const NAME_IT =
  'Ask 127.0.0.1 or localhost, or by the name or address in `console.host` or `console.publicUrl`.';
const SET_UP = 'Set `console.metricsToken`, or `console.metrics` to "open", and restart Teller.';
const SEND_TOKEN = 'Send the header `Authorization: Bearer …` with the token of `console.metricsToken`.';

const refused = (c: Context, status: 401 | 404 | 421, code: string, sentence: string): Response => {
  if (status === 401) c.header('WWW-Authenticate', 'Bearer');
  return c.text(`${sentence} [${code}]\n`, status, PLAIN);
};

/** `ready`, or a code that says why votes cannot be stored: that of a Problem, or `ledger-slow`. */
type Readiness = string;

const PATIENCE_MS = 2_000;

/** Whether votes can be stored now: asks the connection that stores them. Never rejects. */
function readiness(ledger: Pick<Ledger, 'pauses'>, clock: Clock): Promise<Readiness> {
  return new Promise((resolve) => {
    const cancel = timeLimit(clock, PATIENCE_MS, () => resolve('ledger-slow'));
    const end = (found: Readiness): void => {
      cancel();
      resolve(found);
    };
    ledger.pauses().then(
      () => end('ready'),
      (error: unknown) => end(error instanceof Problem ? error.code : 'bug'),
    );
  });
}
