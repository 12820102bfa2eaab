import type { Clock } from '../../core/clock.ts';
import type { Log } from '../../core/log.ts';
import type { Random } from '../../core/random.ts';
import { uuid4 } from '../../core/uuid.ts';
import { Outbox } from '../../notify/outbox/outbox.ts';
import type { DeliveryResult } from '../../notify/webhook/delivery-result.ts';
import type { Answer, Post } from '../../notify/webhook/post.ts';
import { reasonSentence } from '../../notify/webhook/reasons.ts';
import type { Deliveries, Listing, VoteObserver } from '../contracts.ts';
import { isDatabaseFault } from '../database/database-fault.ts';
import type { ListingDatabase } from '../database/listing-database.ts';
import { IN_ALL_MAX } from '../outbox/claim-due.ts';
import type { Targets } from '../targets/target-rule.ts';
import { type Attempt, type AttemptParts, attemptOf, testDelivery } from './attempt.ts';
import type { RecordedAttempt } from './attempt-recorder.ts';
import { DeliveryLog } from './delivery-log.ts';
import type { Drawn, MarkedDelivery } from './delivery-mark.ts';
import { EventLog } from './event-log.ts';
import { Pruning } from './pruning.ts';
import { type RedeliveryResult, redeliveryBlock, refused } from './redelivery.ts';
import { WebhookOutlet } from './webhook-outlet.ts';
import { WebhookStore } from './webhook-store.ts';

export interface WebhookDeliveriesParts extends ListingDatabase {
  readonly clock: Clock;
  readonly random: Random;
  readonly targets: Targets;
  readonly userAgent: string;
  readonly post: Post;
  readonly log: Log;
  /** The pause before each retry. */
  readonly retryScheduleMs: readonly number[];
  /** A listing's public page, for the embed of a channel; null if there is no public address. */
  readonly listingLink: (listing: Listing) => string | null;
}

/** Sent as `User-Agent`. */
export const USER_AGENT = 'Teller-Listing/1';

/** Sends webhooks: queued events, tests and redeliveries. */
export class WebhookDeliveries implements Deliveries, VoteObserver {
  readonly log: DeliveryLog;
  /** The log with one row per event. */
  readonly events: EventLog;
  private readonly attempts: AttemptParts;
  private readonly webhooks: WebhookStore;
  private readonly outbox: Outbox<Attempt, Answer, RecordedAttempt>;
  private readonly pruning: Pruning;

  constructor(private readonly parts: WebhookDeliveriesParts) {
    const { database, changes, reads, clock, log, targets } = parts;
    const webhooks = new WebhookStore(database);
    this.webhooks = webhooks;
    this.log = new DeliveryLog(reads, clock, targets.channels);
    this.events = new EventLog(reads, clock);
    this.attempts = {
      rules: { userAgent: parts.userAgent, channels: targets.channels },
      channelFacts: (listing) => ({
        listingName: listing.name,
        votes: webhooks.votesOf(listing.id),
        link: parts.listingLink(listing),
      }),
    };
    this.outbox = new Outbox({
      ...{ outlet: new WebhookOutlet({ ...parts, ...this.attempts }), clock },
      ...{ isStorageFault: isDatabaseFault, mostAtOnce: IN_ALL_MAX },
    });
    this.pruning = new Pruning({ changes, reads, clock, log });
  }

  /**
   * Call this before anything is sent. Deliveries that were in progress when the last process stopped may or may not
   * have arrived; their events are sent again.
   */
  async cutOffOpen(): Promise<void> {
    const cutOff = await this.parts.changes.cutOffDeliveries({ code: 'cut-off' });
    if (cutOff === 0) return;
    this.parts.log.warn(
      { code: 'deliveries-cut-off', deliveries: cutOff },
      `${cutOff} webhook deliveries were in progress when the service stopped; their events are sent again`,
    );
  }

  start(): void {
    this.pruning.start();
    this.nudge();
  }

  async close(): Promise<void> {
    await Promise.all([this.pruning.close(), this.outbox.close()]);
  }

  nudge(): void {
    this.outbox.nudge();
  }

  voteCast(): void {
    this.nudge();
  }

  test(listing: Listing, url: URL): Promise<DeliveryResult> {
    const secret = this.webhooks.find(listing.id)?.secret ?? null;
    return this.markAndSend(testDelivery(listing, { url: url.href, secret }, this.drawn()));
  }

  /** Why all redeliveries to this webhook are refused, for pages to show next to the button; null if they are not. */
  redeliveryBlock(listingId: string): ReturnType<typeof refused> | null {
    const block = redeliveryBlock(this.webhooks.find(listingId));
    return block === null ? null : refused(block);
  }

  /** Sends an event again, once, to the current URL (NS-29). Never rejects. */
  async redeliver(listingId: string, eventId: string): Promise<RedeliveryResult> {
    const { deliveryId, startedAt: now, rules } = this.drawn();
    try {
      const begun = await this.outbox.marked(
        this.parts.changes.beginRedelivery({ listingId, eventId, now, deliveryId, rules }),
      );
      if (begun.kind === 'refused') return { ...begun, ...refused(begun.code) };
      return { kind: 'sent', result: await this.send(begun) };
    } catch (error) {
      if (isDatabaseFault(error)) return refused('not-recorded');
      throw error;
    }
  }

  private async markAndSend(marked: MarkedDelivery): Promise<DeliveryResult> {
    try {
      await this.outbox.marked(this.parts.changes.beginDelivery(marked.delivery));
    } catch (error) {
      if (!isDatabaseFault(error)) throw error;
      return notRecorded(marked.delivery.deliveryId);
    }
    return this.send(marked);
  }

  private async send(marked: MarkedDelivery): Promise<DeliveryResult> {
    return (await this.outbox.send(attemptOf(marked, this.attempts))).result;
  }

  private drawn(): Drawn {
    const { clock, random } = this.parts;
    return { deliveryId: uuid4(random), startedAt: clock.now(), rules: this.attempts.rules };
  }
}

const notRecorded = (deliveryId: string): DeliveryResult => ({
  deliveryId,
  delivered: false,
  httpStatus: null,
  durationMs: 0,
  error: reasonSentence({ code: 'not-recorded' }),
});
