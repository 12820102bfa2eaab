import type { DecisionKind, GrantedRewards } from '../../core/decide.ts';
import type { Database } from '../../sqlite/open.ts';
import { NewGrants } from './new-grants.ts';
import type { RewardedVoteNow, VoteRewardRefusal } from '../operator-ledger.ts';
import { reasonsJson } from './reward-reasons.ts';

interface StoredVote {
  readonly recipientId: number;
  readonly player: string | null;
  readonly decision: DecisionKind;
  readonly hasGrants: number;
  readonly isRewardedByOperator: number;
  readonly isVoided: number;
}

/** Lets the operator reward votes that were counted and not rewarded. The caller holds the transaction. */
export class Rewarding {
  private readonly statements;
  private readonly newGrants: NewGrants;

  constructor(database: Database) {
    this.statements = prepareStatements(database);
    this.newGrants = new NewGrants(database);
  }

  /** Why this vote cannot be rewarded; null if it can. */
  refusal(voteId: number): VoteRewardRefusal | null {
    const vote = this.vote(voteId);
    return vote === undefined ? 'vote-missing' : refusalOf(vote);
  }

  /** The vote keeps its decision, takes no window and is not added to any total. */
  reward(voteId: number, { grants, reasons }: GrantedRewards, now: number): RewardedVoteNow {
    const vote = this.vote(voteId);
    if (vote === undefined) return { kind: 'refused', code: 'vote-missing' };
    const code = refusalOf(vote);
    if (code !== null) return { kind: 'refused', code };
    this.statements.store.run(voteId, now, reasonsJson(reasons));
    const cause = { voteId, recipientId: vote.recipientId, player: vote.player };
    const initial = { state: 'pending', reason: { code: 'by-operator' } } as const;
    const grantIds = grants.map((grant) => this.newGrants.insert(cause, grant, initial, now));
    return { kind: 'granted', grantIds };
  }

  private vote(voteId: number): StoredVote | undefined {
    return this.statements.vote.get(voteId) as StoredVote | undefined;
  }
}

function refusalOf(vote: StoredVote): VoteRewardRefusal | null {
  if (vote.isVoided === 1) return 'vote-voided';
  if (vote.isRewardedByOperator === 1) return 'vote-rewarded-by-operator';
  if (vote.decision === 'rewarded' || vote.hasGrants === 1) return 'vote-rewarded';
  return vote.decision === 'no-player' ? 'vote-no-player' : null;
}

const prepareStatements = (db: Database) => ({
  vote: db.prepare(`
    SELECT recipient_id AS recipientId, player, decision,
           EXISTS (SELECT 1 FROM grants WHERE cause = 'vote' AND cause_id = votes.id) AS hasGrants,
           EXISTS (SELECT 1 FROM rewarded_by_operator WHERE vote_id = votes.id) AS isRewardedByOperator,
           EXISTS (SELECT 1 FROM voided_votes WHERE vote_id = votes.id) AS isVoided
    FROM votes WHERE id = ?`),
  store: db.prepare('INSERT INTO rewarded_by_operator (vote_id, rewarded_at, reasons) VALUES (?, ?, ?)'),
});
