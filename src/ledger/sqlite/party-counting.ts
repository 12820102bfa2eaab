import type { RewardReasons } from '../../core/decide.ts';
import type { PlainGrantCode } from '../../core/grant-reason.ts';
import type { Database } from '../../platform/sqlite/open.ts';
import type { JudgedVote } from '../../rewards/condition.ts';
import type { RewardReason } from '../../rewards/conditions.ts';
import {
  OVER,
  type PartyPeriod,
  countWith,
  countedReason,
  partyPeriod,
  uncountedReason,
} from '../../rewards/party.ts';
import type { Party } from '../../rewards/reward.ts';
import { COUNTED } from './counted.ts';
import type { KnownRewards } from './known-rewards.ts';
import { grantCode } from './stored-reason.ts';

/** Why the grants of a party are held. */
export type PartyDoubt = Extract<PlainGrantCode, 'restore-doubt' | 'clock-doubt'>;

/** What counting depends on besides the vote. */
export interface CountedBy {
  /** Of the vote itself. */
  readonly doubt: PartyDoubt | null;
  /** As days since 1970-01-01. */
  readonly today: number;
}

/** What a vote is to the parties, before it is stored. */
export interface CountedForParties {
  /** Why it counted or not, by the names of the parties. */
  readonly reasons: RewardReasons;
  readonly reached: readonly Reached[];
}

/** The vote made this count reach what its party needs. */
export interface Reached extends Round {
  readonly rewardId: number;
}

interface Round {
  readonly number: number;
  readonly counted: number;
}

interface StoredPeriod extends PartyPeriod {
  readonly rewardId: number;
}

/** Counts votes for parties, in the transaction of each vote. The caller holds it. */
export class PartyCounting {
  private readonly statements;

  constructor(
    database: Database,
    private readonly rewards: KnownRewards,
  ) {
    this.statements = prepareStatements(database);
  }

  /** Call this before the vote is stored. */
  count(parties: readonly Party[], vote: JudgedVote, by: CountedBy): CountedForParties {
    const reasons = new Map<string, RewardReason>();
    const reached: Reached[] = [];
    for (const party of parties) {
      const known = this.rewards.find(party.name);
      if (known === null) continue;
      const counted = uncountedReason(party, vote, by.today) ?? this.countFor(party, known.id, vote, by);
      if ('code' in counted) {
        reasons.set(party.name, counted);
        continue;
      }
      reasons.set(party.name, countedReason(counted.number, Math.max(0, party.every - counted.counted)));
      if (counted.counted >= party.every) reached.push({ ...counted, rewardId: known.id });
    }
    return { reasons, reached };
  }

  private countFor(
    party: Party,
    rewardId: number,
    { day }: JudgedVote,
    { doubt }: CountedBy,
  ): Round | RewardReason {
    return this.add({ rewardId, ...partyPeriod(party, day) }, doubt) ?? OVER;
  }

  /** Call this after the vote is stored. @param isClockDoubted whether the clock is doubted now. */
  reach(reached: readonly Reached[], voteId: number, reachedAt: number, isClockDoubted: boolean): void {
    const clockDoubt: PartyDoubt | null = isClockDoubted ? 'clock-doubt' : null;
    for (const { rewardId } of reached) {
      this.statements.reach.run({ rewardId, voteId, reachedAt, clockDoubt });
      this.statements.next.run({ rewardId });
    }
  }

  /** Takes a vote that is voided out of the rounds in progress. What was reached stays reached (rule 14). */
  void(voteId: number): void {
    this.statements.remove.run({ voteId });
  }

  /** null: the vote belongs to a period that is over. */
  private add(period: StoredPeriod, doubt: PartyDoubt | null): Round | null {
    const counted = this.statements.add.get({ ...period, doubt }) as Round | undefined;
    if (counted !== undefined) return counted;
    return this.begin(period) ? (this.statements.add.get({ ...period, doubt }) as Round) : null;
  }

  /** Lets the stored round be that of a period. @returns false: the period is over. */
  private begin(period: StoredPeriod): boolean {
    const known = this.statements.period.get(period.rewardId) as PartyPeriod | undefined;
    const counts = countWith(known ?? null, period);
    if (counts === 'kept') this.statements.keep.run(period);
    if (counts === 'new') this.statements.start.run(period);
    return counts !== 'over';
  }
}

/** Call this when a ledger is restored: what may have been reached since the backup is not paid without the operator. */
export function holdParties(database: Database): void {
  const doubt = grantCode('restore-doubt');
  database.exec(`
    UPDATE parties SET doubt = ${doubt};
    UPDATE reached_parties SET doubt = ${doubt} WHERE fixed_at IS NULL;`);
}

/**
 * Whether the vote `v` counted for the party of a round `p`, as its reasons say (see `StoredReasons`), which have the name
 * that the party had when the vote was decided.
 */
const countedFor = (carriedFrom: string): string => `EXISTS (
  SELECT 1 FROM json_each(v.reasons) why JOIN reason_forms f ON f.id = why.value ->> 0
  JOIN reward_names n ON n.reward_id = p.reward_id AND n.name = f.form ->> 0 AND n.carried_from IS ${carriedFrom}
  LEFT JOIN listed_votes l ON l.vote_id = v.id
  WHERE f.form ->> 1 = 'party'
    AND iif(l.id IS NULL, v.id > n.after_vote AND v.id <= ifnull(n.up_to_vote, v.id),
                          l.id > n.after_listed AND l.id <= ifnull(n.up_to_listed, l.id)))`;

/** The IDs of the votes that came after those of the last round `p`, up to a given one. */
const votesAfter = (upTo: string): string => `
  SELECT id FROM votes WHERE id > p.after_vote AND id <= ${upTo} EXCEPT SELECT vote_id FROM listed_votes
  UNION ALL SELECT vote_id FROM listed_votes WHERE id > p.after_listed`;

/** The condition that a vote `v` was counted in the round `p` that is in progress. */
export const COUNTED_IN_ROUND = `v.id IN (${votesAfter('9e18')}) AND ${COUNTED} AND ${countedFor('NULL')}`;

/** The condition that a vote `v` of a party `p` that was reached was counted for it. */
export const COUNTED_FOR_REACHED = `${COUNTED} AND ${countedFor('p.carried_from')}`;

/** The condition that a vote `v` is one of a party `p` that was reached. */
export const IS_OF_REACHED = `(
  (v.id > p.after_vote AND v.id <= p.last_vote AND NOT EXISTS (SELECT 1 FROM listed_votes WHERE vote_id = v.id))
  OR EXISTS (SELECT 1 FROM listed_votes WHERE vote_id = v.id AND id > p.after_listed AND id <= p.last_listed))`;

/** The IDs of the next votes of the party `@id` that was reached, after one of them. A portion reads no others. */
export const nextOfReached = (limit: number): string => `
  SELECT id FROM (
    SELECT v.id FROM reached_parties p CROSS JOIN votes v
    WHERE p.id = @id AND v.id > max(p.after_vote, @after) AND v.id <= p.last_vote
      AND NOT EXISTS (SELECT 1 FROM listed_votes WHERE vote_id = v.id)
    ORDER BY v.id LIMIT ${limit})
  UNION ALL SELECT id FROM (
    SELECT l.vote_id AS id FROM reached_parties p CROSS JOIN listed_votes l
    WHERE p.id = @id AND l.id > p.after_listed AND l.id <= p.last_listed AND l.vote_id > @after
    ORDER BY l.vote_id LIMIT ${limit})
  ORDER BY id LIMIT ${limit}`;

const LAST_VOTE = '(SELECT ifnull(max(id), 0) FROM votes)';
const LAST_LISTED = '(SELECT ifnull(max(id), 0) FROM listed_votes)';

const prepareStatements = (db: Database) => ({
  add: db.prepare(`
    UPDATE parties SET counted = counted + 1, doubt = ifnull(doubt, @doubt)
    WHERE reward_id = @rewardId AND per = @per AND period = @period RETURNING number, counted`),
  period: db.prepare('SELECT per, period FROM parties WHERE reward_id = ?'),
  keep: db.prepare('UPDATE parties SET per = @per, period = @period WHERE reward_id = @rewardId'),
  start: db.prepare(`
    INSERT INTO parties (reward_id, number, counted, after_vote, after_listed, per, period)
    VALUES (@rewardId, 1, 0, ${LAST_VOTE}, ${LAST_LISTED}, @per, @period)
    ON CONFLICT DO UPDATE SET counted = 0, after_vote = excluded.after_vote, after_listed = excluded.after_listed,
      per = excluded.per, period = excluded.period, doubt = NULL`),
  reach: db.prepare(`
    INSERT INTO reached_parties (reward_id, number, votes, after_vote, last_vote, after_listed, last_listed, reached_by,
                                 reached_at, doubt)
    SELECT reward_id, number, counted, after_vote, ${LAST_VOTE}, after_listed, ${LAST_LISTED}, @voteId, @reachedAt,
           ifnull(doubt, @clockDoubt)
    FROM parties WHERE reward_id = @rewardId`),
  next: db.prepare(`
    UPDATE parties SET number = number + 1, counted = 0, after_vote = ${LAST_VOTE}, after_listed = ${LAST_LISTED},
      doubt = NULL
    WHERE reward_id = @rewardId`),
  // Called when the vote is voided already, so it asks what the vote was until then.
  remove: db.prepare(`
    UPDATE parties AS p SET counted = counted - 1
    WHERE EXISTS (SELECT 1 FROM votes v
                  WHERE v.id = @voteId AND ${countedFor('NULL')}
                    AND v.id IN (${votesAfter('@voteId')}))`),
});
