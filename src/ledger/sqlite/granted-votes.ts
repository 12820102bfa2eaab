import type { Window } from '../../core/cooldown.ts';
import { DAY_MS } from '../../core/duration.ts';
import type { Database } from '../../platform/sqlite/open.ts';
import type { GrantedScope } from '../../rewards/history.ts';
import type { Owner } from './reward-occasions.ts';
import { grantCode } from './stored-reason.ts';

/** The local day of a cast time starts at most this long before it, wherever the time zone is, and ends as long after. */
const DAY_AROUND_MS = 2 * DAY_MS;

/** A vote that was granted a reward with a limit. */
export interface GrantedVote extends Owner {
  readonly voteId: number;
  /** The reward's name. */
  readonly reward: string;
  readonly castAt: number;
  readonly day: number;
}

/**
 * The votes that were granted rewards with a limit. A grant that was cancelled before its first command does not count,
 * unless another listener pays it.
 */
export class GrantedVotes {
  private readonly statements;

  constructor(database: Database) {
    this.statements = prepareStatements(database);
  }

  add(vote: GrantedVote): void {
    this.statements.add.run(vote);
  }

  count(owner: Owner, { of, days }: GrantedScope): number {
    const { count } = this.statements[of];
    const { from, to } = days ?? { from: Number.MIN_SAFE_INTEGER, to: Number.MAX_SAFE_INTEGER };
    const [start, end] =
      days === undefined ? [from, to] : [from * DAY_MS - DAY_AROUND_MS, to * DAY_MS + DAY_AROUND_MS];
    return count.get({ ...owner, from, to, start, end }) as number;
  }

  castTimes(owner: Owner, of: GrantedScope['of'], { start, end }: Window): number[] {
    return this.statements[of].castTimes.all({ ...owner, start, end }) as number[];
  }

  /** Adds the votes that were granted it before it had a limit. */
  fill(rewardId: number): void {
    this.statements.fill.run({ rewardId });
  }

  /** After votes got another cast time. */
  redate(recipientId: number): void {
    this.statements.redate.run(recipientId);
  }
}

const COUNTS = `EXISTS (
  SELECT 1 FROM grants g WHERE g.cause_id = v.vote_id AND g.cause = 'vote'
    AND g.reward = v.reward
    AND (g.state <> 'cancelled' OR g.reason = ${grantCode('shadow')}
      OR EXISTS (SELECT 1 FROM commands c WHERE c.grant_id = g.id AND c.attempts > 0)))`;

const statementsOf = (db: Database, isOwned: string) => ({
  count: db
    .prepare(`
    SELECT count(*) FROM granted_votes v WHERE reward_id = @rewardId ${isOwned}
      AND cast_at BETWEEN @start AND @end AND day BETWEEN @from AND @to AND ${COUNTS}`)
    .pluck(),
  castTimes: db
    .prepare(`
    SELECT cast_at FROM granted_votes v WHERE reward_id = @rewardId ${isOwned}
      AND cast_at >= @start AND cast_at < @end AND ${COUNTS}`)
    .pluck(),
});

const prepareStatements = (db: Database) => ({
  recipient: statementsOf(db, 'AND recipient_id = @recipientId'),
  network: statementsOf(db, ''),
  add: db.prepare(`
    INSERT INTO granted_votes (reward_id, recipient_id, reward, cast_at, day, vote_id)
    VALUES (@rewardId, @recipientId, @reward, @castAt, @day, @voteId)`),
  fill: db.prepare(`
    INSERT INTO granted_votes (reward_id, recipient_id, reward, cast_at, day, vote_id)
    SELECT DISTINCT @rewardId, v.recipient_id, g.reward, v.cast_at, v.local_day, v.id
    FROM grants g JOIN votes v ON g.cause = 'vote' AND v.id = g.cause_id
    JOIN reward_names n ON n.reward_id = @rewardId AND n.name = g.reward
      AND v.id > n.after_vote AND v.id <= ifnull(n.up_to_vote, v.id)
    WHERE v.decision <> 'practice' ON CONFLICT DO NOTHING`),
  redate: db.prepare(`
    UPDATE granted_votes AS g SET cast_at = v.cast_at, day = v.local_day
    FROM votes v WHERE v.id = g.vote_id AND g.recipient_id = ?`),
});
