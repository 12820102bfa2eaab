import { isoTime, isoTimeOrNull } from '../../core/instant.ts';
import { actions, card, type Html, html, linkButton, postButton } from '../../web/kit.ts';
import { addressOf } from '../accounts/pages/listing-page.ts';
import type { Listing } from '../contracts.ts';
import type { StoredWebhook } from '../store/webhooks.ts';
import type { Health } from '../webhooks/health.ts';
import { undeliveredPath } from './deliveries.ts';
import { dayFigures, healthBadge, openNotice } from './health-words.ts';
import { deliveriesSection, webhookSection } from './sections.ts';
import { verifyPath } from './verify.ts';

/** Never the secret: it was shown once (WR-19). */
export const webhookJson = (webhook: StoredWebhook | null, health: Health | null) => ({
  webhook: webhook && {
    url: webhook.url,
    hasSecret: webhook.secret !== null,
    // One that disabled itself sends nothing, though its owner never switched it off.
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
    note: 'Every event is counted once. Rejected means that the receiver answered 4xx.',
    actions: [healthBadge(health), linkButton('Deliveries', addressOf(listing, deliveriesSection))],
    body: [dayFigures(health), openNotice(health, undeliveredPath(listing))],
  });

export const trialCard = (listing: Listing, csrf: string): Html => {
  const address = addressOf(listing, webhookSection);
  return card({
    title: 'Try it',
    note: 'Test events carry test: true. They earn no reward and count neither as votes nor as failures.',
    body: [
      actions(
        postButton({ action: `${address}/test`, csrf, label: 'Send test event', kind: 'primary' }),
        postButton({ action: `${address}/probe`, csrf, label: 'Probe with a forged signature' }),
        linkButton('Verify a delivery', verifyPath(listing)),
      ),
      html`<p class="hint">The probe sends one test event with a wrong signature. A receiver that verifies answers 4xx;
        one that accepts it would also accept forged votes.</p>`,
    ],
  });
};
