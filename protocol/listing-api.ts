/**
 * The listing's developer API, under `/api/v1`: what a token may do, what is sent and answered, and the errors. The service, the
 * generated reference of its API and the clients use these schemas. A client that collects votes reads them with `ReportedVotes`.
 */
import * as z from 'zod';
import { VOTE_EVENT } from './webhook.ts';

/** What a token may do. */
export const apiScopes = {
  'stats:write': 'Report a bot’s statistics; bot listings only.',
  'votes:read':
    'Check votes, and read votes and aggregates. On a token without any other scope (older tokens), it also allows registering webhooks.',
  'webhooks:write': 'Register and test the webhook.',
} as const;

export type ApiScope = keyof typeof apiScopes;

/** The scopes of a listing's token. A game server's player count is read from the server itself, so it has no scope. */
export const scopesOf = (listingType: 'bot' | 'game'): readonly ApiScope[] =>
  listingType === 'bot' ? ['stats:write', 'votes:read', 'webhooks:write'] : ['votes:read', 'webhooks:write'];

/** [API-3] The closed set of codes, each with its HTTP status and meaning. Clients branch on the code. */
export const apiErrors = {
  VALIDATION_FAILED: {
    status: 400,
    means: 'A body field or parameter is malformed or outside its documented range.',
  },
  WEBHOOK_URL_INVALID: { status: 400, means: 'The webhook target is not a valid http(s) URL.' },
  WEBHOOK_URL_NOT_PUBLIC: {
    status: 400,
    means: 'The webhook target points at a private network or internal host.',
  },
  INVALID_TOKEN: { status: 401, means: 'No token, or an unrecognized token.' },
  MISSING_SCOPE: { status: 401, means: 'A valid token that lacks the scope the endpoint requires.' },
  FORBIDDEN: {
    status: 403,
    means: 'The token is valid but not for this: it belongs to another bot, or not to a bot.',
  },
  NOT_FOUND: {
    status: 404,
    means: 'The listing does not exist, or nothing answers at this method and path.',
  },
  RATE_LIMITED: { status: 429, means: 'Over a rate limit; wait as long as Retry-After says.' },
  INTERNAL_ERROR: { status: 500, means: 'A failure of the service; safe to retry with backoff.' },
} as const satisfies Record<string, { status: number; means: string }>;

export type ApiErrorCode = keyof typeof apiErrors;

const CODES = Object.keys(apiErrors) as [ApiErrorCode, ...ApiErrorCode[]];

/** [API-2] The body of every error response. */
export const ErrorBody = z
  .object({
    statusCode: z.int().describe('The HTTP status.'),
    error: z.string().describe('The name of the HTTP status.'),
    code: z.enum(CODES).describe('Stable; clients branch on it.'),
    message: z.string().describe('For people; may be reworded at any time.'),
    retryAfterSeconds: z.int().min(1).optional().describe('Present on 429 only.'),
    path: z.string().describe('The path that was asked for.'),
    timestamp: z.iso.datetime().describe('When it happened, UTC.'),
  })
  .meta({ id: 'Error' });
export type ErrorBody = z.infer<typeof ErrorBody>;

/** [API-4] Times are ISO 8601 UTC with milliseconds. */
const instant = z.iso.datetime({ precision: 3 });

/** What a value must be, for the message of a fault. */
const must = (rule: string) => ({
  error: ({ input }: { readonly input?: unknown }) =>
    input === undefined ? `is missing; it must be ${rule}` : `must be ${rule}`,
});

const wholeNumber = (most: number) => {
  const rule = must(`a whole number from 0 to ${most.toLocaleString('en')}`);
  return z.int(rule).min(0, rule).max(most, rule);
};

const BODY_RULE = { error: 'The body must be a JSON object' };

const USER_ID = must('a string of 1 to 64 letters, digits, _ or -');
/** [API-5] IDs of chat platforms are strings, because JSON numbers would lose digits. */
const UserId = z
  .string(USER_ID)
  .regex(/^[A-Za-z0-9_-]{1,64}$/, USER_ID)
  .meta({ description: 'A voter’s ID on the chat platform.', example: '80351110224678912' });

const PLAYER_NAME = /^[^\s\p{C}]{1,32}$/u;
const PLAYER_RULE = must('a string of 1 to 32 characters without white space');
/** [API-6] As the voter typed it; compared without regard to case. */
const PlayerName = z.string(PLAYER_RULE).regex(PLAYER_NAME, PLAYER_RULE).meta({
  description: 'A player’s name on a Minecraft listing.',
  example: 'Steve',
  // Stated here, because the generator of the reference would write the flag into the pattern.
  pattern: PLAYER_NAME.source,
});

const BATCH_MAX = 50;

export const BotStatsReport = z
  .object(
    {
      serverCount: wholeNumber(10_000_000).meta({
        description: 'Servers that the bot is on.',
        example: 1250,
      }),
      shardCount: wholeNumber(10_000).optional().meta({ description: 'Shards that it runs as.', example: 4 }),
    },
    BODY_RULE,
  )
  .meta({ id: 'BotStatsReport', description: 'A complete snapshot: an omitted field is cleared.' });
export const BotStats = BotStatsReport.extend({
  updatedAt: instant.describe('When this snapshot was stored.'),
}).meta({ id: 'BotStats' });

export const VoteCheck = z
  .object({
    voted: z.boolean().describe('True only inside the voting window: 12 h for bots, 24 h for game servers.'),
    votedAt: instant.nullable().describe('When the active vote was cast; null where there is none.'),
    nextVoteAt: instant.nullable().describe('When the user can vote again; null where that is at once.'),
  })
  .meta({ id: 'VoteCheck' });

/** [API-7] Exactly one of the two; player names on Minecraft listings only. */
export const VoteCheckQuery = z
  .object({ userId: UserId.optional(), playerName: PlayerName.optional() })
  .refine(({ userId, playerName }) => (userId === undefined) !== (playerName === undefined), {
    message: 'Send either userId or playerName',
  });

const BATCH_RULE = must(`a list of 1 to ${BATCH_MAX} entries`);
const batchOf = <Entry extends z.ZodType>(entry: Entry) =>
  z.array(entry, BATCH_RULE).min(1, BATCH_RULE).max(BATCH_MAX, BATCH_RULE);

const EITHER = `Send either {"userIds": […]} or {"playerNames": […]}, with 1 to ${BATCH_MAX} entries, and nothing else`;
/** What is wrong with the one list that was sent. */
const batchFault = {
  error: ({ input, errors }: { readonly input?: unknown; readonly errors?: unknown }) => {
    const sent = Object.keys(input ?? {}).join();
    const [issue] = (errors as z.core.$ZodIssue[][])[['userIds', 'playerNames'].indexOf(sent)] ?? [];
    return issue === undefined ? EITHER : `${issue.path.join('.')}: ${issue.message}`;
  },
};
export const VoteCheckBatch = z
  .union(
    [
      z.strictObject({ userIds: batchOf(UserId) }, EITHER),
      z.strictObject({ playerNames: batchOf(PlayerName) }, EITHER),
    ],
    batchFault,
  )
  .meta({ id: 'VoteCheckBatch' });
export const VoteCheckBatchResult = z
  .object({ votes: z.record(z.string(), VoteCheck) })
  .meta({ id: 'VoteCheckBatchResult', description: 'By user ID, or by the player names as they were sent.' });

/** [API-8] A date or a date-time. A date alone means its first instant as a start and its last as an end. */
const dateFilter = z.union(
  [z.iso.date(), z.iso.datetime({ offset: true })],
  must('a date such as 2026-06-03, or a time with its zone such as 2026-06-03T14:05:00Z'),
);
export const VOTES_DEFAULT = 50;
export const VOTES_MAX = 100;
const LIMIT_RULE = must(`a whole number from 1 to ${VOTES_MAX}`);
export const VotesQuery = z.object({
  startDate: dateFilter.optional().describe('Votes from then on; of a date, from its first instant (UTC).'),
  endDate: dateFilter.optional().describe('Votes until then, it included; of a date, until its end (UTC).'),
  limit: z
    .string(LIMIT_RULE)
    .regex(/^[1-9]\d{0,2}$/, LIMIT_RULE)
    .transform(Number)
    .pipe(z.int().min(1).max(VOTES_MAX, LIMIT_RULE))
    .optional()
    .meta({
      description: 'How many votes, the newest.',
      type: 'integer',
      minimum: 1,
      maximum: VOTES_MAX,
      default: VOTES_DEFAULT,
      pattern: undefined,
    }),
});

const VoteRecord = z
  .object({
    id: z.uuid().describe('The vote event; the same as the webhook’s eventId.'),
    userId: z.string().describe('The voter’s ID on the chat platform.'),
    votedAt: instant.describe('When the vote was cast.'),
    metadata: z.object({
      playerName: z.string().optional().describe('On a Minecraft vote that named a player.'),
    }),
  })
  .meta({ id: 'VoteRecord' });
/** [API-9] Newest first, a bare array. */
export const VoteRecords = z.array(VoteRecord);

export const VoteStats = z
  .object({
    dailyVotes: z
      .array(
        z.object({
          date: z.iso.date().describe('A day of UTC.'),
          votes: z.int().min(0).describe('Votes on that day.'),
        }),
      )
      .length(30)
      .meta({
        description: 'The last 30 days (UTC), oldest first, today included.',
        minItems: 30,
        maxItems: 30,
      }),
    totalVotes: z.int().min(0).describe('Of all time.'),
    totalUniqueVoters: z.int().min(0).describe('Distinct voters of all time.'),
    lastVote: instant.nullable().describe('When the latest vote was cast; null before the first.'),
    topVoters: z
      .array(
        z.object({
          user_id: z.string().describe('A voter’s ID on the chat platform.'),
          vote_count: z.int().min(1).describe('Votes of theirs.'),
        }),
      )
      .max(10)
      .describe('The most eager first.'),
  })
  .meta({ id: 'VoteStats' });

const URL_RULE = must('a public http(s) URL of at most 2048 characters');
const targetUrl = z.string(URL_RULE).max(2048, URL_RULE).meta({
  description: 'Where votes are posted to: a public http(s) URL.',
  example: 'https://example.com/votes',
});

const SECRET_RULE = must('a string of 1 to 256 printable ASCII characters');
const EVENTS_RULE = must(`["${VOTE_EVENT}"]`);
/** [API-10] Replaces everything: an omitted secret clears the stored one. Whether the URL is public is checked elsewhere. */
export const WebhookRegistration = z
  .object(
    {
      webhookUrl: targetUrl,
      secret: z
        .string(SECRET_RULE)
        .regex(/^[\x20-\x7e]{1,256}$/, SECRET_RULE)
        .optional()
        .meta({
          description: 'Signs deliveries. Left out, a stored one is cleared.',
          example: 'a-secret-that-only-you-know',
        }),
      events: z
        .array(z.literal(VOTE_EVENT, EVENTS_RULE), EVENTS_RULE)
        .min(1, EVENTS_RULE)
        .default([VOTE_EVENT])
        .describe('What is delivered.'),
      isActive: z
        .boolean(must('true or false'))
        .default(true)
        .describe(
          'Whether votes are delivered. Votes cast while it is false get no event and are never delivered.',
        ),
    },
    BODY_RULE,
  )
  .meta({
    id: 'WebhookRegistration',
    description: 'A complete statement: what is left out gets its default.',
  });
export const RegisteredWebhook = z
  .object({
    webhookUrl: z.string().describe('As it was sent.'),
    events: z.array(z.literal(VOTE_EVENT)).describe('What is delivered.'),
    isActive: z.boolean().describe('Whether votes are delivered.'),
    hasSecret: z.boolean().describe('Whether deliveries are signed; the secret itself is never told.'),
    updatedAt: instant.describe('When it was registered.'),
  })
  .meta({ id: 'RegisteredWebhook' });

export const WebhookTest = z.object({ webhookUrl: targetUrl }, BODY_RULE).meta({ id: 'WebhookTest' });
export const WebhookTestResult = z
  .object({
    delivered: z.boolean().describe('Whether it answered with 2xx.'),
    httpStatus: z.int().nullable().describe('Its answer; null where none came.'),
    durationMs: z.int().min(0).describe('How long it took, in milliseconds.'),
    error: z.string().nullable().describe('Why no answer came; null where one did.'),
    deliveryId: z.uuid().describe('The same as its X-Service-Delivery header.'),
  })
  .meta({
    id: 'WebhookTestResult',
    description: 'What the target did; a failing target is a result, not an error.',
  });

/**
 * What a receiver needs from a vote record; `votedAt` in milliseconds since the Unix epoch. The API's specification does not say how IDs and times are written, so every
 * form that can be read is accepted: a vote that cannot be read is lost.
 */
const ReportedVote = z.object({
  id: z.union([z.string().min(1).max(128), z.int()]).transform(String),
  userId: z.string(),
  votedAt: z.iso.datetime({ offset: true }).transform((text) => Date.parse(text)),
  metadata: z
    .object({ playerName: z.string().nullish() })
    .nullish()
    .transform((metadata) => (metadata?.playerName == null ? {} : { playerName: metadata.playerName })),
});
export type ReportedVote = z.infer<typeof ReportedVote>;

/** A record that is not a vote, as JSON, and why. */
export interface UnreadVote {
  readonly text: string;
  readonly why: string;
  /** If at least this can be read: the next page is asked for by the times of all records of this one. */
  readonly votedAt: number | null;
}

export interface ReportedVotes {
  readonly votes: readonly ReportedVote[];
  readonly unread: readonly UnreadVote[];
}

const Dated = ReportedVote.pick({ votedAt: true });

/** [API-9] Reads each record separately, so that one that cannot be read does not hold up the others. */
export const ReportedVotes = z.array(z.unknown()).transform((records): ReportedVotes => {
  const votes: ReportedVote[] = [];
  const unread: UnreadVote[] = [];
  for (const [index, record] of records.entries()) {
    const read = ReportedVote.safeParse(record);
    if (read.success) votes.push(read.data);
    else {
      const votedAt = Dated.safeParse(record).data?.votedAt ?? null;
      unread.push({ text: JSON.stringify(record), why: whyOf(read.error, index), votedAt });
    }
  }
  return { votes, unread };
});

/** Why no record of a response is a vote; then it may not come from the API at all. null: the response can be used. */
export const whyUnfit = ({ votes, unread: [first] }: ReportedVotes): string | null =>
  votes.length > 0 || first === undefined ? null : first.why;

function whyOf({ issues }: z.ZodError, index: number): string {
  const { path = [], message = '' } = issues[0] ?? {};
  return `${[index, ...path].map(String).join('.')}: ${message}`;
}
