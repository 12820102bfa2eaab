import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Clock } from '../../core/clock.ts';
import { Refusals, reply, sendAfter } from './answering.ts';
import {
  type Delivery,
  type OtherRequest,
  type Read,
  type ReceivedEvent,
  readDelivery,
  type SignatureState,
} from './received.ts';
import { SeenEvents } from './seen-events.ts';
import { deliverySentence } from './sentence.ts';

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
  /** The same for what Teller posts to the operator's programs. */
  readonly onEvent?: (event: ReceivedEvent) => void;
  /** Called for other requests. */
  readonly onOther?: (other: OtherRequest) => void;
}

type ReceiverParts = Required<ReceiverSettings>;

const SIGNATURE_REFUSED = 401;

/** Reads, judges, answers and reports each request. */
export class Receiver {
  private readonly refusals: Refusals<'not-a-vote'>;
  private readonly seen = new SeenEvents();
  private turn = 0;

  constructor(private readonly parts: ReceiverParts) {
    const { clock, onOther } = parts;
    this.refusals = new Refusals(clock, (refused) => onOther({ kind: 'no-delivery', ...refused }));
  }

  /** Never rejects. */
  async take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await this.refusals.bodyOf(request, response);
    if (body === null) return;
    const read = readDelivery(body, request.headers, this.parts.secret);
    if (read.kind === 'no-delivery') this.refusals.refuse(response, read.reason, read.signature, 400);
    else this.answer(response, read);
  }

  refuseBytes(error: NodeJS.ErrnoException, socket: Duplex): void {
    this.refusals.refuseBytes(error, socket);
  }

  private answer(response: ServerResponse, read: Exclude<Read, { kind: 'no-delivery' }>): void {
    const { facts, signature } = read;
    const receivedAt = this.parts.clock.now();
    const status = this.nextStatus(signature);
    // A forged delivery must not make the real one look like a repeat.
    const again = !facts.test && !isForged(signature) && this.seen.add(facts.eventId);
    const send = (): void => reply(response, status, deliverySentence(facts, signature, again, status));
    sendAfter(response, this.parts, send, (isAnswered, afterMs) => {
      const judged = { signature, again, answered: isAnswered ? status : null, afterMs };
      if (read.kind === 'event')
        this.parts.onEvent({ kind: read.kind, receivedAt, ...read.facts, ...judged });
      else this.parts.onDelivery({ kind: read.kind, receivedAt, ...read.facts, ...judged });
    });
  }

  private nextStatus(signature: SignatureState): number {
    const { answers, acceptedStatus } = this.parts;
    const configured = answers[Math.min(this.turn++, answers.length - 1)];
    return configured ?? (isForged(signature) ? SIGNATURE_REFUSED : acceptedStatus);
  }
}

export const isForged = (signature: SignatureState): boolean =>
  signature === 'wrong' || signature === 'missing';
