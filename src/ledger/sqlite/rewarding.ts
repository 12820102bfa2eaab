import { windowOf } from '../../core/cooldown.ts';
import type { DecisionKind, Earned } from '../../core/decide.ts';
import { isForgotten } from '../../core/forgotten-name.ts';
import { localDay } from '../../core/local-time.ts';
import type { PlayerName } from '../../core/player-name.ts';
import type { Channel, Recipient } from '../../core/vote.ts';
import type { Database } from '../../platform/sqlite/open.ts';
import { earnedLate } from '../../rewards/decide.ts';
import type { LateReward, LateRules, RewardedVoteNow, VoteRewardRefusal } from '../operator-ledger.ts';
import type { KnownRewards } from './known-rewards.ts';
import { NewGrants } from './new-grants.ts';
import type { StoredReasons } from './reward-reasons.ts';
import { Histories } from './sqlite-history.ts';

interface StoredVote {
  readonly id: number;
  readonly service: string;
  readonly castAt: number;
  readonly day: number;
  readonly recipientId: number;
  readonly recipientKey: string;
  readonly player: string | null;
  readonly channel: Channel;
  readonly decision: DecisionKind;
  readonly hasGrants: number;
  readonly isRewardedByOperator: number;
  readonly isVoided: number;
}

/** Lets the operator reward votes that were counted and not rewarded. The caller holds the transaction. */
export class Rewarding {
  private readonly statements;
  private readonly newGrants: NewGrants;
  private readonly histories: Histories;

  constructor(
    database: Database,
    rewards: KnownRewards,
    private readonly reasons: StoredReasons,
  ) {
    this.statements = prepareStatements(database);
    this.newGrants = new NewGrants(database);
    this.histories = new Histories(database, rewards);
  }

  late(voteId: number, by: LateRules): LateReward {
    const vote = this.rewardable(voteId);
    return typeof vote === 'string'
      ? { kind: 'refused', code: vote }
      : { kind: 'grantable', ...this.earned(vote, by) };
  }

  reward(voteId: number, by: LateRules, now: number): RewardedVoteNow {
    const vote = this.rewardable(voteId);
    if (typeof vote === 'string') return { kind: 'refused', code: vote };
    // The config may have rewards that the running one does not have yet.
    for (const reward of by.rules.rewards) this.histories.rewards.use(reward, localDay(now, by.rules.zone));
    const earned = this.earned(vote, by);
    this.statements.store.run(voteId, now, this.reasons.write(earned.reasons));
    this.histories.addGranted(earned, { ...vote, voteId });
    const initial = { state: 'pending', reason: { code: 'by-operator' } } as const;
    const grantIds = earned.grants.map((grant) =>
      this.newGrants.insert({ ...vote, cause: 'vote', causeId: voteId }, grant, initial, now),
    );
    return { kind: 'granted', grantIds, reasons: earned.reasons };
  }

  private rewardable(voteId: number): StoredVote | VoteRewardRefusal {
    const vote = this.statements.vote.get(voteId) as StoredVote | undefined;
    return vote === undefined ? 'vote-missing' : (refusalOf(vote) ?? vote);
  }

  private earned(vote: StoredVote, { site, cooldown, rules, draws }: LateRules): Earned {
    const { service, castAt, day, recipientId } = vote;
    const judged = {
      ...{ service, site, castAt, day },
      recipient: recipientOf(vote),
      standing: 'rewarded',
      zone: rules.zone,
      nextAt: windowOf(castAt, cooldown).end,
    } as const;
    return earnedLate(judged, rules, draws, this.histories.of(recipientId, day));
  }
}

/** The name was checked before it was stored. */
const recipientOf = ({ player, recipientKey: key }: StoredVote): Recipient =>
  player === null ? { kind: 'user', key } : { kind: 'player', key, player: player as PlayerName };

function refusalOf(vote: StoredVote): VoteRewardRefusal | null {
  if (vote.isVoided === 1) return 'vote-voided';
  if (isForgotten(vote)) return 'vote-forgotten';
  if (vote.channel === 'import') return 'vote-imported';
  if (vote.isRewardedByOperator === 1) return 'vote-rewarded-by-operator';
  if (vote.decision === 'rewarded' || vote.hasGrants === 1) return 'vote-rewarded';
  return vote.decision === 'no-player' ? 'vote-no-player' : null;
}

const prepareStatements = (db: Database) => ({
  vote: db.prepare(`
    SELECT v.id, v.service, v.cast_at AS castAt, v.local_day AS day, v.recipient_id AS recipientId,
           r.key AS recipientKey, v.player, v.channel, v.decision,
           EXISTS (SELECT 1 FROM grants WHERE cause = 'vote' AND cause_id = v.id) AS hasGrants,
           EXISTS (SELECT 1 FROM rewarded_by_operator WHERE vote_id = v.id) AS isRewardedByOperator,
           EXISTS (SELECT 1 FROM voided_votes WHERE vote_id = v.id) AS isVoided
    FROM votes v JOIN recipients r ON r.id = v.recipient_id WHERE v.id = ?`),
  store: db.prepare('INSERT INTO rewarded_by_operator (vote_id, rewarded_at, reasons) VALUES (?, ?, ?)'),
});
