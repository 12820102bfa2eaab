import type { Database } from 'better-sqlite3';
import { encodeVotePayload } from '../../../protocol/webhook.ts';
import type { CastVote, Listing } from '../contracts.ts';

/** Creates the events for webhooks. The body is built once: every attempt sends the same bytes (NS-24). */
export class OwedEvents {
  private readonly statements;

  constructor(database: Database) {
    this.statements = prepareStatements(database);
  }

  /**
   * Called in the vote's transaction, so that after a kill every vote has its event. There is none while the webhook is
   * paused or disabled.
   */
  record({ game }: Listing, vote: CastVote): void {
    if (this.statements.isDelivering.get(vote.listingId) === undefined) return;
    const { id: eventId, listingId, userId, weight, player: playerName } = vote;
    const times = { votedAt: vote.castAt, nextVoteAt: vote.nextAt };
    const body = encodeVotePayload(
      { eventId, listingId, userId, weight, game, playerName, ...times },
      vote.castAt,
    );
    this.statements.insert.run({ eventId, listingId, body, now: vote.castAt });
  }
}

const prepareStatements = (db: Database) => ({
  isDelivering: db.prepare(
    'SELECT 1 FROM webhooks WHERE listing_id = ? AND is_active = 1 AND disabled_at IS NULL',
  ),
  insert: db.prepare(`
    INSERT INTO events (id, listing_id, body, state, due_at, created_at, changed_at)
    VALUES (@eventId, @listingId, @body, 'pending', @now, @now, @now)`),
});
