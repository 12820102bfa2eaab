import type { DecisionKind } from '../../core/decide.ts';
import type { Database } from '../../platform/sqlite/open.ts';
import type { VoteStanding } from '../../rewards/condition.ts';
import type { Voided, VoidOrder, VoidRefusal } from '../operator-ledger.ts';
import type { KnownRewards } from './known-rewards.ts';
import { PartyCounting } from './party-counting.ts';
import { VoteCounts } from './vote-counts.ts';

interface StoredVote {
  readonly id: number;
  readonly recipientId: number;
  readonly service: string;
  readonly day: number;
  readonly decision: DecisionKind;
  readonly countsAnyway: number | null;
  readonly isVoided: number;
}

/** Lets the operator take votes out of what players have reached. The caller holds the transaction. */
export class Voiding {
  private readonly statements;
  private readonly counts: VoteCounts;
  private readonly parties: PartyCounting;

  constructor(database: Database, rewards: KnownRewards) {
    this.statements = prepareStatements(database);
    this.counts = new VoteCounts(database);
    this.parties = new PartyCounting(database, rewards);
  }

  /** All of them or none. */
  void(ids: readonly number[], order: VoidOrder, now: number): Voided {
    const votes: StoredVote[] = [];
    for (const id of ids) {
      const vote = this.statements.vote.get(id) as StoredVote | undefined;
      const code = refusalOf(vote);
      if (vote === undefined || code !== null) return { kind: 'refused', code: code ?? 'vote-missing', id };
      votes.push(vote);
    }
    for (const vote of votes) this.voidOne(vote, order, now);
    return { kind: 'voided' };
  }

  private voidOne(vote: StoredVote, { by, reason }: VoidOrder, now: number): void {
    const { id, recipientId, service, day } = vote;
    const standing = standingOf(vote);
    this.statements.store.run(id, recipientId, standing, now, by, reason);
    this.statements.mark.run(id);
    this.parties.void(id);
    if (standing !== null) this.counts.remove({ recipientId, service, day, standing });
  }
}

const refusalOf = (vote: StoredVote | undefined): VoidRefusal | null => {
  if (vote === undefined) return 'vote-missing';
  return vote.isVoided === 1 ? 'vote-voided' : null;
};

/** As `standingOf` decided when it was recorded; null: it said nothing about its player. */
function standingOf({ decision, countsAnyway }: StoredVote): VoteStanding | null {
  if (decision === 'rewarded') return 'rewarded';
  if (countsAnyway === 1) return 'counted';
  return decision === 'cooldown' || decision === 'unlisted' || decision === 'too-old' ? 'marked' : null;
}

const prepareStatements = (db: Database) => ({
  vote: db.prepare(`
    SELECT id, recipient_id AS recipientId, service, local_day AS day, decision, counts_anyway AS countsAnyway,
           EXISTS (SELECT 1 FROM voided_votes WHERE vote_id = votes.id) AS isVoided
    FROM votes WHERE id = ?`),
  store: db.prepare(`
    INSERT INTO voided_votes (vote_id, recipient_id, standing, voided_at, voided_by, reason)
    VALUES (?, ?, ?, ?, ?, ?)`),
  mark: db.prepare('UPDATE votes SET counts_anyway = 0 WHERE id = ?'),
});
