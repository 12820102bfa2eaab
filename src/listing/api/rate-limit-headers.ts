import type { ApiContext } from './api-env.ts';

/** The state of a limit after this request. */
export interface LimitStanding {
  readonly policy: string;
  readonly quota: number;
  readonly left: number;
  readonly resetMs: number;
}

/** The same for every limit. */
const WINDOW_SECONDS = 60;

/** NS-41: the two headers of the IETF draft, so that a client can back off before it is refused. */
export function writeLimitHeaders(c: ApiContext, { policy, quota, left, resetMs }: LimitStanding): void {
  c.header('RateLimit-Policy', `"${policy}";q=${quota};w=${WINDOW_SECONDS}`);
  c.header('RateLimit', `"${policy}";r=${left};t=${Math.ceil(resetMs / 1000)}`);
}
