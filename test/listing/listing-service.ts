import { expect, onTestFinished } from 'vitest';
import type { ApiScope } from '../../protocol/listing-api/scopes.ts';
import type { Game } from '../../protocol/webhook/payload.ts';
import type { Log } from '../../src/core/log.ts';
import { listingApi } from '../../src/listing/api/listing-api.ts';
import type { CastVote, Deliveries, Listing, TargetRule, VoteObserver } from '../../src/listing/contracts.ts';
import { hashOfToken, newApiToken } from '../../src/listing/store/api-token.ts';
import { type ListingStore, listingStore } from '../../src/listing/store/listing-store.ts';
import { newListing } from '../../src/listing/store/listings.ts';
import { listingSchema } from '../../src/listing/store/schema.ts';
import { newToken } from '../../src/listing/store/tokens.ts';
import { type CastResult, castVote } from '../../src/listing/votes/cast-vote.ts';
import type { DeliveryResult } from '../../src/notify/webhook/delivery-result.ts';
import { systemRandom } from '../../src/platform/random.ts';
import { type Database, openDatabase } from '../../src/platform/sqlite/open.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { listingInProcess } from '../support/listing-in-process.ts';
import { silentLog } from '../support/log.ts';
import { ApiClient } from './api-client.ts';

export const SECOND = 1000;
export const MINUTE = 60 * SECOND;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;

export const KINDS = ['bot', 'minecraft', 'fivem', 'roblox', 'hytale'] as const;
export type Kind = (typeof KINDS)[number];

const ALL_SCOPES: readonly ApiScope[] = ['stats:write', 'votes:read', 'webhooks:write'];

interface Options {
  /** In memory if omitted. */
  readonly file?: string;
  readonly clock?: FakeClock;
  readonly log?: Log;
  readonly requestsPerMinute?: number;
  readonly observers?: readonly VoteObserver[];
  /** Replaces the fake public-address rule. */
  readonly targets?: TargetRule;
}

/** The real store and the real API, under a clock that stands still; deliveries and the public-address rule are fakes. */
export function listingService(options: Options = {}): ListingService {
  const clock = options.clock ?? new FakeClock();
  const database = openDatabase(options.file ?? ':memory:', listingSchema, 'create');
  onTestFinished(() => {
    database.close();
  });
  return new ListingService(
    listingStore({ ...listingInProcess(database, { clock }), clock, log: options.log ?? silentLog }),
    database,
    clock,
    options,
  );
}

export class ListingService {
  readonly deliveries = new FakeDeliveries();
  readonly api: ReturnType<typeof listingApi>;
  readonly client: ApiClient;

  constructor(
    readonly store: ListingStore,
    /** The same connection, to read the database directly. */
    readonly database: Database,
    readonly clock: FakeClock,
    private readonly options: Options,
  ) {
    const { requestsPerMinute = 100_000, log = silentLog, targets = anyUrl } = options;
    const { deliveries } = this;
    this.api = listingApi({ store, clock, log, targets, deliveries, requestsPerMinute });
    this.client = new ApiClient(this.api, clock);
  }

  async listing(kind: Kind = 'minecraft', weight = 1): Promise<Listing> {
    const game: Game | null = kind === 'bot' ? null : kind;
    const now = this.clock.now();
    const listing = newListing({ name: kind, game, weight }, now, systemRandom);
    await this.store.changes.addListings([{ listing, members: [] }], now);
    return listing;
  }

  /** Creates a token with these scopes, by default all that the listing can have. */
  async token(listing: Listing, ...scopes: readonly ApiScope[]): Promise<string> {
    return (await this.createToken(listing, ...scopes)).token;
  }

  async createToken(
    listing: Listing,
    ...scopes: readonly ApiScope[]
  ): Promise<{ id: string; token: string }> {
    const allowed = ALL_SCOPES.filter((scope) => listing.type === 'bot' || scope !== 'stats:write');
    const wanted = scopes.length === 0 ? allowed : scopes;
    const drawn = newToken(listing, 'a token', wanted, { now: this.clock.now(), random: systemRandom });
    if (drawn.kind !== 'new') throw new Error(drawn.kind);
    await this.store.changes.addToken(drawn.stored);
    return { id: drawn.stored.id, token: drawn.token };
  }

  /** Replaces a token, and returns the new one. */
  async rotate(listing: Listing, tokenId: string): Promise<string> {
    const token = newApiToken(systemRandom);
    expect(await this.store.changes.rotateToken(listing.id, tokenId, hashOfToken(token))).toBe(true);
    return token;
  }

  /** Creates a listing and a token for it. */
  async owner(kind: Kind = 'minecraft', ...scopes: readonly ApiScope[]) {
    const listing = await this.listing(kind);
    return { listing, token: await this.token(listing, ...scopes) };
  }

  tryCast(listing: Listing, userId: string, player: string | null = null): Promise<CastResult> {
    const { store, clock } = this;
    const { log = silentLog, observers = [] } = this.options;
    return castVote({ store, clock, random: systemRandom, log, observers }, listing, userId, player);
  }

  async cast(listing: Listing, userId: string, player: string | null = null): Promise<CastVote> {
    const result = await this.tryCast(listing, userId, player);
    expect(result.kind).toBe('cast');
    return (result as Extract<CastResult, { kind: 'cast' }>).vote;
  }

  /** The events that wait for delivery, parsed, oldest first. */
  events() {
    const rows = this.database.prepare('SELECT id, body FROM events ORDER BY created_at, id').all();
    return (rows as { id: string; body: Buffer }[]).map(({ id, body }) => ({
      id,
      ...JSON.parse(String(body)),
    }));
  }
}

/** A rule that accepts every URL. */
const anyUrl: TargetRule = { judge: async (text) => ({ kind: 'allowed', url: new URL(text) }) };

/** Records test deliveries and returns the result that the test sets. */
class FakeDeliveries implements Deliveries {
  readonly tested: { listing: Listing; url: URL }[] = [];
  result: DeliveryResult = {
    deliveryId: '8f3c1b52-6a77-4c1e-9d5e-0b7a2f4c6d10',
    delivered: true,
    httpStatus: 204,
    durationMs: 12,
    error: null,
  };

  test = async (listing: Listing, url: URL): Promise<DeliveryResult> => {
    this.tested.push({ listing, url });
    return this.result;
  };

  nudge = (): void => {};
}
