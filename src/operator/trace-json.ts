import type { Config } from '../config/config.ts';
import { isoTime, isoTimeOrNull } from '../core/instant.ts';
import { DEFAULT_SITE } from '../core/service-name.ts';
import type { GrantRow } from '../ledger/ledger.ts';
import { explainRewards, rollsIn } from '../rewards/words.ts';
import { contextOf, type Explanation } from './explain.ts';
import { grantTodo } from './trace/grant-todo.ts';
import { doubtOf } from './trace/reply-doubts.ts';
import { grantJson, pauseJson, voteJson } from './trace/rows.ts';
import type { VoteTrace } from './trace/vote-trace.ts';

/** What is needed to show a trace. */
export interface Shown extends Pick<Explanation, 'queues' | 'pauses'> {
  readonly config: Config;
  /** Whether to show what was received. */
  readonly bytes: boolean;
  readonly now: number;
}

/** The usual fields of a vote, and those that only its trace has. */
export const traceJson = ({ vote, takenBy, grants }: VoteTrace, shown: Shown) => ({
  ...voteJson(vote),
  sentAs: vote.sentAs,
  cooldownMs: vote.window.end - vote.window.start,
  window: { start: isoTime(vote.window.start), end: isoTime(vote.window.end) },
  takenBy: takenBy === null ? null : { id: takenBy.id, castAt: isoTime(takenBy.castAt) },
  sharesWindow: vote.site === DEFAULT_SITE,
  listed: shown.config.sites.has(vote.service),
  rolls: rollsIn(vote.reasons),
  rewards: explainRewards(vote.reasons),
  operatorRewardedAt: isoTimeOrNull(vote.operatorRewardedAt),
  operatorRolls: rollsIn(vote.operatorReasons),
  operatorRewards: explainRewards(vote.operatorReasons),
  repeats: vote.repeats,
  repeatedAt: isoTimeOrNull(vote.repeatedAt),
  ...(shown.bytes ? { received: vote.wire } : {}),
  grants: grants.map((grant) => grantTraceJson(grant, shown)),
});

/** What is known about a vote that did not arrive. */
export const missingJson = ({ isAllowed, otherNames, since, refusals, noise }: Explanation) => ({
  isAllowed,
  otherNames,
  refusedSince: isoTime(since),
  refusals: refusals.map(({ lastAt, ...figure }) => ({ ...figure, lastAt: isoTime(lastAt) })),
  noise,
});

export const grantTraceJson = (grant: GrantRow, shown: Shown) => {
  const row = grantJson(grant);
  const context = contextOf(grant, shown.config, shown);
  const { patterns, queue, pauses } = context;
  return {
    ...row,
    waiting: queue?.reason == null ? null : { reason: queue.reason, since: isoTime(queue.since) },
    pauses: pauses.map(pauseJson),
    toDo: grantTodo(grant, context),
    commands: row.commands.map((command, at) => {
      const stored = grant.commands[at];
      return { ...command, doubt: stored === undefined ? null : doubtOf(stored, patterns) };
    }),
  };
};
