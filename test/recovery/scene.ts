import { expect, onTestFinished } from 'vitest';
import { Secret, type SiteApi, type SiteConfig } from '../../src/config/config.ts';
import { GroupCommit } from '../../src/intake/group-commit.ts';
import { Intake } from '../../src/intake/intake.ts';
import { RefusalFigures } from '../../src/intake/refusal-figures.ts';
import type { Decide, Ledger } from '../../src/ledger/ledger.ts';
import { Recovery } from '../../src/recovery/recovery.ts';
import { systemClock } from '../../src/runtime/clock.ts';
import { servePages } from '../../src/web/server.ts';
import { listingService } from '../listing/listing-service.ts';
import { FakeClock, sameTime } from '../support/fake-clock.ts';
import { deciding, freshLedger, THANKS } from '../support/ledgers.ts';
import { fixedRandom } from '../support/fixed-random.ts';
import { loggedLines } from '../support/logged-lines.ts';
import { siteConfig } from '../support/site-config.ts';
import { at } from '../support/votes.ts';

export const SITE = 'My-List.com';
export const NOW = at('2026-06-03T12:00:00Z');
export const [SECOND, MINUTE, HOUR] = [1_000, 60_000, 3_600_000];

/** A clock that stands still and knows what is waited for. */
export class RestingClock extends FakeClock {
  private readonly dueTimes = new Map<object, number>();

  override after(delayMs: number, callback: () => void): () => void {
    const alarm = {};
    this.dueTimes.set(alarm, this.monotonic() + delayMs);
    const cancel = super.after(delayMs, () => {
      this.dueTimes.delete(alarm);
      callback();
    });
    return () => {
      this.dueTimes.delete(alarm);
      cancel();
    };
  }

  get pending(): number {
    return this.dueTimes.size;
  }

  /** Until the next alarm; null when nobody waits. */
  get nextInMs(): number | null {
    return this.pending === 0 ? null : Math.min(...this.dueTimes.values()) - this.monotonic();
  }
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

export interface SceneOptions {
  /** By site: where its API is. */
  readonly roots: Readonly<Record<string, string>>;
  readonly clock?: RestingClock;
  readonly token?: string;
  readonly api?: Partial<SiteApi>;
  readonly config?: Partial<SiteConfig>;
  readonly ledger?: Ledger;
  readonly decide?: Decide;
}

/** Recovery with a real ledger and a real intake, under a clock that stands still. */
export function scene(options: SceneOptions) {
  const { roots, clock = new RestingClock(NOW), token = 'tok_of_the_listing', config } = options;
  const { ledger = freshLedger(':memory:').ledger, decide = deciding(THANKS) } = options;
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
    draw: () => new Map(),
    commit: new GroupCommit(ledger, decide, clock),
    clock,
    log: kept.log,
    onRecorded: () => {},
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

  /** Until every site waits for time to go by. */
  const settled = async (): Promise<void> => {
    for (let still = 0; still < 3; ) {
      await turn();
      still = network.underWay() === 0 && clock.pending >= sites.size - 1 ? still + 1 : 0;
    }
  };
  /** Lets so much time go by, and stops at each wait's end. */
  const pass = async (ms: number): Promise<void> => {
    const end = clock.monotonic() + ms;
    await settled();
    while (clock.nextInMs !== null && clock.monotonic() + clock.nextInMs <= end) {
      clock.advance(clock.nextInMs);
      await settled();
    }
    clock.advance(end - clock.monotonic());
  };
  /** Lets time go by until the present has been read. */
  const caughtUp = async (): Promise<void> => {
    await settled();
    while (recovery.status().some(({ lastAt }) => lastAt === null)) {
      clock.advance(clock.nextInMs ?? 0);
      await settled();
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
    settled,
    pass,
    caughtUp,
    stored,
    ...network,
    ...kept,
  };
}

/** Node's own fetch, and when each request was sent. An answer is under way until it has come whole. */
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
  return { fetch: watched, sent, urls, underWay: () => open };
}

/** What the minute with the most requests held. */
export function busiestMinute(sent: readonly number[]): number {
  let [most, first] = [0, 0];
  sent.forEach((time, index) => {
    while (time - (sent[first] ?? 0) >= MINUTE) first++;
    most = Math.max(most, index - first + 1);
  });
  return most;
}

/** The real listing service on a socket. */
export async function servedListing(clock: RestingClock, ...scopes: ('votes:read' | 'webhooks:write')[]) {
  const service = listingService({ clock: sameTime(clock) });
  const { listing, token } = await service.owner('minecraft', ...scopes);
  const server = await servePages((request, bindings) => service.api.fetch(request, bindings), {
    host: '127.0.0.1',
    port: 0,
    key: 'listing.port',
    likelyHolder: 'another listing service',
    hasPassword: false,
    clock: systemClock,
  });
  onTestFinished(() => server.close());
  expect(server.address.port).toBeGreaterThan(0);
  return { service, listing, token, root: `http://127.0.0.1:${server.address.port}/api/v1` };
}
