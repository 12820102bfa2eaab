import { OpenAPIHono, z } from '@hono/zod-openapi';
import { BotStats, BotStatsReport } from '../../../protocol/listing-api.ts';
import { isoTime } from '../../core/instant.ts';
import { printable } from '../../core/printable.ts';
import { addressLimit } from './address-limit.ts';
import type { Api, ApiEnv, ApiParts, Gate } from './api-env.ts';
import { charged } from './charged.ts';
import { ApiFault, answerFault, faultOf, listingRemoved } from './fault.ts';
import { jsonBody, operation } from './operation.ts';
import { reference } from './reference.ts';
import { voteChecks } from './vote-checks.ts';
import { voteReads } from './vote-reads.ts';
import { webhooks } from './webhooks.ts';

/** All paths begin with it. */
export const API_ROOT = '/api/v1';

/**
 * The developer API of the listing service: seven operations and their reference. Every answer is JSON, and every
 * failure has the body of [API-2]. It is a separate app: the web site passes it every request below API_ROOT, bindings
 * included, so that its 404s are JSON as well.
 */
export function listingApi(parts: ApiParts): Api {
  const api = new OpenAPIHono<ApiEnv>({ defaultHook: refuseInvalid }).basePath(API_ROOT);
  api.use('*', notStored);
  api.use('*', dated(parts));
  api.use('*', addressLimit(parts));
  for (const addTo of [botStats, voteChecks, voteReads, webhooks, reference]) addTo(api, parts);
  api.notFound((c) => answerFault(c, noSuchOperation(), parts));
  api.onError((error, c) => answerFault(c, faultOf(error, c, parts), parts));
  return api;
}

/** Not cached, because votes and limits can change at any time; and browsers must not sniff another type than JSON. */
const notStored: Gate = async (c, next) => {
  await next();
  c.res.headers.set('Cache-Control', 'no-store');
  c.res.headers.set('X-Content-Type-Options', 'nosniff');
};

/** By the service’s clock, which practice may have moved: clients that compare clocks need the one that dates votes. */
const dated =
  ({ clock }: ApiParts): Gate =>
  async (c, next) => {
    c.header('Date', new Date(clock.now()).toUTCString());
    await next();
  };

/** NS-31: of the nine codes, the one for an unknown path or method. */
const noSuchOperation = (): ApiFault =>
  new ApiFault(
    'NOT_FOUND',
    `There is no such operation. ${API_ROOT}/openapi.json lists all methods and paths.`,
  );

interface Validation {
  readonly success: boolean;
  readonly error?: {
    readonly issues: readonly { readonly path: readonly PropertyKey[]; readonly message: string }[];
  };
}

const ISSUES_SHOWN_MAX = 3;

/** Names each invalid field and what is wrong with it. */
function refuseInvalid({ success, error }: Validation): void {
  if (success) return;
  const issues = (error?.issues ?? []).slice(0, ISSUES_SHOWN_MAX).map(({ path, message }) => {
    const field = path.map(String).join('.');
    return printable(field === '' ? message : `${field}: ${message}`);
  });
  throw new ApiFault('VALIDATION_FAILED', `${issues.join('; ')}.`);
}

/** POST /bots/:id/stats: a bot reports how large it is. */
function botStats(api: Api, parts: ApiParts): void {
  const reportStats = operation(parts, {
    method: 'post',
    path: '/bots/{id}/stats',
    operationId: 'reportBotStats',
    summary: 'Report a bot’s statistics: a complete snapshot, once a minute.',
    access: { scopes: ['stats:write'], isOwnBotOnly: true },
    request: {
      params: z.object({ id: z.string().meta({ description: 'The bot’s listing; the token’s own.' }) }),
      body: jsonBody(BotStatsReport),
    },
    answer: BotStats,
    failures: ['FORBIDDEN'],
  });

  api.openapi(reportStats, async (c) => {
    const { serverCount, shardCount } = c.req.valid('json');
    const updatedAt = parts.clock.now();
    const snapshot = { serverCount, shardCount: shardCount ?? null, updatedAt };
    await charged(c, parts, { budget: 'bot-stats', cost: 1 }, async () => {
      const isSaved = await parts.store.changes.saveBotStats(c.var.caller.listing.id, snapshot);
      if (!isSaved) throw listingRemoved();
    });
    const shards = shardCount === undefined ? {} : { shardCount };
    return c.json({ serverCount, ...shards, updatedAt: isoTime(updatedAt) }, 200);
  });
}
