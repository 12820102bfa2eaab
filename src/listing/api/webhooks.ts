import {
  RegisteredWebhook,
  WebhookRegistration,
  WebhookTest,
  WebhookTestResult,
} from '../../../protocol/listing-api/schemas.ts';
import { isoTime } from '../../core/instant.ts';
import type { Api, ApiParts } from './api-env.ts';
import { charged } from './charged.ts';
import { ApiFault } from './fault.ts';
import { jsonBody, operation } from './operation.ts';

/** Tokens that hold only the older votes:read go on working (AU-08). */
const access = { scopes: ['webhooks:write', 'votes:read'] } as const;
const failures = ['WEBHOOK_URL_INVALID', 'WEBHOOK_URL_NOT_PUBLIC'] as const;

/** POST /webhooks/register and POST /webhooks/test: where votes are told to. */
export function webhooks(api: Api, parts: ApiParts): void {
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
    await requireTarget(parts, webhookUrl);
    const updatedAt = parts.clock.now();
    const statement = { url: webhookUrl, secret: secret ?? null, isActive };
    await charged(c, parts, { budget: 'webhook-registrations', cost: 1 }, () =>
      parts.store.webhooks.register(c.var.caller.listing.id, statement, updatedAt),
    );
    const hasSecret = secret !== undefined;
    return c.json({ webhookUrl, events, isActive, hasSecret, updatedAt: isoTime(updatedAt) }, 200);
  });

  api.openapi(test, async (c) => {
    const url = await requireTarget(parts, c.req.valid('json').webhookUrl);
    await charged(c, parts, { budget: 'webhook-tests', cost: 1 }, () => undefined);
    return c.json(await parts.deliveries.test(c.var.caller.listing, url), 200);
  });
}

/** The URL where it may be a target. It is judged again at connect time: names can change what they stand for. */
async function requireTarget({ targets }: ApiParts, webhookUrl: string): Promise<URL> {
  const verdict = await targets.judge(webhookUrl);
  if (verdict.kind === 'allowed') return verdict.url;
  throw new ApiFault(verdict.kind, `The webhook’s URL ${verdict.why}.`);
}
