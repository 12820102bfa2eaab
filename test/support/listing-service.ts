/** The real store and the real API of a listing, for tests of those who ask it. */
import { onTestFinished } from 'vitest';
import type { ApiScope } from '../../protocol/listing-api/scopes.ts';
import type { Game } from '../../protocol/webhook/payload.ts';
import { listingApi } from '../../src/listing/api/listing-api.ts';
import type { Deliveries, Listing, TargetRule } from '../../src/listing/contracts.ts';
import { type ListingStore, listingStore } from '../../src/listing/store/listing-store.ts';
import { newListing } from '../../src/listing/store/listings.ts';
import { listingSchema } from '../../src/listing/store/schema.ts';
import { newToken } from '../../src/listing/store/tokens.ts';
import { castVote } from '../../src/listing/votes/cast-vote.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { systemRandom } from '../../src/platform/random.ts';
import { openDatabase } from '../../src/platform/sqlite/open.ts';
import { servePages } from '../../src/web/server.ts';
import type { Kind } from '../kit/listing-people.ts';
import { FakeClock } from './fake-clock.ts';
import { listingInProcess } from './listing-in-process.ts';
import { silentLog } from './log.ts';

/** It delivers nothing. */
export function listingService({ clock = new FakeClock() }: { clock?: FakeClock } = {}): ListingService {
  const database = openDatabase(':memory:', listingSchema, 'create');
  onTestFinished(() => void database.close());
  const store = listingStore({ ...listingInProcess(database, { clock }), clock, log: silentLog });
  return new ListingService(store, clock);
}

class ListingService {
  readonly api: ReturnType<typeof listingApi>;

  constructor(
    private readonly store: ListingStore,
    private readonly clock: FakeClock,
  ) {
    const parts = { store, clock, log: silentLog, targets: anyUrl, deliveries: noDeliveries };
    this.api = listingApi({ ...parts, requestsPerMinute: 100_000 });
  }

  /** Creates a listing and a token for it with these scopes. */
  async owner(kind: Kind, ...scopes: readonly ApiScope[]) {
    const { changes } = this.store;
    const game: Game | null = kind === 'bot' ? null : kind;
    const now = this.clock.now();
    const listing = newListing({ name: kind, game, weight: 1 }, now, systemRandom);
    await changes.addListings([{ listing, members: [] }], now);
    const drawn = newToken(listing, 'a token', scopes, { now, random: systemRandom });
    if (drawn.kind !== 'new') throw new Error(drawn.kind);
    await changes.addToken(drawn.stored);
    return { listing, token: drawn.token };
  }

  async cast(listing: Listing, userId: string, player: string | null = null): Promise<void> {
    const parts = { store: this.store, clock: this.clock, random: systemRandom, log: silentLog };
    const { kind } = await castVote({ ...parts, observers: [] }, listing, userId, player);
    if (kind !== 'cast') throw new Error(kind);
  }
}

/** A rule that accepts every URL. */
const anyUrl: TargetRule = { judge: async (text) => ({ kind: 'allowed', url: new URL(text) }) };

const noDeliveries: Deliveries = {
  test: async () => ({ deliveryId: '', delivered: false, httpStatus: null, durationMs: 0, error: '' }),
  nudge: () => {},
};

/** The API on a real socket, until the test ends. */
export async function serveApi({ api }: ListingService): Promise<{ readonly url: string }> {
  const server = await servePages((request, bindings) => api.fetch(request, bindings), {
    host: '127.0.0.1',
    port: 0,
    key: 'listing.port',
    likelyHolder: 'another listing service',
    visitors: 'local',
    ...{ clock: systemClock, log: silentLog },
  });
  onTestFinished(() => server.close());
  return { url: `http://127.0.0.1:${server.address.port}/api/v1` };
}
