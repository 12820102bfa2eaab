import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Clock } from '../core/clock.ts';
import { readBody } from '../runtime/request-body.ts';
import {
  type Delivery,
  type Facts,
  type OtherRequest,
  readDelivery,
  type SignatureState,
} from './received.ts';
import { SeenEvents } from './seen-events.ts';
import { deliverySentence, refusalSentence } from './sentence.ts';

export interface ReceiverSettings {
  /** null: signatures are not checked. */
  readonly secret: string | null;
  /** Statuses for successive deliveries, whatever their signature; the last one repeats. By default the status depends on the delivery. */
  readonly answers?: readonly number[];
  /** The status for accepted deliveries (default 204). With 200 the answer has a sentence; 204 has no body. */
  readonly acceptedStatus?: 200 | 204;
  /** The wait before each answer to a delivery. */
  readonly delayMs?: number;
  readonly clock: Clock;
  /** Called when a delivery is answered or its sender has hung up. */
  readonly onDelivery: (delivery: Delivery) => void;
  /** Called for other requests. */
  readonly onOther?: (other: OtherRequest) => void;
}

type ReceiverParts = Required<ReceiverSettings>;

const SIGNATURE_REFUSED = 401;
const NOT_A_REQUEST = 'HTTP/1.1 400 Bad Request\r\nConnection: close\r\nContent-Length: 0\r\n\r\n';

/** Reads, judges, answers and reports each request. */
export class Receiver {
  private readonly seen = new SeenEvents();
  private turn = 0;

  constructor(private readonly parts: ReceiverParts) {}

  /** Never rejects. */
  async take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.method !== 'POST') {
      return this.refuse(response, 'not-post', 'not-checked', 405, { Allow: 'POST' });
    }
    const body = await readBody(request);
    if (body === 'gone') return;
    if (body === 'too-large') {
      return this.refuse(response, 'too-large', 'not-checked', 413, { Connection: 'close' });
    }
    const read = readDelivery(body, request.headers, this.parts.secret);
    if (read.kind === 'delivery') this.answer(response, read.facts, read.signature);
    else this.refuse(response, read.reason, read.signature, 400);
  }

  /** Called for bytes that are not HTTP, such as TLS, and for connections that are reset or too slow. */
  refuseBytes({ code }: NodeJS.ErrnoException, socket: Duplex): void {
    if (code?.startsWith('HPE_') !== true || !socket.writable) {
      socket.destroy();
      return;
    }
    socket.end(NOT_A_REQUEST, () => socket.destroy());
    this.reportOther('not-http', 'not-checked', 400);
  }

  private refuse(
    response: ServerResponse,
    reason: OtherRequest['reason'],
    signature: SignatureState,
    status: number,
    headers: OutgoingHttpHeaders = {},
  ): void {
    reply(response, status, `refused: ${refusalSentence(reason)}`, headers);
    this.reportOther(reason, signature, status);
  }

  private reportOther(reason: OtherRequest['reason'], signature: SignatureState, answered: number): void {
    const { clock, onOther } = this.parts;
    onOther({ kind: 'no-delivery', receivedAt: clock.now(), reason, signature, answered });
  }

  private answer(response: ServerResponse, facts: Facts, signature: SignatureState): void {
    const { clock, delayMs, onDelivery } = this.parts;
    const [receivedAt, startedAt] = [clock.now(), clock.monotonic()];
    const status = this.nextStatus(signature);
    // A forged delivery must not make the real one look like a repeat.
    const again = !facts.test && !isForged(signature) && this.seen.add(facts.eventId);
    const send = (): void => reply(response, status, deliverySentence(facts, signature, again, status));
    const cancelDelay = delayMs === 0 ? null : clock.after(delayMs, send);
    response.once('close', () => {
      cancelDelay?.();
      const answered = response.writableFinished ? status : null;
      const afterMs = Math.round(clock.monotonic() - startedAt);
      onDelivery({ kind: 'delivery', receivedAt, ...facts, signature, again, answered, afterMs });
    });
    if (cancelDelay === null) send();
  }

  private nextStatus(signature: SignatureState): number {
    const { answers, acceptedStatus } = this.parts;
    const configured = answers[Math.min(this.turn++, answers.length - 1)];
    return configured ?? (isForged(signature) ? SIGNATURE_REFUSED : acceptedStatus);
  }
}

const isForged = (signature: SignatureState): boolean => signature === 'wrong' || signature === 'missing';

/** Statuses without a body. */
const BODILESS: ReadonlySet<number> = new Set([204, 205, 304]);

function reply(
  response: ServerResponse,
  status: number,
  sentence: string,
  headers: OutgoingHttpHeaders = {},
): void {
  if (BODILESS.has(status)) response.writeHead(status, headers).end();
  else response.writeHead(status, { ...headers, 'Content-Type': 'text/plain; charset=utf-8' }).end(sentence);
}
