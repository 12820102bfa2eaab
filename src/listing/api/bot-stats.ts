import { z } from '@hono/zod-openapi';
import { BotStats, BotStatsReport } from '../../../protocol/listing-api/schemas.ts';
import { isoTime } from '../../core/instant.ts';
import type { Api, ApiParts } from './api-env.ts';
import { charged } from './charged.ts';
import { listingRemoved } from './fault.ts';
import { jsonBody, operation } from './operation.ts';

/** POST /bots/:id/stats: a bot reports how large it is. */
export function botStats(api: Api, parts: ApiParts): void {
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
