import { expect, onTestFinished } from 'vitest';
import type { ApiScope } from '../../protocol/listing-api/scopes.ts';
import type { Game } from '../../protocol/webhook/payload.ts';
import { listingApi } from '../../src/listing/api/listing-api.ts';
import type { CastVote, Deliveries, Listing, TargetRule } from '../../src/listing/contracts.ts';
import { type ListingStore, listingStore } from '../../src/listing/store/listing-store.ts';
import { newListing } from '../../src/listing/store/listings.ts';
import { listingSchema } from '../../src/listing/store/schema.ts';
import { newToken } from '../../src/listing/store/tokens.ts';
import { type CastResult, castVote } from '../../src/listing/votes/cast-vote.ts';
import { systemRandom } from '../../src/platform/random.ts';
import { type Database, openDatabase } from '../../src/platform/sqlite/open.ts';
import type { Kind } from '../kit/listing-people.ts';
import { ApiClient } from '../kit/listing-program.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { listingInProcess } from '../support/listing-in-process.ts';
import { silentLog } from '../support/log.ts';

interface Options {
  readonly clock?: FakeClock;
  /** Replaces the fake public-address rule. */
  readonly targets?: TargetRule;
}

/** The real store and the real API without a socket, for tests of those who ask it; it delivers nothing. */
export function listingService({ clock = new FakeClock(), targets = anyUrl }: Options = {}): ListingService {
  const database = openDatabase(':memory:', listingSchema, 'create');
  onTestFinished(() => {
    database.close();
  });
  const store = listingStore({ ...listingInProcess(database, { clock }), clock, log: silentLog });
  return new ListingService(store, database, clock, targets);
}

export class ListingService {
  readonly api: ReturnType<typeof listingApi>;
  readonly client: ApiClient;

  constructor(
    readonly store: ListingStore,
    /** The same connection, to break the database. */
    readonly database: Database,
    readonly clock: FakeClock,
    targets: TargetRule,
  ) {
    const parts = { store, clock, log: silentLog, targets, deliveries: noDeliveries };
    this.api = listingApi({ ...parts, requestsPerMinute: 100_000 });
    this.client = new ApiClient(this.api, clock);
  }

  /** Creates a listing and a token for it with these scopes, by default with all that it can have. */
  async owner(kind: Kind = 'minecraft', ...scopes: readonly ApiScope[]) {
    const { changes } = this.store;
    const game: Game | null = kind === 'bot' ? null : kind;
    const now = this.clock.now();
    const listing = newListing({ name: kind, game, weight: 1 }, now, systemRandom);
    await changes.addListings([{ listing, members: [] }], now);
    const all = [
      'votes:read',
      'webhooks:write',
      ...(kind === 'bot' ? (['stats:write'] as const) : []),
    ] as const;
    const wanted = scopes.length === 0 ? all : scopes;
    const drawn = newToken(listing, 'a token', wanted, { now, random: systemRandom });
    if (drawn.kind !== 'new') throw new Error(drawn.kind);
    await changes.addToken(drawn.stored);
    return { listing, token: drawn.token };
  }

  async cast(listing: Listing, userId: string, player: string | null = null): Promise<CastVote> {
    const parts = { store: this.store, clock: this.clock, random: systemRandom, log: silentLog };
    const result = await castVote({ ...parts, observers: [] }, listing, userId, player);
    expect(result.kind).toBe('cast');
    return (result as Extract<CastResult, { kind: 'cast' }>).vote;
  }
}

/** A rule that accepts every URL. */
const anyUrl: TargetRule = { judge: async (text) => ({ kind: 'allowed', url: new URL(text) }) };

const noDeliveries: Deliveries = {
  test: async () => ({ deliveryId: '', delivered: false, httpStatus: null, durationMs: 0, error: '' }),
  nudge: () => {},
};
