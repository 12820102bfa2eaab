import type { Clock } from '../../core/clock.ts';
import { DAY_MS } from '../../core/duration.ts';
import type { Log } from '../../core/log.ts';
import type { Random } from '../../core/random.ts';
import { UUID_BYTES, uuid4 } from '../../core/uuid.ts';
import { Outbox } from '../../notify/outbox/outbox.ts';
import type { EndedJob, Outlet, Turn, TurnWanted } from '../../notify/outbox/outlet.ts';
import type { DeliveryResult } from '../../notify/webhook/delivery-result.ts';
import type { Answer, Post } from '../../notify/webhook/post.ts';
import { reasonSentence } from '../../notify/webhook/reasons.ts';
import { NEWEST, type Page, type PageWanted, pageOf } from '../../web/paging.ts';
import type { Deliveries, Listing, VoteObserver } from '../contracts.ts';
import { isDatabaseFault } from '../database/database-fault.ts';
import type { ListingDatabase } from '../database/listing-database.ts';
import { IN_ALL_MAX } from '../outbox/claim-due.ts';
import type { Reads } from '../reads/reads.ts';
import { type ChannelRule, shownUrl } from '../targets/channel.ts';
import type { Targets } from '../targets/target-rule.ts';
import { type Attempt, type AttemptParts, attemptOf, testDelivery } from './attempt.ts';
import type { RecordedAttempt } from './attempt-recorder.ts';
import type { Drawn, MarkedDelivery } from './delivery-mark.ts';
import type { NewDelivery } from './delivery-store.ts';
import { type EventDetail, type LogRow, toLogRow } from './event-rows.ts';
import { type EventState, eventStates } from './event-state.ts';
import { type Health, healthOf } from './health.ts';
import {
  type DeliveryDetail,
  type LoggedDelivery,
  toDetail,
  toLogged,
  type UndeliveredEvent,
} from './log-rows.ts';
import { Pruning } from './pruning.ts';
import { type RedeliveryResult, redeliveryBlock, refused } from './redelivery.ts';
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

/** The deliveries of a webhook, as its owner sees them. It only reads. */
class DeliveryLog {
  constructor(
    private readonly reads: Reads,
    private readonly clock: Clock,
    private readonly channels: ChannelRule,
  ) {}

  async page(listingId: string, { limit, before }: PageWanted): Promise<Page<LoggedDelivery>> {
    const rows = await this.reads.deliveryRows(listingId, before ?? NEWEST, limit + 1);
    const logged = rows.map((row) => toLogged(row, this.clock.now()));
    return pageOf(logged, limit, ({ startedAt, deliveryId }) => ({ at: startedAt, id: deliveryId }));
  }

  async detail(listingId: string, deliveryId: string): Promise<DeliveryDetail | null> {
    const row = await this.reads.deliveryDetail(listingId, deliveryId);
    return row && toDetail(row, this.clock.now());
  }

  /** Events that are sent again only by a redelivery. */
  async undelivered(listingId: string, { limit, before }: PageWanted): Promise<Page<UndeliveredEvent>> {
    const rows = await this.reads.undeliveredEvents(listingId, before ?? NEWEST, limit + 1);
    return pageOf(rows, limit, ({ endedAt, eventId }) => ({ at: endedAt, id: eventId }));
  }

  /** null if the listing has no webhook. */
  async health(listingId: string): Promise<Health | null> {
    const row = await this.reads.webhookHealth(listingId, this.clock.now() - DAY_MS);
    if (row === null) return null;
    const { webhook, latest, day, open } = row;
    const isCurrent = latest?.url === shownUrl(new URL(webhook.url), this.channels);
    return healthOf(webhook, isCurrent ? latest : null, { day, open });
  }
}

/** The log of deliveries, with one row for each event and test. It only reads. */
class EventLog {
  constructor(
    private readonly reads: Reads,
    private readonly clock: Clock,
  ) {}

  /** All rows, or those in one state, newest first by when the vote was cast or the test was sent. Rows do not move when an attempt is added. */
  async page(
    listingId: string,
    state: EventState | null,
    { limit, before }: PageWanted,
  ): Promise<Page<LogRow>> {
    const wanted = { listingId, state, before: before ?? NEWEST, limit: limit + 1 };
    const rows = (await this.reads.eventRows(wanted)).map((row) => toLogRow(row, this.clock.now()));
    return pageOf(rows.toSorted(newestFirst), limit, ({ at, id }) => ({ at, id }));
  }

  /** One event with all its attempts; null if this listing has no such event. */
  async event(listingId: string, eventId: string): Promise<EventDetail | null> {
    const row = await this.reads.eventRow(listingId, eventId);
    if (row === null) return null;
    return {
      ...toLogRow(row, this.clock.now()),
      body: Buffer.from(row.body).toString(),
      history: (await this.attemptsOf(listingId, [eventId])).get(eventId) ?? [],
    };
  }

  /** The attempts of these events by event ID, oldest first, for pages whose rows can be opened. */
  async attemptsOf(
    listingId: string,
    eventIds: readonly string[],
  ): Promise<ReadonlyMap<string, readonly LoggedDelivery[]>> {
    const rows = await this.reads.attemptRows(listingId, eventIds);
    const attempts = rows.map((row) => toLogged(row, this.clock.now()));
    return new Map(eventIds.map((id) => [id, attempts.filter(({ eventId }) => eventId === id)]));
  }
}

const newestFirst = (a: LogRow, b: LogRow): number => b.at - a.at || (a.id < b.id ? 1 : -1);

/** Sends events to webhooks, at least once: an event stays pending until a 2xx for it is on disk. */
class WebhookOutlet implements Outlet<Attempt, Answer, RecordedAttempt> {
  constructor(private readonly parts: WebhookDeliveriesParts & AttemptParts) {}

  async turn(wanted: TurnWanted<Attempt, Answer>): Promise<Turn<Attempt, RecordedAttempt>> {
    const { changes, random, rules, retryScheduleMs } = this.parts;
    const { ended, inProgress, ...rest } = wanted;
    const { claimed, ...turn } = await changes.deliveriesTurn({
      ...{ ...rest, rules, retryScheduleMs },
      idBytes: random.bytes(UUID_BYTES * IN_ALL_MAX),
      ended: ended.map(({ job: { delivery }, answer, durationMs }) => ({
        ...{ delivery, answer, durationMs },
        draw: random.next(),
      })),
      inProgress: inProgress.map(({ id, listingId }) => ({ id, listingId })),
    });
    return { ...turn, claimed: claimed.map((marked) => attemptOf(marked, this.parts)) };
  }

  send({ posting }: Attempt, stop: AbortSignal): Promise<Answer> {
    return this.parts.post(posting, stop);
  }

  report({ job: { delivery } }: EndedJob<Attempt, Answer>, recorded: RecordedAttempt): void {
    logDelivery(this.parts.log, delivery, recorded);
  }

  reportPause(error: Error): void {
    const fields = { code: 'deliveries-paused', err: error };
    this.parts.log.error(
      fields,
      `webhook deliveries are paused, because the database cannot be written: ${error.message}`,
    );
  }
}

/** Logs a delivery without its URL and its content (rule 10). */
function logDelivery(log: Log, delivery: NewDelivery, { result, state, hasDisabled }: RecordedAttempt): void {
  const { deliveryId, listing, eventId, kind, attempt } = delivery;
  const fields = { delivery: deliveryId, listing: listing.id, event: eventId, kind, attempt, state };
  const { delivered, httpStatus, error, durationMs } = result;
  const answer = httpStatus === null ? error : `HTTP ${httpStatus}`;
  if (delivered)
    log.debug({ ...fields, code: 'delivered' }, `webhook delivered in ${durationMs} ms (${answer})`);
  else
    log.info({ ...fields, code: 'delivery-failed' }, `webhook not delivered (${answer})${followUp(state)}`);
  if (!hasDisabled) return;
  log.warn(
    { code: 'webhook-disabled', listing: listing.id },
    `the webhook of ${listing.name} was disabled: too many attempts failed in a row`,
  );
}

const followUp = (state: EventState | null): string =>
  state === null ? '' : `: ${eventStates[state].label.toLowerCase()}`;
