import type { ApiParts, Gate } from './api-env.ts';
import { CLIENT_WINDOW_MS, ClientWindows } from './client-windows.ts';
import { rateLimited } from './fault.ts';
import { clientOf } from './peer-address.ts';
import { tellLimit } from './rate-limit-headers.ts';

/** NS-17: above what one listing may ask of all its budgets, four times over. */
export const REQUESTS_PER_MINUTE = 600;

/** NS-17: so many requests a minute from one address over the whole API, with or without a token. */
export function addressLimit({ clock, requestsPerMinute = REQUESTS_PER_MINUTE }: ApiParts): Gate {
  const windows = new ClientWindows(clock);
  return async (c, next) => {
    const { openedAt, used } = windows.count(clientOf(c.env?.clientAddress ?? ''));
    if (used > requestsPerMinute) {
      const resetMs = openedAt + CLIENT_WINDOW_MS - clock.now();
      tellLimit(c, { policy: 'address', quota: requestsPerMinute, left: 0, resetMs });
      throw rateLimited(`More than ${requestsPerMinute} requests a minute from your address`, resetMs);
    }
    await next();
  };
}
