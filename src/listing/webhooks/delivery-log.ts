import type { Clock } from '../../core/clock.ts';
import { DAY_MS } from '../../core/duration.ts';
import { NEWEST, type Page, type PageWanted, pageOf } from '../../web/paging.ts';
import type { Reads } from '../reads/reads.ts';
import { type ChannelRule, shownUrl } from '../targets/channel.ts';
import { type Health, healthOf } from './health.ts';
import {
  type DeliveryDetail,
  type LoggedDelivery,
  toDetail,
  toLogged,
  type UndeliveredEvent,
} from './log-rows.ts';

/** The deliveries of a webhook, as its owner sees them. It only reads. */
export class DeliveryLog {
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
