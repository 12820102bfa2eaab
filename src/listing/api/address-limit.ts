import { FixedWindows } from '../../core/fixed-windows.ts';
import { clientOf } from '../../web/client-network.ts';
import type { ApiParts, Gate } from './api-env.ts';
import { rateLimited } from './fault.ts';
import { tellLimit } from './rate-limit-headers.ts';

/** NS-17: above what one listing may ask of all its budgets, four times over. */
export const REQUESTS_PER_MINUTE = 600;

/** NS-17: so many requests a minute from one address over the whole API, with or without a token. */
export function addressLimit({ clock, requestsPerMinute = REQUESTS_PER_MINUTE }: ApiParts): Gate {
  // In memory only: it guards this process and promises nothing to anyone.
  const windows = new FixedWindows({ windowMs: 60_000 });
  return async (c, next) => {
    const client = clientOf(c.env?.clientAddress ?? '');
    const { kind, resetMs } = windows.charge(client, 1, requestsPerMinute, clock.now());
    if (kind === 'over') {
      tellLimit(c, { policy: 'address', quota: requestsPerMinute, left: 0, resetMs });
      throw rateLimited(`More than ${requestsPerMinute} requests a minute from your address`, resetMs);
    }
    await next();
  };
}
