import type { Database } from '../../platform/sqlite/open.ts';
import { parseOccasion } from '../../rewards/occasion.ts';
import type { PracticeVoided, PracticeVotes, VoidOrder } from '../operator-ledger.ts';
import type { KnownRewards } from './known-rewards.ts';
import { Voiding } from './voiding.ts';

/** Voiding one takes about a millisecond. */
const VOIDED_AT_ONCE = 100;

/** Reads them. */
export function practiceVotes(database: Database): PracticeVotes {
  const [counted] = database.prepare(COUNTED).all() as [{ fromHere: number; fromOutside: number }];
  const ended = database.prepare('SELECT voided_at FROM practice_ended').pluck().get() as
    | number
    | null
    | undefined;
  return { ...counted, areVoided: typeof ended === 'number' };
}

/** Call this with each config that runs. Only the first one with a real game server counts. */
export function endPracticeIf(database: Database, isReal = false): void {
  if (isReal) database.prepare(END).run();
}

/**
 * Takes what was tried from this machine out of the ledger's memory when practice ends (rule 9). Such a vote is voided, its
 * decision is `practice` from then on, and it gives back its window, its places of limits and its occasions. The caller holds
 * the transaction.
 */
export class PracticeVoiding {
  private readonly statements;
  private readonly voiding: Voiding;

  constructor(database: Database, rewards: KnownRewards) {
    this.statements = prepareStatements(database);
    this.voiding = new Voiding(database, rewards);
  }

  /** One portion: call it until none is left. */
  void(order: VoidOrder, now: number): PracticeVoided {
    const { statements } = this;
    statements.end.run();
    if (statements.areVoided.get() === 1) return { voided: 0, isDone: true };
    const ids = statements.next.all() as number[];
    this.voiding.void(ids, order, now);
    for (const id of ids) this.giveBack(id);
    const isDone = ids.length < VOIDED_AT_ONCE;
    if (isDone) statements.done.run(now);
    return { voided: ids.length, isDone };
  }

  private giveBack(voteId: number): void {
    const { statements } = this;
    // The streaks that the occasions name can be reached again, too.
    for (const { rewardId, recipientId, occasion } of statements.unspend.all({ voteId }) as Spent[])
      for (const { per, length, period } of parseOccasion(occasion)?.streaks ?? [])
        statements.unreach.run(rewardId, recipientId, per, length, period);
    statements.freePlaces.run(voteId);
    // Rewards that started later did not see it as reached.
    statements.forgetStanding.run(voteId);
    statements.decide.run(voteId);
  }
}

interface Spent {
  readonly rewardId: number;
  readonly recipientId: number;
  readonly occasion: string;
}

const END = `
  INSERT INTO practice_ended (last_vote)
  SELECT (SELECT ifnull(max(id), 0) FROM votes) WHERE NOT EXISTS (SELECT 1 FROM practice_ended)`;

/** Votes that came from somewhere before a real game server was there. A listing's webhook or API is never this machine. */
const DURING_PRACTICE = `
  v.id <= ifnull((SELECT last_vote FROM practice_ended), 9e18) AND v.channel NOT IN ('import', 'operator')`;
const FROM_HERE = `(v.channel IN ('listener-v1', 'listener-v2') AND (v.address LIKE '127.%' OR v.address = '::1'))`;
const STANDS = `NOT EXISTS (SELECT 1 FROM voided_votes WHERE vote_id = v.id)`;

const COUNTED = `
  SELECT count(*) FILTER (WHERE ${FROM_HERE} AND ${STANDS}) AS fromHere,
         count(*) FILTER (WHERE NOT ifnull(${FROM_HERE}, 0)) AS fromOutside
  FROM votes v WHERE ${DURING_PRACTICE}`;

const prepareStatements = (db: Database) => ({
  end: db.prepare(END),
  areVoided: db.prepare('SELECT voided_at IS NOT NULL FROM practice_ended').pluck(),
  done: db.prepare('UPDATE practice_ended SET voided_at = ?'),
  next: db
    .prepare(
      `SELECT v.id FROM votes v WHERE ${DURING_PRACTICE} AND ${FROM_HERE} AND ${STANDS} ORDER BY v.id LIMIT ${VOIDED_AT_ONCE}`,
    )
    .pluck(),
  unspend: db.prepare(`
    DELETE FROM occasions WHERE reward_id IN (SELECT id FROM rewards)
      AND recipient_id IN (0, (SELECT recipient_id FROM votes WHERE id = @voteId)) AND vote_id = @voteId
    RETURNING reward_id AS rewardId, recipient_id AS recipientId, occasion`),
  unreach: db.prepare(
    'DELETE FROM reached_streaks WHERE reward_id = ? AND recipient_id = ? AND per = ? AND length = ? AND period = ?',
  ),
  freePlaces: db.prepare(
    'DELETE FROM granted_votes WHERE reward_id IN (SELECT id FROM rewards) AND vote_id = ?',
  ),
  forgetStanding: db.prepare('UPDATE voided_votes SET standing = NULL WHERE vote_id = ?'),
  decide: db.prepare("UPDATE votes SET decision = 'practice', taken_by = NULL WHERE id = ?"),
});
