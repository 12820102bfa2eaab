import type { Clock } from '../../core/clock.ts';
import type { Random } from '../../core/random.ts';
import { apiRoot, isSendableToken } from './api-root.ts';
import { exchange } from './exchange.ts';
import { judge } from './judge.ts';
import type { CallResult } from './result.ts';
import type { Reader } from './schema-types.ts';
import { withRetries } from './with-retries.ts';
import { Wording } from './wording.ts';

export interface ListingClientOptions {
  /** The API root, version included: `https://list.example/api/v1`. */
  readonly baseUrl: string;
  readonly token: string;
  readonly clock: Clock;
  /** For the jitter of retries, so that many clients do not retry at the same time. */
  readonly random: Random;
  /** By default Node's own. */
  readonly fetch?: typeof fetch;
  /** From the start of a call: a retry that would start later is not made. */
  readonly retryForMs?: number;
}

export interface CallOptions {
  /** Cancels the call, even during a wait. */
  readonly signal?: AbortSignal;
}

/** Gets what is at a path below the API root. */
export type Read = <Value>(
  path: string,
  answer: Reader<Value>,
  options: CallOptions,
) => Promise<CallResult<Value>>;

const LIMITS = { retryForMs: 120_000, wholeMs: 10_000, bodyMaxBytes: 4 * 1024 * 1024 } as const;

/** Makes the calls of one client. Only this function holds the token, and no message shows it. */
export function caller(client: ListingClientOptions): Read {
  const { token, clock, random, fetch = globalThis.fetch, retryForMs = LIMITS.retryForMs } = client;
  const root = apiRoot(client.baseUrl);
  const wording = new Wording(root ?? '', [token]);

  return async (path, answer, { signal }) => {
    if (root === null) return wording.unreachable({ code: 'address-unusable' });
    if (!isSendableToken(token)) return wording.unreachable({ code: 'token-unusable' });
    const headers = { Authorization: `Bearer ${token}`, Accept: 'application/json' };
    const request = { url: `${root}${path}`, headers };
    const parts = { clock, fetch, signal, limits: LIMITS };
    const ask = async () => judge(await exchange(request, parts), answer, wording);
    return (await withRetries(ask, { clock, random, retryForMs, signal })) ?? wording.aborted();
  };
}
