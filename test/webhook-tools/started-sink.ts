import { createHmac } from 'node:crypto';
import { onTestFinished } from 'vitest';
import { systemClock } from '../../src/platform/clock.ts';
import type { Delivery, OtherRequest, ReceivedEvent } from '../../src/practice/webhook-tools/received.ts';
import { type Sink, type SinkSettings, startSink } from '../../src/practice/webhook-tools/sink.ts';
import { FakeClock } from '../support/fake-clock.ts';

export const SECRET = 'whsec_for-this-test';
export const EVENT_ID = '01972f3e-0000-7000-8000-000000000001';
export const DELIVERY_ID = '3f2504e0-4f89-41d3-9a0c-0305e82c3301';

/** A fake clock that lets a test wait until a timer of a given length is set. */
export class AnnouncingClock extends FakeClock {
  private readonly timers = new Set<number>();
  private notify: () => void = () => {};

  override after(delayMs: number, callback: () => void): () => void {
    this.timers.add(delayMs);
    this.notify();
    return super.after(delayMs, callback);
  }

  async isSet(delayMs: number): Promise<void> {
    while (!this.timers.has(delayMs)) await new Promise<void>((resolve) => (this.notify = resolve));
  }
}

export interface StartedSink extends Sink {
  readonly deliveries: readonly Delivery[];
  readonly events: readonly ReceivedEvent[];
  readonly others: readonly OtherRequest[];
  /** Resolves when this many deliveries and events have been reported. */
  reported(count: number): Promise<void>;
}

/** A sink on a free loopback port that keeps its reports. It is closed when the test ends. */
export async function startedSink(settings: Partial<SinkSettings> = {}): Promise<StartedSink> {
  const deliveries: Delivery[] = [];
  const events: ReceivedEvent[] = [];
  const others: OtherRequest[] = [];
  const waiting: (() => void)[] = [];
  const notify = (): void => {
    for (const resolve of waiting.splice(0)) resolve();
  };
  const sink = await startSink({
    host: '127.0.0.1',
    port: 0,
    secret: null,
    clock: systemClock,
    onDelivery: (delivery) => {
      deliveries.push(delivery);
      notify();
    },
    onEvent: (event) => {
      events.push(event);
      notify();
    },
    onOther: (other) => others.push(other),
    ...settings,
  });
  onTestFinished(() => sink.close());
  const reported = async (count: number): Promise<void> => {
    while (deliveries.length + events.length < count)
      await new Promise<void>((resolve) => waiting.push(resolve));
  };
  return { ...sink, deliveries, events, others, reported };
}

/** A payload written from the specification by hand, not by our encoder. */
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
