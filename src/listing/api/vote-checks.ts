import type { z } from '@hono/zod-openapi';
import {
  VoteCheck,
  VoteCheckBatch,
  VoteCheckBatchResult,
  VoteCheckQuery,
} from '../../../protocol/listing-api.ts';
import { isoTime } from '../../core/instant.ts';
import { playerKey } from '../../core/player-name.ts';
import type { Checked } from '../store/votes.ts';
import type { Api, ApiContext, ApiParts } from './api-env.ts';
import { charged } from './charged.ts';
import { ApiFault } from './fault.ts';
import { jsonBody, operation } from './operation.ts';

const PATH = '/webhooks/votes/check';
const BUDGET = 'vote-checks';
const access = { scopes: ['votes:read'] } as const;

/** GET and POST /webhooks/votes/check: whether users or players have an active vote. */
export function voteChecks(api: Api, parts: ApiParts): void {
  const checkOne = operation(parts, {
    method: 'get',
    path: PATH,
    operationId: 'checkVote',
    summary:
      'Check whether a user has an active vote; on Minecraft listings, also by player name. Costs 1 checked user.',
    access,
    request: { query: VoteCheckQuery },
    answer: VoteCheck,
  });
  const checkMany = operation(parts, {
    method: 'post',
    path: PATH,
    operationId: 'checkVotes',
    summary: 'Check 1 to 50 users or players at once. Costs 1 checked user for each.',
    access,
    request: { body: jsonBody(VoteCheckBatch) },
    answer: VoteCheckBatchResult,
  });

  api.openapi(checkOne, async (c) => {
    const { userId, playerName } = c.req.valid('query');
    // [API-7] The schema requires exactly one of the two.
    const checked = playerName === undefined ? userOf(String(userId)) : playerOf(c, playerName);
    const result = await charged(c, parts, { budget: BUDGET, cost: 1 }, () => resultOf(c, parts, checked));
    return c.json(result, 200);
  });

  api.openapi(checkMany, async (c) => {
    const asked = askedFor(c, c.req.valid('json'));
    // NS-12: two spellings of a player count as one checked user, and both get an answer.
    const cost = new Set([...asked.values()].map(({ key }) => key)).size;
    const results = await charged(c, parts, { budget: BUDGET, cost }, () =>
      [...asked].map(([sent, checked]) => [sent, resultOf(c, parts, checked)] as const),
    );
    // VC-25: unlike assignments, fromEntries makes `__proto__` and the like ordinary keys.
    return c.json({ votes: Object.fromEntries(results) }, 200);
  });
}

/** The results by the strings that were sent. */
const askedFor = (c: ApiContext, batch: z.infer<typeof VoteCheckBatch>): ReadonlyMap<string, Checked> =>
  'userIds' in batch
    ? new Map(batch.userIds.map((userId) => [userId, userOf(userId)]))
    : new Map(batch.playerNames.map((name) => [name, playerOf(c, name)]));

const userOf = (userId: string): Checked => ({ by: 'user', key: userId });

function playerOf(c: ApiContext, name: string): Checked {
  if (c.var.caller.listing.game === 'minecraft') return { by: 'player', key: playerKey(name) };
  throw new ApiFault(
    'VALIDATION_FAILED',
    'Players can be checked by name on Minecraft listings only. Check by user ID instead.',
  );
}

function resultOf(c: ApiContext, { store, clock }: ApiParts, checked: Checked): z.infer<typeof VoteCheck> {
  const vote = store.votes.active(c.var.caller.listing.id, checked, clock.now());
  if (vote === null) return { voted: false, votedAt: null, nextVoteAt: null };
  return { voted: true, votedAt: isoTime(vote.castAt), nextVoteAt: isoTime(vote.nextAt) };
}
