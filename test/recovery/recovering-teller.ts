import { expect, onTestFinished } from 'vitest';
import { Secret, type SiteApi, type SiteConfig } from '../../src/config/config.ts';
import type { Ledger } from '../../src/ledger/ledger.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { ALL_WON } from '../../src/rewards/draws.ts';
import { Recovery } from '../../src/votes/catch-up/recovery.ts';
import { Intake } from '../../src/votes/intake/intake.ts';
import { RefusalFigures } from '../../src/votes/intake/refusal-figures.ts';
import { servePages } from '../../src/web/server.ts';
import { listingService } from '../listing/listing-service.ts';
import { FakeClock, sameTime } from '../support/fake-clock.ts';
import { fixedRandom } from '../support/fixed-random.ts';
import { freshLedger, rulesFor, THANKS } from '../support/ledgers.ts';
import { silentLog } from '../support/log.ts';
import { loggedLines } from '../support/logged-lines.ts';
import { siteConfig } from '../support/site-config.ts';
import { at } from '../support/votes.ts';

export const SITE = 'My-List.com';
export const NOW = at('2026-06-03T12:00:00Z');
export const [SECOND, MINUTE, HOUR] = [1_000, 60_000, 3_600_000];

/** A clock that stands still and knows its pending timers. */
export class StillClock extends FakeClock {
  private readonly dueTimes = new Map<object, number>();

  override after(delayMs: number, callback: () => void): () => void {
    const timer = {};
    this.dueTimes.set(timer, this.monotonic() + delayMs);
    const cancel = super.after(delayMs, () => {
      this.dueTimes.delete(timer);
      callback();
    });
    return () => {
      this.dueTimes.delete(timer);
      cancel();
    };
  }

  get pending(): number {
    return this.dueTimes.size;
  }

  /** The time until the next timer fires; null if there is none. */
  get nextInMs(): number | null {
    return this.pending === 0 ? null : Math.min(...this.dueTimes.values()) - this.monotonic();
  }
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

export interface RecoveryOptions {
  /** By site: where its API is. */
  readonly roots: Readonly<Record<string, string>>;
  readonly clock?: StillClock;
  readonly token?: string;
  readonly api?: Partial<SiteApi>;
  readonly config?: Partial<SiteConfig>;
  readonly ledger?: Ledger;
}

/** A recovery with a real ledger and a real intake, and a clock that stands still. */
export function recoveringTeller(options: RecoveryOptions) {
  const { roots, clock = new StillClock(NOW), token = 'tok_of_the_listing', config } = options;
  const { ledger = freshLedger(':memory:').ledger } = options;
  const api = { token: new Secret(token), payFrom: null, maxAgeMs: 48 * HOUR, intervalMs: 2 * MINUTE };
  const sites = new Map<string, SiteConfig>([['default', siteConfig()]]);
  for (const [site, baseUrl] of Object.entries(roots)) {
    sites.set(site, siteConfig({ ...config, api: { ...api, baseUrl, ...options.api } }));
  }
  const kept = loggedLines();
  const unable: unknown[] = [];
  const intake = new Intake({
    sites,
    bedrockPrefixes: ['.'],
    draw: () => ALL_WON,
    rules: rulesFor(THANKS),
    ledger,
    clock,
    log: kept.log,
    onRecorded: {},
    onUnable: (_, error) => unable.push(error),
    onLost: () => {},
  });
  const refusals = new RefusalFigures(ledger, clock, kept.log, sites.keys());
  const network = watchedNetwork(clock);
  const recovery = new Recovery({
    sites,
    ledger,
    intake,
    refusals,
    clock,
    random: fixedRandom(0),
    log: kept.log,
    fetch: network.fetch,
  });
  onTestFinished(() => recovery.close());

  /** Resolves when every site waits for a timer. */
  const idle = async (): Promise<void> => {
    for (let still = 0; still < 3; ) {
      await turn();
      still = network.openRequests() === 0 && clock.pending >= sites.size - 1 ? still + 1 : 0;
    }
  };
  /** Advances the clock by `ms`, stopping at each timer. */
  const pass = async (ms: number): Promise<void> => {
    const end = clock.monotonic() + ms;
    await idle();
    while (clock.nextInMs !== null && clock.monotonic() + clock.nextInMs <= end) {
      clock.advance(clock.nextInMs);
      await idle();
    }
    clock.advance(end - clock.monotonic());
  };
  /** Advances the clock until every site has read everything up to the present. */
  const catchUp = async (): Promise<void> => {
    await idle();
    while (recovery.status().some(({ lastAt }) => lastAt === null)) {
      clock.advance(clock.nextInMs ?? 0);
      await idle();
    }
  };
  const stored = async () => {
    const votes = await ledger.votes({ limit: 100_000 });
    return [...votes].sort((a, b) => a.id - b.id);
  };
  return {
    recovery,
    intake,
    ledger,
    clock,
    sites,
    unable,
    idle,
    pass,
    catchUp,
    stored,
    ...network,
    ...kept,
  };
}

/** Node's own fetch, which notes when each request was sent. A request is open until its answer is complete. */
function watchedNetwork(clock: FakeClock) {
  const sent: number[] = [];
  const urls: string[] = [];
  let open = 0;
  const watched: typeof fetch = async (url, init) => {
    sent.push(clock.monotonic());
    urls.push(String(url));
    open++;
    try {
      const response = await fetch(url, init);
      const body = await response.arrayBuffer();
      return new Response(body, { status: response.status, headers: response.headers });
    } finally {
      open--;
    }
  };
  return { fetch: watched, sent, urls, openRequests: () => open };
}

/** The number of requests in the busiest minute. */
export function busiestMinute(sent: readonly number[]): number {
  let [most, first] = [0, 0];
  sent.forEach((time, index) => {
    while (time - (sent[first] ?? 0) >= MINUTE) first++;
    most = Math.max(most, index - first + 1);
  });
  return most;
}

/** The real listing service on a socket. */
export async function servedListing(clock: StillClock, ...scopes: ('votes:read' | 'webhooks:write')[]) {
  const service = listingService({ clock: sameTime(clock) });
  const { listing, token } = await service.owner('minecraft', ...scopes);
  const server = await servePages((request, bindings) => service.api.fetch(request, bindings), {
    host: '127.0.0.1',
    port: 0,
    key: 'listing.port',
    likelyHolder: 'another listing service',
    visitors: 'local',
    ...{ clock: systemClock, log: silentLog },
  });
  onTestFinished(() => server.close());
  expect(server.address.port).toBeGreaterThan(0);
  return { service, listing, token, root: `http://127.0.0.1:${server.address.port}/api/v1` };
}
