import type { Log } from '../../core/log.ts';
import type { Database } from '../../sqlite/open.ts';
import type { DeliveryResult } from '../../webhook-send/delivery-result.ts';
import type { Answer, Post } from '../../webhook-send/post.ts';
import { judgeProbe, notProbed, type ProbeResult } from '../../webhook-send/probe.ts';
import { reasonSentence } from '../../webhook-send/reasons.ts';
import type { CastVote, Deliveries, Listing, VoteObserver } from '../contracts.ts';
import { isDatabaseFault } from '../database-fault.ts';
import { Outbox } from '../outbox/outbox.ts';
import { type Attempt, type AttemptParts, attemptOf, testAttempt } from './attempt.ts';
import { DeliveryLog } from './delivery-log.ts';
import { DeliveryStore } from './delivery-store.ts';
import { EventLog } from './event-log.ts';
import { OwedEvents } from './owed-events.ts';
import { Pruning } from './pruning.ts';
import {
  minuteBefore,
  RETENTION_MS,
  type RedeliveryResult,
  RUN_PER_MINUTE_MAX,
  redeliveryBlock,
  redeliveryWaitMs,
  refused,
} from './redelivery.ts';
import { RedeliveryRuns } from './redelivery-runs.ts';
import { type RecordedAttempt, AttemptRecorder } from './attempt-recorder.ts';
import { WebhookOutlet } from './webhook-outlet.ts';
import { WebhookStore } from './webhook-store.ts';

export interface WebhookDeliveriesParts extends Omit<AttemptParts, 'channelFacts'> {
  /** Open, with the listing service's schema. */
  readonly database: Database;
  readonly post: Post;
  readonly log: Log;
  /** The pause before each retry. */
  readonly retryScheduleMs: readonly number[];
  /** A listing's public page, for the embed of a channel; null if there is no public address. */
  readonly listingLink: (listing: Listing) => string | null;
}

/** Sent as `User-Agent`. */
export const USER_AGENT = 'Teller-Listing/1';

/** Sends webhooks: queued events, tests, probes and redeliveries. */
export class WebhookDeliveries implements Deliveries, VoteObserver {
  readonly log: DeliveryLog;
  /** The log with one row per event. */
  readonly events: EventLog;
  /** Redeliveries of all undelivered events. */
  readonly runs: RedeliveryRuns;
  private readonly attempts: AttemptParts;
  private readonly store: DeliveryStore;
  private readonly webhooks: WebhookStore;
  private readonly owed: OwedEvents;
  private readonly outbox: Outbox<Attempt, Answer, RecordedAttempt>;
  private readonly pruning: Pruning;

  constructor(private readonly parts: WebhookDeliveriesParts) {
    const { database, clock, random, log, retryScheduleMs: scheduleMs } = parts;
    const store = new DeliveryStore(database);
    const webhooks = new WebhookStore(database);
    this.store = store;
    this.webhooks = webhooks;
    this.log = new DeliveryLog(database, clock, parts.targets);
    this.events = new EventLog(database, clock);
    this.runs = new RedeliveryRuns({
      ...{ database, clock, webhooks, log },
      redeliver: (listingId, eventId) => this.redeliver(listingId, eventId, RUN_PER_MINUTE_MAX),
    });
    this.attempts = {
      ...parts,
      channelFacts: (listing) => ({
        listingName: listing.name,
        votes: webhooks.votesOf(listing.id),
        link: parts.listingLink(listing),
      }),
    };
    this.owed = new OwedEvents(database);
    const recorder = new AttemptRecorder({ store, webhooks, clock, random, scheduleMs });
    const outlet = new WebhookOutlet({ ...this.attempts, store, webhooks, recorder, post: parts.post, log });
    this.outbox = new Outbox({ database, outlet, clock });
    this.pruning = new Pruning(database, clock, log);
  }

  /** Deliveries that were in progress when the last process stopped may or may not have arrived; their events are sent again. */
  start(): void {
    const cutOff = this.store.atomically(() => this.store.cutOffAll({ code: 'cut-off' }));
    if (cutOff > 0) {
      this.parts.log.warn(
        { code: 'deliveries-cut-off', deliveries: cutOff },
        `${cutOff} webhook deliveries were in progress when the service stopped; their events are sent again`,
      );
    }
    this.pruning.start();
    this.runs.start();
    this.nudge();
  }

  async close(): Promise<void> {
    this.pruning.close();
    this.runs.close();
    await this.outbox.close();
  }

  nudge(): void {
    this.outbox.nudge();
  }

  /** Writes the event in the vote's transaction, so that after a kill every vote has its event. */
  recording(listing: Listing, vote: CastVote): void {
    this.owed.record(listing, vote);
  }

  voteCast(): void {
    this.nudge();
  }

  test(listing: Listing, url: URL): Promise<DeliveryResult> {
    const secret = this.webhooks.find(listing.id)?.secret ?? null;
    return this.markAndSend(testAttempt(listing, 'test', { url, secret }, this.attempts));
  }

  /** Sends one test delivery to the stored webhook, signed with a random secret. Never rejects. */
  async probe(listing: Listing): Promise<ProbeResult> {
    const webhook = this.webhooks.find(listing.id);
    if (webhook === null || webhook.secret === null) return notApplicable('no-secret');
    const url = new URL(webhook.url);
    if (this.parts.targets.isChannelWebhook(url)) return notApplicable('channel');
    const secret = this.parts.random.bytes(32).toString('base64url');
    return judgeProbe(await this.markAndSend(testAttempt(listing, 'probe', { url, secret }, this.attempts)));
  }

  /** Why all redeliveries to this webhook are refused, for pages to show next to the button; null if they are not. */
  redeliveryBlock(listingId: string): ReturnType<typeof refused> | null {
    const block = redeliveryBlock(this.webhooks.find(listingId));
    return block === null ? null : refused(block);
  }

  /** Sends an event again, once, to the current URL (NS-29). Never rejects. */
  async redeliver(listingId: string, eventId: string, perMinute?: number): Promise<RedeliveryResult> {
    try {
      const started = this.store.atomically(() => this.beginRedelivery(listingId, eventId, perMinute));
      if ('kind' in started) return started;
      return { kind: 'sent', result: (await this.outbox.send(started)).result };
    } catch (error) {
      if (isDatabaseFault(error)) return refused('not-recorded');
      throw error;
    }
  }

  private beginRedelivery(
    listingId: string,
    eventId: string,
    perMinute?: number,
  ): RedeliveryResult | Attempt {
    const { store, webhooks } = this;
    const now = this.parts.clock.now();
    const event = store.event(listingId, eventId);
    if (event === null) return refused('no-event');
    if (now - event.createdAt > RETENTION_MS) return refused('too-old');
    const webhook = webhooks.find(listingId);
    const block = redeliveryBlock(webhook);
    if (webhook === null || block !== null) return refused(block ?? 'no-webhook');
    if (store.isBeingSent(eventId)) return refused('being-sent');
    const waitMs = redeliveryWaitMs(store.redeliveriesSince(listingId, minuteBefore(now)), now, perMinute);
    if (waitMs > 0) return { ...refused('too-many'), retryAfterSeconds: Math.ceil(waitMs / 1000) };
    const attempt = attemptOf(event, 'redelivery', webhook, this.attempts);
    store.begin(attempt.delivery);
    return attempt;
  }

  private async markAndSend(attempt: Attempt): Promise<DeliveryResult> {
    try {
      this.store.atomically(() => this.store.begin(attempt.delivery));
    } catch (error) {
      if (!isDatabaseFault(error)) throw error;
      return notRecorded(attempt.delivery.deliveryId);
    }
    return (await this.outbox.send(attempt)).result;
  }
}

const notApplicable = (code: keyof typeof notProbed): ProbeResult => ({
  kind: 'not-applicable',
  code,
  sentence: notProbed[code],
});

const notRecorded = (deliveryId: string): DeliveryResult => ({
  deliveryId,
  delivered: false,
  httpStatus: null,
  durationMs: 0,
  error: reasonSentence({ code: 'not-recorded' }),
});
