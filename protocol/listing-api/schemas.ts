import { z } from 'zod';
import { VOTE_EVENT } from '../webhook/payload.ts';

/** [API-4] Times are ISO 8601 UTC with milliseconds. */
const instant = z.iso.datetime({ precision: 3 });

/** [API-5] Chat-platform IDs are strings: as JSON numbers they would lose digits. */
export const UserId = z
  .string()
  .regex(/^[A-Za-z0-9_-]{1,64}$/, 'must be 1 to 64 letters, digits, _ or -')
  .meta({ description: 'A voter’s ID on the chat platform.', example: '80351110224678912' });

const PLAYER_NAME = /^[^\s\p{C}]{1,32}$/u;
/** [API-6] As a voter may have typed it; compared without regard to case. */
export const PlayerName = z
  .string()
  .regex(PLAYER_NAME, 'must be 1 to 32 characters without white space')
  .meta({
    description: 'A player’s name on a Minecraft listing.',
    example: 'Steve',
    // Stated, since the generator of the reference would write the flag into the pattern.
    pattern: PLAYER_NAME.source,
  });

export const BATCH_MAX = 50;

export const BotStatsReport = z
  .object({
    serverCount: z.int().min(0).max(10_000_000),
    shardCount: z.int().min(0).max(10_000).optional(),
  })
  .meta({ id: 'BotStatsReport', description: 'A complete snapshot: an omitted field is cleared.' });
export const BotStats = BotStatsReport.extend({ updatedAt: instant }).meta({ id: 'BotStats' });

export const VoteCheck = z
  .object({
    voted: z
      .boolean()
      .meta({ description: 'True only inside the voting window: 12 h for bots, 24 h for game servers.' }),
    votedAt: instant.nullable(),
    nextVoteAt: instant.nullable(),
  })
  .meta({ id: 'VoteCheck' });

/** [API-7] One of the two, never both; player names on Minecraft listings only. */
export const VoteCheckQuery = z
  .object({ userId: UserId.optional(), playerName: PlayerName.optional() })
  .refine(({ userId, playerName }) => (userId === undefined) !== (playerName === undefined), {
    message: 'send either userId or playerName',
  });

const batchOf = <Entry extends z.ZodType>(entry: Entry) => z.array(entry).min(1).max(BATCH_MAX);
export const VoteCheckBatch = z
  .union([z.strictObject({ userIds: batchOf(UserId) }), z.strictObject({ playerNames: batchOf(PlayerName) })])
  .meta({ id: 'VoteCheckBatch' });
export const VoteCheckBatchResult = z
  .object({ votes: z.record(z.string(), VoteCheck) })
  .meta({ id: 'VoteCheckBatchResult', description: 'By user ID, or by the player names as they were sent.' });

/** [API-8] A date or a date-time; a date alone means its first instant as a start, its last as an end. */
const dateFilter = z.union([z.iso.date(), z.iso.datetime({ offset: true })]);
export const VOTES_DEFAULT = 50;
export const VOTES_MAX = 100;
export const VotesQuery = z.object({
  startDate: dateFilter.optional(),
  endDate: dateFilter.optional(),
  limit: z
    .string()
    .regex(/^[1-9]\d{0,2}$/, `must be a whole number from 1 to ${VOTES_MAX}`)
    .transform(Number)
    .pipe(z.int().min(1).max(VOTES_MAX))
    .optional()
    .meta({ type: 'integer', minimum: 1, maximum: VOTES_MAX, default: VOTES_DEFAULT, pattern: undefined }),
});

export const VoteRecord = z
  .object({
    id: z.uuid().meta({ description: 'The vote event; the same as the webhook’s eventId.' }),
    userId: z.string(),
    votedAt: instant,
    metadata: z.object({ playerName: z.string().optional() }),
  })
  .meta({ id: 'VoteRecord' });
/** [API-9] Newest first, a bare array. */
export const VoteRecords = z.array(VoteRecord);

export const VoteStats = z
  .object({
    dailyVotes: z
      .array(z.object({ date: z.iso.date(), votes: z.int().min(0) }))
      .length(30)
      .meta({
        description: 'The last 30 days (UTC), oldest first, today included.',
        minItems: 30,
        maxItems: 30,
      }),
    totalVotes: z.int().min(0),
    totalUniqueVoters: z.int().min(0),
    lastVote: instant.nullable(),
    topVoters: z.array(z.object({ user_id: z.string(), vote_count: z.int().min(1) })).max(10),
  })
  .meta({ id: 'VoteStats' });

/** [API-10] A complete statement: an omitted secret clears the stored one. Whether the URL is public is judged apart. */
export const WebhookRegistration = z
  .object({
    webhookUrl: z.string().max(2048),
    secret: z
      .string()
      .regex(/^[\x20-\x7e]{1,256}$/, 'must be 1 to 256 printable ASCII characters')
      .optional(),
    events: z.array(z.literal(VOTE_EVENT)).min(1).default([VOTE_EVENT]),
    isActive: z.boolean().default(true),
  })
  .meta({ id: 'WebhookRegistration' });
export const RegisteredWebhook = z
  .object({
    webhookUrl: z.string(),
    events: z.array(z.literal(VOTE_EVENT)),
    isActive: z.boolean(),
    hasSecret: z.boolean(),
    updatedAt: instant,
  })
  .meta({ id: 'RegisteredWebhook' });

export const WebhookTest = z.object({ webhookUrl: z.string().max(2048) }).meta({ id: 'WebhookTest' });
export const WebhookTestResult = z
  .object({
    delivered: z.boolean(),
    httpStatus: z.int().nullable(),
    durationMs: z.int().min(0),
    error: z.string().nullable(),
    deliveryId: z.uuid(),
  })
  .meta({
    id: 'WebhookTestResult',
    description: 'What the target did; a failing target is a result, not an error.',
  });
