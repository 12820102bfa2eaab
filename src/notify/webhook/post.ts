import { lookup } from 'node:dns';
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { isIP, type LookupFunction, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import type { Clock } from '../../core/clock.ts';
import { type Interruption, interruptible } from '../../core/interruptible.ts';
import { connectTo } from '../../platform/connecting.ts';
import { type Failure, failureOf, type Phase } from './reasons.ts';

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
  (posting, stop) =>
    new Exchange(posting, lookup, clock).run(stop);

/** To any address, because the operator has chosen it. */
export const postAnywhere = (clock: Clock): Post => postWith(lookup as LookupFunction, clock);

/**
 * One connection for one attempt. Reusing a connection would skip the address rule, and if the receiver closed it at that
 * moment, the attempt would fail although the receiver is healthy. Uses Node's client, because undici treats a `100 Continue`
 * before the answer as an error (clients must skip every 1xx, RFC 9110 §15.2).
 */
class Exchange {
  private socket: Socket | null = null;
  private phase: Phase = 'connecting';

  constructor(
    private readonly posting: Posting,
    private readonly lookup: LookupFunction,
    private readonly clock: Clock,
  ) {}

  async run(stop: AbortSignal): Promise<Answer> {
    const interrupted = (by: Interruption): Answer =>
      by === 'abort' ? { kind: 'cut-off' } : { kind: 'failed', ...timeout(this.phase) };
    const limits = { clock: this.clock, limitMs: EXCHANGE_LIMIT_MS, signal: stop, interrupted };
    const answer = await interruptible<Answer>(limits, (end) => void this.post().then(end));
    this.socket?.destroy();
    return answer;
  }

  private async post(): Promise<Answer> {
    try {
      const socket = await this.open();
      this.phase = 'waiting';
      const answer = await this.ask(socket);
      this.phase = 'answering';
      const response = await beginning(answer);
      const { statusCode: status = 0, headers } = answer;
      return { kind: 'answered', status, retryAfter: headers['retry-after'] ?? null, response };
    } catch (error) {
      return { kind: 'failed', ...failureOf(error, this.phase) };
    }
  }

  /** Opens the checked connection, with TLS if the URL is https. */
  private async open(): Promise<Socket> {
    const { protocol, port, hostname } = this.posting.url;
    const isSecure = protocol === 'https:';
    const host = hostname.replace(/^\[(.*)\]$/, '$1');
    const plain = connectTo(host, port === '' ? (isSecure ? 443 : 80) : Number(port), this.lookup);
    this.socket = plain;
    // Later errors of the connection reach the exchange through the HTTP client.
    plain.setNoDelay(true).on('error', () => {});
    await once(plain, 'connect');
    if (!isSecure) return plain;
    this.phase = 'securing';
    const secure = connectTls({ socket: plain, ...serverIdentity(host), ALPNProtocols: ['http/1.1'] });
    secure.on('error', () => {});
    await once(secure, 'secureConnect');
    return secure;
  }

  /** Resolves with the final answer when its headers have arrived. */
  private ask(socket: Socket): Promise<IncomingMessage> {
    const { url, headers, body } = this.posting;
    return new Promise((resolve, reject) => {
      const sent = request({
        method: 'POST',
        host: url.hostname,
        port: url.port,
        path: url.pathname + url.search,
        headers: { ...headers, Host: url.host, 'Content-Length': body.byteLength, Connection: 'close' },
        createConnection: () => socket,
      });
      sent.on('error', reject).on('response', resolve);
      // 101 Switching Protocols is also an answer, but not a success.
      sent.on('upgrade', resolve);
      sent.end(body);
    });
  }
}

const timeout = (phase: Phase): Failure => ({
  reason: { code: 'timeout', facts: { phase } },
  isOurFault: false,
});

/** The certificate is checked against the URL's host. An address must not be sent as a server name. */
const serverIdentity = (hostname: string) => ({
  host: hostname,
  ...(isIP(hostname) === 0 ? { servername: hostname } : {}),
});

async function beginning(body: AsyncIterable<Buffer>): Promise<string> {
  const kept: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    if (bytes < RESPONSE_KEPT_BYTES) kept.push(chunk);
    bytes += chunk.length;
    if (bytes >= RESPONSE_READ_MAX_BYTES) break;
  }
  return Buffer.concat(kept).toString('utf8', 0, RESPONSE_KEPT_BYTES);
}
