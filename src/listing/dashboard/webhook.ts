import { Hono } from 'hono';
import { isoTime, isoTimeOrNull } from '../../core/instant.ts';
import type { DeliveryResult } from '../../notify/webhook/delivery-result.ts';
import {
  card,
  type FormState,
  freshForm,
  type Html,
  linkButton,
  oneTimeSecret,
  postButton,
  refusedForm,
} from '../../web/kit.ts';
import { refuse } from '../../web/refusal.ts';
import { type Ending, formFaults, type PageStatus, seeOther } from '../../web/show.ts';
import type { ListingEnv } from '../accounts/guards.ts';
import { addressOf, type ListingContext, showListingPage } from '../accounts/pages/listing-page.ts';
import type { Listing } from '../contracts.ts';
import type { StoredWebhook } from '../store/webhooks.ts';
import type { Health } from '../webhooks/health.ts';
import { newWebhookSecret } from '../webhooks/secret.ts';
import { undeliveredPath } from './deliveries.ts';
import { dayFigures, FAILED_NOTE, healthBadge, healthNotice, openNotice } from './health-words.ts';
import { openNetworksNotice } from './open-networks.ts';
import type { DashboardParts } from './parts.ts';
import { deliveriesSection, webhookSection } from './sections.ts';
import { overTestBudget } from './test-budget.ts';
import { type EnteredWebhook, readWebhook, webhookForm } from './webhook-form.ts';

const AT = '/dashboard/:listing/webhook';

/** A listing's webhook: its settings, its health, and tests. */
export function webhookPages(parts: DashboardParts): Hono<ListingEnv> {
  const pages = new Hono<ListingEnv>();
  pages.get(AT, (c) => show(c, parts));
  pages.post(AT, (c) => save(c, parts));
  pages.post(`${AT}/test`, async (c) => back(c, await test(c.var.listing, parts)));
  return pages;
}

const back = (c: ListingContext, ending: Ending): Response =>
  seeOther(c, addressOf(c.var.listing, webhookSection), ending);

interface Shown {
  readonly state?: FormState;
  readonly code?: string | undefined;
  /** Just created. */
  readonly secret?: string;
}

async function show(c: ListingContext, parts: DashboardParts, shown: Shown = {}, status: PageStatus = 200) {
  const { listing, visit } = c.var;
  const { state = freshForm, code, secret } = shown;
  const webhook = parts.store.webhooks.find(listing.id);
  const health = await parts.deliveries.log.health(listing.id);
  const action = addressOf(listing, webhookSection);
  const values = { ...webhookJson(webhook, health), ...(secret === undefined ? {} : { secret }) };
  const faults = { ...formFaults(state.faults), ...(code === undefined ? {} : { code }) };
  const page = {
    refused: refusedForm(state.faults),
    notice: [healthNotice(health, null), openNetworksNotice(parts.allowTargets)],
    body: [
      secret !== undefined && secretOnce(secret),
      health !== null && healthCard(listing, health),
      webhook !== null && trialCard(listing, visit.csrf),
      webhookForm({ action, csrf: visit.csrf, state, webhook }),
    ],
    json: status === 200 ? values : faults,
    isShownOnce: secret !== undefined,
  };
  return showListingPage(c, parts.sections, webhookSection, page, status);
}

const secretOnce = (secret: string): Html =>
  oneTimeSecret({
    id: 'made-secret',
    title: 'Signing secret created',
    value: secret,
    advice:
      'Copy it into your receiver now. It won’t be shown again. The key is the whole text, including whsec_.',
  });

/** Replaces all settings, re-enables a webhook that was disabled after failures, and resets its failure count (HL-06). */
async function save(c: ListingContext, parts: DashboardParts): Promise<Response> {
  const { store, deliveries, targets, clock } = parts;
  const { listing, entered } = c.var;
  const read = await readWebhook(entered, targets);
  if (read.kind === 'faults') {
    return show(c, parts, { state: { entered, faults: read.faults }, code: read.code }, 422);
  }
  const { url, active: isActive, secret: choice } = read.values;
  const secret = secretOf(read.values, store.webhooks.find(listing.id), parts);
  const isSaved = await store.changes.registerWebhook(listing.id, { url, secret, isActive }, clock.now());
  if (!isSaved) return refuse(c, c.var.site, 'not-found');
  deliveries.nudge();
  if (choice === 'generate' && secret !== null) return show(c, parts, { secret });
  const json = webhookJson(store.webhooks.find(listing.id), await deliveries.log.health(listing.id));
  return back(c, { tone: 'good', text: isActive ? SAVED : SAVED_PAUSED, json });
}

const SAVED = 'Saved. Votes are sent to this webhook.';
const SAVED_PAUSED =
  'Saved and paused. Votes still count, but those cast while deliveries are off get no event and are never sent. Events that waited for a retry ended undelivered.';

function secretOf(
  { secret, ownSecret }: EnteredWebhook,
  webhook: StoredWebhook | null,
  { random }: DashboardParts,
): string | null {
  switch (secret) {
    case 'keep':
      return webhook?.secret ?? null;
    case 'generate':
      return newWebhookSecret(random);
    case 'own':
      return ownSecret;
    case 'none':
      return null;
  }
}

const NO_WEBHOOK: Ending = {
  tone: 'warn',
  code: 'no-webhook',
  text: 'There is no webhook yet. Set it up first.',
};

async function test(listing: Listing, parts: DashboardParts): Promise<Ending> {
  const webhook = parts.store.webhooks.find(listing.id);
  if (webhook === null) return NO_WEBHOOK;
  const over = overTestBudget(parts, listing.id, 'webhook-tests');
  return over ?? testEnding(await parts.deliveries.test(listing, new URL(webhook.url)));
}

function testEnding(result: DeliveryResult): Ending {
  const { delivered, httpStatus, durationMs, error } = result;
  if (delivered) {
    const text = `Test event delivered. The receiver answered ${httpStatus} after ${durationMs} ms.`;
    return { tone: 'good', text, json: { result } };
  }
  const why = httpStatus === null ? error : `The receiver answered ${httpStatus} after ${durationMs} ms.`;
  return { tone: 'bad', code: 'not-delivered', text: `Test event failed. ${why}`, json: { result } };
}

/** Without the secret, which is shown only once (WR-19). */
const webhookJson = (webhook: StoredWebhook | null, health: Health | null) => ({
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

const healthCard = (listing: Listing, health: Health): Html =>
  card({
    title: 'Last 24 hours',
    note: FAILED_NOTE,
    actions: [healthBadge(health), linkButton('Deliveries', addressOf(listing, deliveriesSection))],
    body: [dayFigures(health), openNotice(health, undeliveredPath(listing))],
  });

const trialCard = (listing: Listing, csrf: string): Html =>
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
