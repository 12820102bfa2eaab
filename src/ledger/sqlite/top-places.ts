import type { Database } from '../../platform/sqlite/open.ts';
import type { Top } from '../../rewards/reward.ts';
import type { SettledPlace } from '../together-ledger.ts';

/** Reads the places that were stored. */
export class TopPlaces {
  constructor(private readonly database: Database) {}

  of({ name, period: per }: Pick<Top, 'name' | 'period'>, period: number): SettledPlace[] | null {
    const id = this.database
      .prepare(
        `SELECT t.id FROM settled_tops t JOIN rewards r ON r.id = t.reward_id
         WHERE r.name = ? AND t.per = ? AND t.period = ?`,
      )
      .pluck()
      .get(name, per, period) as number | undefined;
    if (id === undefined) return null;
    return this.database
      .prepare(
        `SELECT p.place, r.key AS recipient, p.player, p.votes, p.reached_at AS reachedAt
         FROM top_places p JOIN recipients r ON r.id = p.recipient_id WHERE p.top_id = ? ORDER BY p.place, p.id`,
      )
      .all(id) as SettledPlace[];
  }
}
