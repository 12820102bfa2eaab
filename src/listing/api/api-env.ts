import type { OpenAPIHono } from '@hono/zod-openapi';
import type { Context, MiddlewareHandler } from 'hono';
import type { Clock } from '../../core/clock.ts';
import type { Log } from '../../core/log.ts';
import type { PageBindings } from '../../web/server.ts';
import type { Deliveries, TargetRule } from '../contracts.ts';
import type { ListingStore } from '../store/listing-store.ts';
import type { Bearer } from '../store/tokens.ts';

/** What the developer API is built from. */
export interface ApiParts {
  readonly store: ListingStore;
  readonly clock: Clock;
  readonly log: Log;
  readonly targets: TargetRule;
  readonly deliveries: Deliveries;
  /** NS-17: from one address to the whole API; 600 by default. */
  readonly requestsPerMinute?: number;
}

/** The context of one request. */
export interface ApiEnv {
  Bindings: Partial<PageBindings>;
  Variables: {
    /** Set by the first gate (gates.ts). */
    caller: Bearer;
  };
}

export type Api = OpenAPIHono<ApiEnv>;
export type ApiContext = Context<ApiEnv>;
export type Gate = MiddlewareHandler<ApiEnv>;
