import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { isIP, type LookupFunction, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import type { Clock } from '../core/clock.ts';
import { type Interruption, interruptible } from '../core/interruptible.ts';
import { type Connect, connectWith } from '../sender/connection.ts';
import { type Failure, failureOf, type Phase } from './reasons.ts';

export interface Posting {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  /** These bytes, as they are: the signature is over them. */
  readonly body: Uint8Array;
}

export type Answer =
  | {
      readonly kind: 'answered';
      readonly status: number;
      readonly retryAfter: string | null;
      /** Its first 1 KiB. */
      readonly response: string;
    }
  /** No complete answer came. */
  | ({ readonly kind: 'failed' } & Failure)
  /** `stop` was called before it ended. */
  | { readonly kind: 'cut-off' };

/** Posts once, and follows nothing. Never rejects, and leaves no connection behind. */
export type Post = (posting: Posting, stop: AbortSignal) => Promise<Answer>;

/** For the whole exchange: name, connection, handshake, headers and body. */
export const EXCHANGE_LIMIT_MS = 10_000;
const RESPONSE_KEPT_BYTES = 1024;
/** Of a longer answer the rest is not read: its status is known. */
const RESPONSE_READ_MAX_BYTES = 64 * 1024;

export const postWith =
  (lookup: LookupFunction, clock: Clock): Post =>
  (posting, stop) =>
    new Exchange(posting, connectWith(lookup), clock).run(stop);

/**
 * One connection for one attempt. A kept-alive one would skip the address rule, and one that the receiver closes at
 * that moment would count as a failed attempt of a healthy receiver. Node's own client, because undici takes a
 * `100 Continue` before the answer for a fault (RFC 9110 §15.2 has clients skip every 1xx).
 */
class Exchange {
  private socket: Socket | null = null;
  private phase: Phase = 'connecting';

  constructor(
    private readonly posting: Posting,
    private readonly connect: Connect,
    private readonly clock: Clock,
  ) {}

  async run(stop: AbortSignal): Promise<Answer> {
    const interrupted = (by: Interruption): Answer =>
      by === 'abort' ? { kind: 'cut-off' } : { kind: 'failed', ...timeout(this.phase) };
    const limits = { clock: this.clock, limitMs: EXCHANGE_LIMIT_MS, signal: stop, interrupted };
    const answer = await interruptible<Answer>(limits, (end) => void this.talk().then(end));
    this.socket?.destroy();
    return answer;
  }

  private async talk(): Promise<Answer> {
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

  /** The checked connection, with TLS on top of it where the URL says so. */
  private async open(): Promise<Socket> {
    const { protocol, port, hostname } = this.posting.url;
    const isSecure = protocol === 'https:';
    const host = hostname.replace(/^\[(.*)\]$/, '$1');
    const plain = this.connect(host, port === '' ? (isSecure ? 443 : 80) : Number(port));
    this.socket = plain;
    // After its turn to fail here, a connection can still fail: the exchange hears that from its client.
    plain.setNoDelay(true).on('error', () => {});
    await once(plain, 'connect');
    if (!isSecure) return plain;
    this.phase = 'securing';
    const secure = connectTls({ socket: plain, ...serverIdentity(host), ALPNProtocols: ['http/1.1'] });
    secure.on('error', () => {});
    await once(secure, 'secureConnect');
    return secure;
  }

  /** The final answer, once its headers have come. */
  private ask(socket: Socket): Promise<IncomingMessage> {
    const { url, headers, body } = this.posting;
    return new Promise((resolve, reject) => {
      const asking = request({
        method: 'POST',
        host: url.hostname,
        port: url.port,
        path: url.pathname + url.search,
        headers: { ...headers, Host: url.host, 'Content-Length': body.byteLength, Connection: 'close' },
        createConnection: () => socket,
      });
      asking.on('error', reject).on('response', resolve);
      // A switch of protocols is an answer as well, and no success.
      asking.on('upgrade', resolve);
      asking.end(body);
    });
  }
}

const timeout = (phase: Phase): Failure => ({
  reason: { code: 'timeout', facts: { phase } },
  isOurFault: false,
});

/** A certificate is compared with the host of the URL; an address is never a server name. */
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
