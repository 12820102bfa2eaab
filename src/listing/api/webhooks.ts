import {
  RegisteredWebhook,
  WebhookRegistration,
  WebhookTest,
  WebhookTestResult,
} from '../../../protocol/listing-api.ts';
import { isoTime } from '../../core/instant.ts';
import { budgets } from '../store/budgets.ts';
import type { Api, ApiParts } from './api-env.ts';
import { charged } from './charged.ts';
import { ApiFault, listingRemoved, rateLimited } from './fault.ts';
import { jsonBody, operation } from './operation.ts';

/** votes:read is accepted for tokens from before webhooks:write existed (AU-08). */
const access = { scopes: ['webhooks:write', 'votes:read'] } as const;
const failures = ['WEBHOOK_URL_INVALID', 'WEBHOOK_URL_NOT_PUBLIC'] as const;

/** POST /webhooks/register and POST /webhooks/test. */
export function webhooks(api: Api, parts: ApiParts): void {
  const requireTarget = targetsOf(parts);
  const register = operation(parts, {
    method: 'post',
    path: '/webhooks/register',
    operationId: 'registerWebhook',
    summary: 'Create or replace the listing’s webhook. Enables a webhook that was disabled after failures.',
    access,
    request: { body: jsonBody(WebhookRegistration) },
    answer: RegisteredWebhook,
    failures,
  });
  const test = operation(parts, {
    method: 'post',
    path: '/webhooks/test',
    operationId: 'testWebhook',
    summary: 'Send one test delivery to a URL and report the result.',
    access,
    request: { body: jsonBody(WebhookTest) },
    answer: WebhookTestResult,
    failures,
  });

  api.openapi(register, async (c) => {
    const { webhookUrl, secret, events, isActive } = c.req.valid('json');
    await requireTarget(c.var.caller.listing.id, webhookUrl);
    const updatedAt = parts.clock.now();
    const settings = { url: webhookUrl, secret: secret ?? null, isActive };
    await charged(c, parts, { budget: 'webhook-registrations', cost: 1 }, async () => {
      const { changes } = parts.store;
      const isSaved = await changes.registerWebhook(c.var.caller.listing.id, settings, updatedAt);
      if (!isSaved) throw listingRemoved();
    });
    const hasSecret = secret !== undefined;
    return c.json({ webhookUrl, events, isActive, hasSecret, updatedAt: isoTime(updatedAt) }, 200);
  });

  api.openapi(test, async (c) => {
    const url = await requireTarget(c.var.caller.listing.id, c.req.valid('json').webhookUrl);
    await charged(c, parts, { budget: 'webhook-tests', cost: 1 }, () => undefined);
    return c.json(await parts.deliveries.test(c.var.caller.listing, url), 200);
  });
}

/**
 * Returns the URL if it may be a target; it is checked again at connect time, because a name’s addresses can change. An
 * invalid URL is not charged (NS-15), but the number of lookups at once is limited to the number of registrations a minute.
 */
function targetsOf({ targets }: ApiParts) {
  const inProgress = new Map<string, number>();
  return async (listingId: string, webhookUrl: string): Promise<URL> => {
    const others = inProgress.get(listingId) ?? 0;
    if (others >= AT_ONCE_MAX)
      throw rateLimited(`At most ${AT_ONCE_MAX} URLs are checked at once for one listing`, BUSY_MS);
    inProgress.set(listingId, others + 1);
    try {
      const verdict = await targets.judge(webhookUrl);
      if (verdict.kind === 'allowed') return verdict.url;
      throw new ApiFault(verdict.kind, `The webhook’s URL ${verdict.why}.`);
    } finally {
      const left = (inProgress.get(listingId) ?? 1) - 1;
      if (left === 0) inProgress.delete(listingId);
      else inProgress.set(listingId, left);
    }
  };
}

const AT_ONCE_MAX = budgets['webhook-registrations'];
/** How soon the listing’s other lookups are expected to finish. */
const BUSY_MS = 3_000;
