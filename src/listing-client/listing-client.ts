import { ReportedVotes } from '../../protocol/listing-api/reported-votes.ts';
import {
  BotStats,
  type BotStatsReport,
  RegisteredWebhook,
  VoteCheck,
  VoteStats,
  type VotesQuery,
  type WebhookRegistration,
  type WebhookTest,
  WebhookTestResult,
} from '../../protocol/listing-api/schemas.ts';
import { pathPart } from './api-root.ts';
import { batchAnswer } from './batch-answer.ts';
import { type Call, type CallOptions, caller, type ListingClientOptions } from './caller.ts';
import type { CallResult } from './result.ts';
import type { InputOf, OutputOf, Reader } from './schema-types.ts';

/** The service waits up to 10 s for the target before it answers, so the usual deadline would be too short. */
const TEST_WHOLE_MS = 20_000;

const CHECK = '/webhooks/votes/check';

/**
 * The listing's developer API. No method rejects because of the network. Requests are sent as given, because only the
 * service can judge them: a client that refused 51 users itself would still refuse them after the service accepts more.
 */
export class ListingClient {
  private readonly call: Call;

  constructor(options: ListingClientOptions) {
    this.call = caller(options);
  }

  /** Not sent again when no answer comes: an older report that arrives late would replace a newer one. */
  reportStats(
    botId: string,
    report: InputOf<typeof BotStatsReport>,
    options: CallOptions = {},
  ): Promise<CallResult<OutputOf<typeof BotStats>>> {
    const path = `/bots/${pathPart(botId)}/stats`;
    return this.call({ method: 'POST', path, body: report, answer: BotStats, isRepeatable: false }, options);
  }

  checkUser(userId: string, options: CallOptions = {}): Promise<CallResult<OutputOf<typeof VoteCheck>>> {
    return this.read(`${CHECK}?${new URLSearchParams({ userId })}`, VoteCheck, options);
  }

  /** On Minecraft listings only [API-7]. */
  checkPlayer(
    playerName: string,
    options: CallOptions = {},
  ): Promise<CallResult<OutputOf<typeof VoteCheck>>> {
    return this.read(`${CHECK}?${new URLSearchParams({ playerName })}`, VoteCheck, options);
  }

  /** 1 to 50 users, by user ID. */
  checkUsers(
    userIds: readonly string[],
    options: CallOptions = {},
  ): Promise<CallResult<ReadonlyMap<string, OutputOf<typeof VoteCheck>>>> {
    return this.checkMany({ userIds }, userIds, options);
  }

  /** 1 to 50 players; the result is by name as given. On Minecraft listings only [API-7]. */
  checkPlayers(
    playerNames: readonly string[],
    options: CallOptions = {},
  ): Promise<CallResult<ReadonlyMap<string, OutputOf<typeof VoteCheck>>>> {
    return this.checkMany({ playerNames }, playerNames, options);
  }

  /** Newest first [API-9]; dates as in [API-8]. */
  votes(
    query: OutputOf<typeof VotesQuery> = {},
    options: CallOptions = {},
  ): Promise<CallResult<ReportedVotes>> {
    const parameters = new URLSearchParams();
    for (const [name, value] of Object.entries(query)) {
      if (value !== undefined) parameters.set(name, String(value));
    }
    return this.read(`/webhooks/votes?${parameters}`, ReportedVotes, options);
  }

  stats(options: CallOptions = {}): Promise<CallResult<OutputOf<typeof VoteStats>>> {
    return this.read('/webhooks/stats', VoteStats, options);
  }

  /** [API-10] The registration is complete, so sending it twice changes nothing. */
  registerWebhook(
    registration: InputOf<typeof WebhookRegistration>,
    options: CallOptions = {},
  ): Promise<CallResult<OutputOf<typeof RegisteredWebhook>>> {
    const secrets = registration.secret === undefined ? [] : [registration.secret];
    const path = '/webhooks/register';
    const stated = { method: 'POST', path, body: registration, answer: RegisteredWebhook } as const;
    return this.call({ ...stated, isRepeatable: true, secrets }, options);
  }

  /** Not sent again when no answer comes, because the target would get another delivery. */
  testWebhook(
    target: InputOf<typeof WebhookTest>,
    options: CallOptions = {},
  ): Promise<CallResult<OutputOf<typeof WebhookTestResult>>> {
    const path = '/webhooks/test';
    const stated = { method: 'POST', path, body: target, answer: WebhookTestResult } as const;
    return this.call({ ...stated, isRepeatable: false, wholeMs: TEST_WHOLE_MS }, options);
  }

  private read<Value>(path: string, answer: Reader<Value>, options: CallOptions): Promise<CallResult<Value>> {
    return this.call({ method: 'GET', path, answer, isRepeatable: true }, options);
  }

  /** A check changes nothing, although it is a POST. */
  private checkMany(body: object, asked: readonly string[], options: CallOptions) {
    const stated = { method: 'POST', path: CHECK, body, answer: batchAnswer(asked) } as const;
    return this.call({ ...stated, isRepeatable: true }, options);
  }
}
