import type { Cancel, Clock } from '../../core/clock.ts';
import { durationText } from '../../core/duration.ts';
import { timeLimit } from '../../core/time-limit.ts';
import { networkFault } from './network-fault.ts';
import type { Fault } from './wording.ts';

export interface HttpRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** The outcome of one request, before its answer is interpreted. */
export type Exchange =
  | {
      readonly kind: 'answered';
      readonly status: number;
      readonly retryAfter: string | null;
      /** The Date header, as received. */
      readonly date: string | null;
      readonly body: Uint8Array;
    }
  | { readonly kind: 'failed'; readonly fault: Fault }
  | { readonly kind: 'aborted' };

export interface ExchangeLimits {
  /** From the start until the answer is complete. */
  readonly wholeMs: number;
  /** Of an answer, after decompression. */
  readonly bodyMaxBytes: number;
}

export interface ExchangeParts {
  readonly clock: Clock;
  readonly fetch: typeof fetch;
  readonly limits: ExchangeLimits;
  readonly signal: AbortSignal | undefined;
}

/** Never rejects. When it resolves, no timer and no busy connection is left. */
export async function exchange(request: HttpRequest, parts: ExchangeParts): Promise<Exchange> {
  const { clock, limits, signal } = parts;
  const ending = new AbortController();
  let isOverdue = false;
  const cancels = [
    onAbort(signal, () => ending.abort()),
    timeLimit(clock, limits.wholeMs, () => {
      isOverdue = true;
      ending.abort();
    }),
  ];
  try {
    return await answerTo(request, parts, ending.signal);
  } catch (error) {
    if (signal?.aborted) return { kind: 'aborted' };
    if (isOverdue) return failed({ code: 'deadline', detail: durationText(limits.wholeMs) });
    return failed(networkFault(error));
  } finally {
    for (const cancel of cancels) cancel();
    // Closes an answer that was not read to its end; otherwise it does nothing.
    ending.abort();
  }
}

async function answerTo(
  { url, ...init }: HttpRequest,
  { fetch, limits }: ExchangeParts,
  signal: AbortSignal,
): Promise<Exchange> {
  // Following a redirect would send the token wherever the answer points.
  const response = await fetch(url, { ...init, redirect: 'manual', signal });
  const { status, headers } = response;
  if (status >= 300 && status < 400) {
    return failed({ code: 'redirected', detail: headers.get('Location') ?? 'nowhere' });
  }
  const body = await boundedBody(response, limits.bodyMaxBytes);
  const retryAfter = headers.get('Retry-After');
  // A cached answer has the date when it was stored (RFC 9111 §5.1).
  const date = headers.get('Age') === null ? headers.get('Date') : null;
  if (body !== null) return { kind: 'answered', status, retryAfter, date, body };
  return failed({ code: 'answer-too-large', detail: `${limits.bodyMaxBytes} bytes` });
}

const failed = (fault: Fault): Exchange => ({ kind: 'failed', fault });

/** null if there are more than `maxBytes`. The bytes are counted, because the Content-Length header cannot be trusted. */
async function boundedBody(response: Response, maxBytes: number): Promise<Uint8Array | null> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.length;
    if (bytes > maxBytes) return null;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** Calls back when the signal aborts, at once if it has aborted already. */
function onAbort(signal: AbortSignal | undefined, callback: () => void): Cancel {
  if (signal === undefined) return () => {};
  if (signal.aborted) callback();
  signal.addEventListener('abort', callback, { once: true });
  return () => signal.removeEventListener('abort', callback);
}
