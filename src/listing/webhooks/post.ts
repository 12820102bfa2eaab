import { isIP, type LookupFunction, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { type buildConnector, Client, type Dispatcher } from 'undici';
import type { Clock } from '../../core/clock.ts';
import { type Connect, connectWith } from '../../sender/connection.ts';
import { failureOf, lateSentence, type Phase } from './reasons.ts';

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
  /** No complete answer came; `sentence` says why. */
  | { readonly kind: 'failed'; readonly sentence: string; readonly isOurFault: boolean }
  /** `stop` was called before it ended. */
  | { readonly kind: 'cut-off' };

/** Posts once, and follows nothing. Never rejects, and leaves no connection behind. */
export type Post = (posting: Posting, stop: AbortSignal) => Promise<Answer>;

/** For the whole exchange: name, connection, handshake, headers and body. */
export const EXCHANGE_LIMIT_MS = 10_000;
const RESPONSE_KEPT_BYTES = 1024;
/** A receiver that answers more is not heard out; its status has been told. */
const RESPONSE_READ_MAX_BYTES = 64 * 1024;

export const postWith =
  (lookup: LookupFunction, clock: Clock): Post =>
  (posting, stop) =>
    new Exchange(posting, connectWith(lookup), clock).run(stop);

/**
 * One connection for one attempt. A kept-alive one would skip the address rule, and one that the receiver closes at
 * that moment would count as a failed attempt of a healthy receiver.
 */
class Exchange {
  private readonly posting: Posting;
  private readonly connect: Connect;
  private readonly clock: Clock;
  private readonly client: Client;
  private socket: Socket | null = null;
  private phase: Phase = 'connecting';

  constructor(posting: Posting, connect: Connect, clock: Clock) {
    this.posting = posting;
    this.connect = connect;
    this.clock = clock;
    this.client = new Client(posting.url.origin, {
      connect: (to, done) => this.open(to, done),
      pipelining: 0,
      // undici's limits are one for each phase, on timers of its own; here one limit holds for all of them.
      headersTimeout: 0,
      bodyTimeout: 0,
    });
  }

  async run(stop: AbortSignal): Promise<Answer> {
    const interruption = new Interruption(this.clock, stop, () => this.phase);
    const answer = await Promise.race([this.talk(), interruption.answer]);
    interruption.cancel();
    this.socket?.destroy();
    await this.client.destroy();
    return answer;
  }

  private async talk(): Promise<Answer> {
    const { url, headers, body } = this.posting;
    const path = url.pathname + url.search;
    try {
      const answer = await this.client.request({ path, method: 'POST', headers, body });
      this.phase = 'answering';
      const response = await beginning(answer.body);
      return { kind: 'answered', status: answer.statusCode, retryAfter: retryAfterOf(answer), response };
    } catch (error) {
      return { kind: 'failed', ...failureOf(error, this.phase) };
    }
  }

  /** The checked connection, with TLS on top of it where the URL says so. */
  private open({ hostname, protocol, port }: buildConnector.Options, done: buildConnector.Callback): void {
    const isSecure = protocol === 'https:';
    const plain = this.connect(hostname, port === '' ? (isSecure ? 443 : 80) : Number(port));
    this.socket = plain;
    // What happens to the connection once undici has it, undici hears itself.
    let isOpen = false;
    const failed = (error: Error): void => {
      if (!isOpen) done(error, null);
      isOpen = true;
    };
    const opened = (socket: Socket): void => {
      isOpen = true;
      this.phase = 'waiting';
      done(null, socket);
    };
    plain.setNoDelay(true).on('error', failed);
    plain.once('connect', () => {
      if (!isSecure) return opened(plain);
      this.phase = 'securing';
      const secure = connectTls({ socket: plain, ...serverIdentity(hostname), ALPNProtocols: ['http/1.1'] });
      secure.on('error', failed).once('secureConnect', () => opened(secure));
    });
  }
}

/** What ends an exchange before its answer: its limit, or the service that is closing. */
class Interruption {
  readonly answer: Promise<Answer>;
  cancel: () => void = () => {};

  constructor(clock: Clock, stop: AbortSignal, phase: () => Phase) {
    this.answer = new Promise((resolve) => {
      const late = () => resolve({ kind: 'failed', sentence: lateSentence(phase()), isOurFault: false });
      const stopped = () => resolve({ kind: 'cut-off' });
      const cancelLimit = clock.after(EXCHANGE_LIMIT_MS, late);
      stop.addEventListener('abort', stopped);
      this.cancel = () => {
        cancelLimit();
        stop.removeEventListener('abort', stopped);
      };
      if (stop.aborted) stopped();
    });
  }
}

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

const retryAfterOf = ({ headers }: Dispatcher.ResponseData): string | null => {
  const value = headers['retry-after'];
  return typeof value === 'string' ? value : null;
};
