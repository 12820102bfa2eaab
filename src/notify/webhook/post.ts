import { lookup } from 'node:dns';
import type { LookupFunction } from 'node:net';
import type { Clock } from '../../core/clock.ts';
import { exchange } from '../../platform/exchange.ts';
import { type Failure, failureOf } from './reasons.ts';

export interface Posting {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  /** Sent unchanged, because the signature covers these bytes. */
  readonly body: Uint8Array;
}

export type Answer =
  | {
      readonly kind: 'answered';
      readonly status: number;
      readonly retryAfter: string | null;
      /** The first 1 KiB of the body. */
      readonly response: string;
    }
  /** No complete answer came. */
  | ({ readonly kind: 'failed' } & Failure)
  /** `stop` was aborted before an answer came. */
  | { readonly kind: 'cut-off' };

/** Posts once, without following redirects. Never rejects, and leaves no open connection. */
export type Post = (posting: Posting, stop: AbortSignal) => Promise<Answer>;

/** The limit for the whole exchange: name lookup, connection, handshake, headers and body. */
export const EXCHANGE_LIMIT_MS = 10_000;
const RESPONSE_KEPT_BYTES = 1024;
/** The rest of a longer answer is not read, because the status is known. */
const RESPONSE_READ_MAX_BYTES = 64 * 1024;

export const postWith =
  (lookup: LookupFunction, clock: Clock): Post =>
  async (posting, signal) => {
    const limits = { limitMs: EXCHANGE_LIMIT_MS, keepBytes: RESPONSE_KEPT_BYTES };
    const options = { ...limits, readBytes: RESPONSE_READ_MAX_BYTES, clock, signal, lookup };
    const ended = await exchange({ method: 'POST', ...posting }, options);
    if (ended.kind !== 'answered') {
      return ended.fault.code === 'stopped'
        ? { kind: 'cut-off' }
        : { kind: 'failed', ...failureOf(ended.fault) };
    }
    const { status, headers, body } = ended;
    return {
      ...{ kind: 'answered', status, retryAfter: headers['retry-after'] ?? null },
      response: body.toString('utf8'),
    };
  };

/** To any address, because the operator has chosen it. */
export const postAnywhere = (clock: Clock): Post => postWith(lookup as LookupFunction, clock);
