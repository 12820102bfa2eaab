import {
  RegisteredWebhook,
  WebhookRegistration,
  WebhookTest,
  WebhookTestResult,
} from '../../../protocol/listing-api/schemas.ts';
import { isoTime } from '../../core/instant.ts';
import { budgets } from '../store/budgets.ts';
import type { Api, ApiParts } from './api-env.ts';
import { chargedRead, chargedWrite } from './charged.ts';
import { ApiFault, rateLimited } from './fault.ts';
import { jsonBody, operation } from './operation.ts';

/** Tokens that hold only the older votes:read go on working (AU-08). */
const access = { scopes: ['webhooks:write', 'votes:read'] } as const;
const failures = ['WEBHOOK_URL_INVALID', 'WEBHOOK_URL_NOT_PUBLIC'] as const;

/** POST /webhooks/register and POST /webhooks/test: where votes are told to. */
export function webhooks(api: Api, parts: ApiParts): void {
  const requireTarget = targetsOf(parts);
  const register = operation(parts, {
    method: 'post',
    path: '/webhooks/register',
    operationId: 'registerWebhook',
    summary: 'Create or replace the listing’s webhook: a complete statement, which clears an auto-disable.',
    access,
    request: { body: jsonBody(WebhookRegistration) },
    answer: RegisteredWebhook,
    failures,
  });
  const test = operation(parts, {
    method: 'post',
    path: '/webhooks/test',
    operationId: 'testWebhook',
    summary: 'Send one test delivery to a URL and tell what became of it.',
    access,
    request: { body: jsonBody(WebhookTest) },
    answer: WebhookTestResult,
    failures,
  });

  api.openapi(register, async (c) => {
    const { webhookUrl, secret, events, isActive } = c.req.valid('json');
    await requireTarget(c.var.caller.listing.id, webhookUrl);
    const updatedAt = parts.clock.now();
    const statement = { url: webhookUrl, secret: secret ?? null, isActive };
    await chargedWrite(c, parts, { budget: 'webhook-registrations', cost: 1 }, () =>
      parts.store.webhooks.register(c.var.caller.listing.id, statement, updatedAt),
    );
    const hasSecret = secret !== undefined;
    return c.json({ webhookUrl, events, isActive, hasSecret, updatedAt: isoTime(updatedAt) }, 200);
  });

  api.openapi(test, async (c) => {
    const url = await requireTarget(c.var.caller.listing.id, c.req.valid('json').webhookUrl);
    chargedRead(c, parts, { budget: 'webhook-tests', cost: 1 }, () => undefined);
    return c.json(await parts.deliveries.test(c.var.caller.listing, url), 200);
  });
}

/**
 * The URL where it may be a target. It is judged again at connect time: names can change what they stand for. An
 * invalid one costs nothing of the budget (NS-15), but a listing has no more of them looked up at once than it could
 * register in a minute.
 */
function targetsOf({ targets }: ApiParts) {
  const underWay = new Map<string, number>();
  return async (listingId: string, webhookUrl: string): Promise<URL> => {
    const others = underWay.get(listingId) ?? 0;
    if (others >= AT_ONCE_MAX)
      throw rateLimited(`At most ${AT_ONCE_MAX} of these at once for a listing`, BUSY_MS);
    underWay.set(listingId, others + 1);
    try {
      const verdict = await targets.judge(webhookUrl);
      if (verdict.kind === 'allowed') return verdict.url;
      throw new ApiFault(verdict.kind, `The webhook’s URL ${verdict.why}.`);
    } finally {
      const left = (underWay.get(listingId) ?? 1) - 1;
      if (left === 0) underWay.delete(listingId);
      else underWay.set(listingId, left);
    }
  };
}

const AT_ONCE_MAX = budgets['webhook-registrations'];
/** The listing's own requests are in the way; they end soon. */
const BUSY_MS = 3_000;
