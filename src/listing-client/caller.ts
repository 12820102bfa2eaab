import type { Clock } from '../core/clock.ts';
import type { Random } from '../core/random.ts';
import { apiRoot, isSendableToken } from './api-root.ts';
import { exchange, type HttpRequest } from './exchange.ts';
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

/** One operation of the API. */
export interface Operation<Value> {
  readonly method: 'GET' | 'POST';
  /** Below the API root, escaped. */
  readonly path: string;
  /** Sent as JSON. */
  readonly body?: unknown;
  readonly answer: Reader<Value>;
  /** Whether a second call changes nothing more than the first. */
  readonly isRepeatable: boolean;
  /** Instead of LIMITS.wholeMs. */
  readonly wholeMs?: number;
  /** Secrets that must not show in messages, besides the token. */
  readonly secrets?: readonly string[];
}

export type Call = <Value>(operation: Operation<Value>, options: CallOptions) => Promise<CallResult<Value>>;

const LIMITS = { retryForMs: 120_000, wholeMs: 10_000, bodyMaxBytes: 4 * 1024 * 1024 } as const;

/** Makes the calls of one client. Only this function holds the token, and no message shows it. */
export function caller(client: ListingClientOptions): Call {
  const { token, clock, random, fetch = globalThis.fetch, retryForMs = LIMITS.retryForMs } = client;
  const root = apiRoot(client.baseUrl);

  return async (operation, { signal }) => {
    const { answer, isRepeatable, wholeMs = LIMITS.wholeMs, secrets = [] } = operation;
    const wording = new Wording(root ?? '', [token, ...secrets]);
    if (root === null) return wording.unreachable({ code: 'address-unusable' });
    if (!isSendableToken(token)) return wording.unreachable({ code: 'token-unusable' });
    const request = requestOf(operation, root, token);
    const parts = { clock, fetch, signal, limits: { wholeMs, bodyMaxBytes: LIMITS.bodyMaxBytes } };
    const ask = async () => judge(await exchange(request, parts), answer, wording);
    return (await withRetries(ask, { clock, random, retryForMs, isRepeatable, signal })) ?? wording.aborted();
  };
}

function requestOf(operation: Operation<unknown>, root: string, token: string): HttpRequest {
  const { method, path, body } = operation;
  const headers = { Authorization: `Bearer ${token}`, Accept: 'application/json' };
  const url = `${root}${path}`;
  if (body === undefined) return { method, url, headers };
  const json = { ...headers, 'Content-Type': 'application/json' };
  return { method, url, headers: json, body: JSON.stringify(body) };
}
