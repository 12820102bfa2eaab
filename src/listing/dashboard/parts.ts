import type { Clock } from '../../core/clock.ts';
import type { Random } from '../../core/random.ts';
import type { Section } from '../accounts/pages/listing-page.ts';
import type { ListenerSends } from '../listener-sends/listener-sends.ts';
import type { ListingStore } from '../store/listing-store.ts';
import type { Targets } from '../targets/target-rule.ts';
import type { WebhookDeliveries } from '../webhooks/webhook-deliveries.ts';

/** What the pages of a listing need. */
export interface DashboardParts {
  readonly store: ListingStore;
  readonly deliveries: WebhookDeliveries;
  readonly sends: ListenerSends;
  readonly targets: Targets;
  readonly clock: Clock;
  readonly random: Random;
  /** The tabs of every listing's pages. */
  readonly sections: readonly Section[];
  /** Private networks that webhooks and listeners may be in (NS-46), from the config. */
  readonly allowTargets: readonly string[];
}
