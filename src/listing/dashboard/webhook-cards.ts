import { isoTime, isoTimeOrNull } from '../../core/instant.ts';
import { card, type Html, linkButton, postButton } from '../../web/kit.ts';
import { addressOf } from '../accounts/pages/listing-page.ts';
import type { Listing } from '../contracts.ts';
import type { StoredWebhook } from '../store/webhooks.ts';
import type { Health } from '../webhooks/health.ts';
import { undeliveredPath } from './deliveries.ts';
import { dayFigures, FAILED_NOTE, healthBadge, openNotice } from './health-words.ts';
import { deliveriesSection, webhookSection } from './sections.ts';

/** Without the secret, which is shown only once (WR-19). */
export const webhookJson = (webhook: StoredWebhook | null, health: Health | null) => ({
  webhook: webhook && {
    url: webhook.url,
    hasSecret: webhook.secret !== null,
    // A webhook that was disabled after failures sends nothing, although its owner did not pause it.
    isActive: webhook.isActive && webhook.disabledAt === null,
    isPaused: !webhook.isActive,
    updatedAt: isoTime(webhook.updatedAt),
  },
  health: health && {
    ...health,
    disabledAt: isoTimeOrNull(health.disabledAt),
    savedAt: isoTime(health.savedAt),
  },
});

export const healthCard = (listing: Listing, health: Health): Html =>
  card({
    title: 'Last 24 hours',
    note: FAILED_NOTE,
    actions: [healthBadge(health), linkButton('Deliveries', addressOf(listing, deliveriesSection))],
    body: [dayFigures(health), openNotice(health, undeliveredPath(listing))],
  });

export const trialCard = (listing: Listing, csrf: string): Html =>
  card({
    title: 'Test',
    note: 'Test events contain test: true. They earn no reward and don’t count as votes or failures.',
    body: postButton({
      action: `${addressOf(listing, webhookSection)}/test`,
      csrf,
      label: 'Send test event',
      kind: 'primary',
    }),
  });
