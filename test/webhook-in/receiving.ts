import { createHmac } from 'node:crypto';
import { onTestFinished } from 'vitest';
import { Secret, type SiteConfig } from '../../src/config/config.ts';
import type { RefusalCount } from '../../src/ledger/ledger.ts';
import type { Database } from '../../src/platform/sqlite/open.ts';
import { ALL_WON } from '../../src/rewards/draws.ts';
import { Intake } from '../../src/votes/intake/intake.ts';
import { RefusalFigures } from '../../src/votes/intake/refusal-figures.ts';
import { WebhookIn, type WebhookInParts } from '../../src/votes/webhook/webhook-in.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { freshLedger, rulesFor, THANKS } from '../support/ledgers.ts';
import { silentLog } from '../support/log.ts';
import { type Line, loggedLines } from '../support/logged-lines.ts';
import { siteConfig } from '../support/site-config.ts';

export const SECRET = 'whsec_for-this-test';
export const OTHER_SECRET = 'whsec_of-the-other-site';
export const EVENT_ID = '01972f3e-0000-7000-8000-000000000001';

/** Two sites, each with its own path and secret, and one without a webhook. */
export const SITES: ReadonlyMap<string, SiteConfig> = new Map([
  ['default', siteConfig()],
  ['List.example', siteWith('/hooks/list', SECRET, 'listing-1')],
  ['Other.example', siteWith('/hooks/other', OTHER_SECRET, 'listing-2')],
]);

export function siteWith(path: string, secret: string, listingId: string): SiteConfig {
  return siteConfig({ webhook: { path, secret: new Secret(secret), listingId } });
}

/** A payload written from the specification by hand, not by our encoder. */
export const payload = (change: object = {}, data: object = {}): string =>
  JSON.stringify({
    event: 'vote.created',
    version: 1,
    eventId: EVENT_ID,
    timestamp: '2026-06-01T12:00:00.500Z',
    test: false,
    data: {
      listingId: 'listing-1',
      listingType: 'game',
      userId: '80351110224678912',
      votedAt: '2026-06-01T12:00:00.000Z',
      nextVoteAt: '2026-06-02T12:00:00.000Z',
      weight: 1,
      game: 'minecraft',
      playerName: 'Steve',
      ...data,
    },
    ...change,
  });

export const signature = (body: string | Uint8Array, secret = SECRET): string =>
  `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`;

export interface Answered {
  readonly status: number;
  readonly text: string;
  readonly headers: Headers;
}

export interface WebhookScene {
  readonly port: number;
  readonly clock: FakeClock;
  readonly server: WebhookIn;
  readonly database: Database;
  readonly lines: readonly Line[];
  post(body: string | Uint8Array<ArrayBuffer>, more?: Posted): Promise<Answered>;
  /** `eventId recipient decision`, oldest first. */
  votes(): string[];
  /** The stored refusals. */
  refused(): Promise<readonly RefusalCount[]>;
  /** The number of grants that are owed. */
  grants(): number;
}

export interface Posted {
  readonly path?: string;
  readonly method?: string;
  /** By default the right one; null for none. */
  readonly signed?: string | null;
  readonly headers?: Record<string, string>;
}

/** The server on a free port in front of the real intake and a real ledger; its clock stands still. */
export async function webhookIn(settings: Partial<WebhookInParts> = {}): Promise<WebhookScene> {
  const { ledger, database } = freshLedger();
  const clock = new FakeClock('2026-06-01T12:00:01Z');
  const { log, lines } = loggedLines();
  const sites = settings.sites ?? SITES;
  const intake = new Intake({
    sites,
    bedrockPrefixes: ['.', '*'],
    draw: () => ALL_WON,
    rules: rulesFor(THANKS),
    ledger,
    clock,
    log: silentLog,
    onRecorded: {},
    onUnable: () => {},
    onLost: () => {},
  });
  const refusals = new RefusalFigures(ledger, clock, log, sites.keys());
  const parts = {
    host: '127.0.0.1',
    port: 0,
    sites,
    intake,
    refusals,
    hosts: ['votes.example.com'],
    clock,
    log,
  };
  const server = new WebhookIn({ ...parts, ...settings });
  const { port } = await server.listen();
  onTestFinished(async () => {
    const closed = server.close();
    clock.advance(60_000);
    await closed;
  });
  const post: WebhookScene['post'] = async (
    body,
    { path = '/hooks/list', method = 'POST', ...more } = {},
  ) => {
    const { signed = signature(body), headers = {} } = more;
    const response = await fetch(`http://127.0.0.1:${port}${path}`, {
      method,
      headers: {
        'Content-Type': 'application/json',
        ...(signed === null ? {} : { 'X-Webhook-Signature': signed }),
        ...headers,
      },
      ...(method === 'POST' ? { body } : {}),
    });
    return { status: response.status, text: await response.text(), headers: response.headers };
  };
  const votes = (): string[] =>
    database
      .prepare(`
        SELECT v.event_id || ' ' || r.key || ' ' || v.decision
        FROM votes v JOIN recipients r ON r.id = v.recipient_id ORDER BY v.id`)
      .pluck()
      .all() as string[];
  const refused = async () => {
    await refusals.store();
    return ledger.refusals(0);
  };
  const grants = (): number => database.prepare('SELECT count(*) FROM grants').pluck().get() as number;
  return { port, clock, server, database, lines, post, votes, grants, refused };
}
