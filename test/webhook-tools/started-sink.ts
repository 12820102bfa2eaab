import { createHmac } from 'node:crypto';
import { onTestFinished } from 'vitest';
import { systemClock } from '../../src/runtime/clock.ts';
import type { Delivery, OtherRequest } from '../../src/webhook-tools/received.ts';
import { type Sink, type SinkSettings, startSink } from '../../src/webhook-tools/sink.ts';
import { FakeClock } from '../support/fake-clock.ts';

export const SECRET = 'whsec_for-this-test';
export const EVENT_ID = '01972f3e-0000-7000-8000-000000000001';
export const DELIVERY_ID = '3f2504e0-4f89-41d3-9a0c-0305e82c3301';

/** A clock that stands still and says when a wait of a given length has begun. */
export class AnnouncingClock extends FakeClock {
  private readonly begun = new Set<number>();
  private tell: () => void = () => {};

  override after(delayMs: number, callback: () => void): () => void {
    this.begun.add(delayMs);
    this.tell();
    return super.after(delayMs, callback);
  }

  async hasBegun(delayMs: number): Promise<void> {
    while (!this.begun.has(delayMs)) await new Promise<void>((resolve) => (this.tell = resolve));
  }
}

export interface StartedSink extends Sink {
  readonly deliveries: readonly Delivery[];
  readonly others: readonly OtherRequest[];
  /** Resolves when so many deliveries have been told. */
  told(count: number): Promise<void>;
}

/** A sink on a free loopback port that keeps what it tells. Closed with the test. */
export async function startedSink(settings: Partial<SinkSettings> = {}): Promise<StartedSink> {
  const deliveries: Delivery[] = [];
  const others: OtherRequest[] = [];
  const waiting: (() => void)[] = [];
  const sink = await startSink({
    host: '127.0.0.1',
    port: 0,
    secret: null,
    clock: systemClock,
    onDelivery: (delivery) => {
      deliveries.push(delivery);
      for (const tell of waiting.splice(0)) tell();
    },
    onOther: (other) => others.push(other),
    ...settings,
  });
  onTestFinished(() => sink.close());
  const told = async (count: number): Promise<void> => {
    while (deliveries.length < count) await new Promise<void>((resolve) => waiting.push(resolve));
  };
  return { ...sink, deliveries, others, told };
}

/** A payload written by hand from the specification, and not by our encoder. */
export const payload = (change: object = {}): string =>
  JSON.stringify({
    event: 'vote.created',
    version: 1,
    eventId: EVENT_ID,
    timestamp: '2026-06-01T12:00:00.000Z',
    test: false,
    data: {
      listingId: 'listing-1',
      listingType: 'game',
      userId: '80351110224678912',
      votedAt: '2026-06-01T12:00:00.000Z',
      nextVoteAt: '2026-06-02T12:00:00.000Z',
      weight: 1,
      game: 'minecraft',
      playerName: 'Steve',
    },
    ...change,
  });

export const signature = (body: string, secret = SECRET): string =>
  `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`;

export const headersOf = (signed?: string): Record<string, string> => ({
  'Content-Type': 'application/json',
  'X-Service-Event': 'vote.created',
  'X-Service-Event-Id': EVENT_ID,
  'X-Service-Delivery': DELIVERY_ID,
  'X-Service-Attempt': '2',
  ...(signed === undefined ? {} : { 'X-Webhook-Signature': signed }),
});

export interface Answered {
  readonly status: number;
  readonly text: string;
}

export async function post(
  { url }: Sink,
  body: string | Uint8Array<ArrayBuffer>,
  signed?: string,
): Promise<Answered> {
  const response = await fetch(url, { method: 'POST', headers: headersOf(signed), body });
  return { status: response.status, text: await response.text() };
}
