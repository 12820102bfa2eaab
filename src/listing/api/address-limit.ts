import { FixedWindows } from '../../core/fixed-windows.ts';
import { clientOf } from '../../web/client-network.ts';
import type { ApiParts, Gate } from './api-env.ts';
import { rateLimited } from './fault.ts';
import { writeLimitHeaders } from './rate-limit-headers.ts';

/** NS-17: more than four times the sum of all budgets of one listing. */
export const REQUESTS_PER_MINUTE = 600;

/** NS-17: limits the requests from one address to the whole API, with or without a token. */
export function addressLimit({ clock, requestsPerMinute = REQUESTS_PER_MINUTE }: ApiParts): Gate {
  // Kept in memory only: this limit protects the process and is not part of the API’s contract.
  const windows = new FixedWindows({ windowMs: 60_000 });
  return async (c, next) => {
    const client = clientOf(c.env?.clientAddress ?? '');
    const { kind, resetMs } = windows.charge(client, 1, requestsPerMinute, clock.now());
    if (kind === 'over') {
      writeLimitHeaders(c, { policy: 'address', quota: requestsPerMinute, left: 0, resetMs });
      throw rateLimited(
        `At most ${requestsPerMinute} requests a minute are allowed from one address`,
        resetMs,
      );
    }
    await next();
  };
}
