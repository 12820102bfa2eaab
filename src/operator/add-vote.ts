import type { Config } from '../config/config.ts';
import type { Random } from '../core/random.ts';
import type { Ledger, QueueState, VoteRow } from '../ledger/ledger.ts';
import { drawFor } from '../rewards/reward.ts';
import { type AddedVote, addedVote, arrivalOf } from '../votes/judge-vote.ts';
import { rulesOf } from '../votes/sites.ts';
import { hypotheticalVotes, type VoteRefused } from './preview/hypothetical-votes.ts';
import { traceVote, type VoteTrace } from './trace/vote-trace.ts';

export interface VoteOrder extends AddedVote {
  /** A player's name, or a user ID for a site of a game without player names. */
  readonly player: string;
  readonly service: string;
}

export type VoteAdded =
  | VoteRefused
  /** The clock is not relied on, so a vote without a time cannot be dated. */
  | { readonly kind: 'vote-undated' }
  | {
      readonly kind: 'added';
      /** Whether the same vote had been recorded before (rule 2). */
      readonly isKnown: boolean;
      readonly trace: VoteTrace;
      readonly queues: ReadonlyMap<string, QueueState>;
    };

/** Records a vote as if it had arrived, by the rules of the config and in the ledger's time zone. */
export async function addVote(
  ledger: Ledger,
  config: Config,
  { player, service, ...added }: VoteOrder,
  random: Random,
): Promise<VoteAdded> {
  const judged = hypotheticalVotes(player, service, added.at ?? added.now, config);
  if (judged.kind === 'refused') return judged;
  const [arrival] = judged.arrivals;
  if (arrival === undefined) throw new Error('a service was given');
  if (added.at === null && (await ledger.clock()).doubt !== null) return { kind: 'vote-undated' };
  const rules = rulesOf(config, await ledger.timeZone());
  const vote = arrivalOf(addedVote(arrival, added), rules, drawFor(random), '');
  const recorded = await ledger.record(vote, null);
  const [row] = await ledger.votes({ id: recorded.id, limit: 1 });
  return {
    kind: 'added',
    isKnown: recorded.kind === 'same',
    trace: await traceVote(ledger, row as VoteRow, null),
    queues: await ledger.queues(),
  };
}
