import type { Database } from 'better-sqlite3';
import type { Cursor } from '../../web/paging.ts';
import type { CastVote, Listing } from '../contracts.ts';
import type { DueQuery } from '../outbox/claim-due.ts';
import { atMost } from '../store/at-most.ts';
import { type SendReason, sendReasonSentence } from './send-reasons.ts';

export type ListenerMethod = 'token' | 'public-key';

/** Where a listing's votes are sent, and the key or token that authenticates them. */
export interface ListenerSettings {
  readonly host: string;
  readonly port: number;
  readonly method: ListenerMethod;
  /** The token, or the public key as it was pasted. */
  readonly credential: string;
  readonly updatedAt: number;
}

export interface NewSend {
  readonly id: string;
  readonly listingId: string;
  /** null for a test vote. */
  readonly voteId: string | null;
  readonly player: string;
  readonly startedAt: number;
}

export type SendEnd = SendReason & {
  /** Protocol version 1 can never say more than `sent` (NS-44). */
  readonly outcome: 'accepted' | 'sent' | 'failed';
};

/** One vote in the dashboard's log. */
export interface LoggedSend {
  readonly id: string;
  readonly voteId: string | null;
  readonly player: string;
  readonly startedAt: number;
  readonly outcome: SendEnd['outcome'] | 'sending';
  readonly code: string | null;
  readonly sentence: string | null;
}

/** The outcomes of votes and test votes since a time. */
export interface SendFigures {
  readonly accepted: number;
  /** Sent over version 1, which cannot confirm that a vote was accepted. */
  readonly sent: number;
  readonly failed: number;
}

/** The statements of the vote-listener delivery. */
export class SendStore {
  private readonly statements;

  constructor(database: Database) {
    this.statements = prepareStatements(database);
  }

  settings(listingId: string): ListenerSettings | null {
    return (this.statements.settings.get(listingId) as ListenerSettings | undefined) ?? null;
  }

  save(listingId: string, { host, port, method, credential, updatedAt }: ListenerSettings): void {
    this.statements.save.run(listingId, host, port, method, credential, updatedAt);
  }

  remove(listingId: string): void {
    this.statements.remove.run(listingId);
  }

  /**
   * Marks a vote that is sent to its listing's listener. Called in the vote's transaction, so that after a kill every
   * vote has its mark.
   */
  beginVote({ id: listingId, game }: Listing, { id, player, castAt: startedAt }: CastVote): void {
    if (game !== 'minecraft' || player === null || this.settings(listingId) === null) return;
    this.begin({ id, listingId, voteId: id, player, startedAt });
  }

  /** Marks a vote before it is sent. */
  begin({ id, listingId, voteId, player, startedAt }: NewSend): void {
    this.statements.begin.run(id, listingId, voteId, player, startedAt);
  }

  /** Listings that have votes to send, as for `Outlet`. All of their votes may be in progress. */
  dueListings({ limit, inProgress, most }: DueQuery): string[] {
    const taken = JSON.stringify(Object.fromEntries(inProgress));
    return this.statements.dueListings.all({ taken, most, limit }) as string[];
  }

  /** Votes that are marked but have no outcome, except `others`, in the order in which they were cast. */
  waiting(listingId: string, limit: number, others: readonly string[]): NewSend[] {
    return this.statements.waiting.all(listingId, JSON.stringify(others), limit) as NewSend[];
  }

  /** When another vote for this player was last sent and not refused, after `since`; null if never. */
  lastSentFor({ id, listingId, player }: NewSend, since: number): number | null {
    return this.statements.lastSentFor.get(listingId, since, player, id) as number | null;
  }

  end(id: string, { outcome, code, facts }: SendEnd): void {
    this.statements.end.run(outcome, code, stored(facts), id);
  }

  /** Gives this outcome to all votes that the last process left without one. */
  endAll({ outcome, code, facts }: SendEnd): number {
    return this.statements.endAll.run(outcome, code, stored(facts)).changes;
  }

  figures(listingId: string, since: number): SendFigures {
    return this.statements.figures.get(listingId, since) as SendFigures;
  }

  /** Newest first. */
  rows(listingId: string, { at, id }: Cursor, limit: number): SendRow[] {
    return this.statements.rows.all(listingId, at, id, limit) as SendRow[];
  }
}

const stored = (facts: SendReason['facts']): string | null => (facts === null ? null : JSON.stringify(facts));

export interface SendRow extends Omit<LoggedSend, 'sentence'> {
  readonly facts: string | null;
}

export function toLoggedSend({ facts, ...row }: SendRow): LoggedSend {
  const { code } = row;
  if (code === null) return { ...row, sentence: null };
  // Only codes of the closed tables are ever written.
  const reason = { code, facts: facts === null ? null : JSON.parse(facts) } as SendReason;
  return { ...row, sentence: sendReasonSentence(reason) };
}

/** Votes only: test votes are sent at once. */
const IS_OPEN = 'outcome IS NULL AND vote_id IS NOT NULL';

const prepareStatements = (db: Database) => ({
  settings: db.prepare(`
    SELECT host, port, method, credential, updated_at AS updatedAt FROM listener_settings WHERE listing_id = ?`),
  save: db.prepare(`
    INSERT OR REPLACE INTO listener_settings (listing_id, host, port, method, credential, updated_at)
    VALUES (?, ?, ?, ?, ?, ?)`),
  remove: db.prepare('DELETE FROM listener_settings WHERE listing_id = ?'),
  begin: db.prepare(`
    INSERT INTO listener_sends (id, listing_id, vote_id, player, started_at) VALUES (?, ?, ?, ?, ?)`),
  // The index is used to skip from one listing to the next, instead of reading through long queues.
  dueListings: db
    .prepare(`
    WITH RECURSIVE open(listing_id) AS (
      SELECT (SELECT min(listing_id) FROM listener_sends WHERE ${IS_OPEN})
      UNION ALL
      SELECT (SELECT min(listing_id) FROM listener_sends WHERE ${IS_OPEN} AND listing_id > open.listing_id)
      FROM open WHERE open.listing_id IS NOT NULL)
    SELECT o.listing_id FROM open o LEFT JOIN json_each(@taken) t ON t.key = o.listing_id
    WHERE o.listing_id IS NOT NULL AND ifnull(t.value, 0) < @most
    ORDER BY ifnull(t.value, 0), (
      SELECT min(started_at) FROM listener_sends WHERE listing_id = o.listing_id AND ${IS_OPEN}) ${atMost('@limit')}`)
    .pluck(),
  waiting: db.prepare(`
    SELECT id, listing_id AS listingId, vote_id AS voteId, player, started_at AS startedAt
    FROM listener_sends WHERE listing_id = ? AND ${IS_OPEN} AND id NOT IN (SELECT value FROM json_each(?))
    ORDER BY started_at, id ${atMost('?')}`),
  lastSentFor: db
    .prepare(`
    SELECT max(started_at) FROM listener_sends
    WHERE listing_id = ? AND started_at > ? AND player = ? COLLATE NOCASE AND id <> ?
    AND outcome IN ('accepted', 'sent')`)
    .pluck(),
  end: db.prepare(
    'UPDATE listener_sends SET outcome = ?, code = ?, facts = ? WHERE id = ? AND outcome IS NULL',
  ),
  endAll: db.prepare('UPDATE listener_sends SET outcome = ?, code = ?, facts = ? WHERE outcome IS NULL'),
  figures: db.prepare(`
    SELECT count(*) FILTER (WHERE outcome = 'accepted') AS accepted,
           count(*) FILTER (WHERE outcome = 'sent') AS sent,
           count(*) FILTER (WHERE outcome = 'failed') AS failed
    FROM listener_sends WHERE listing_id = ? AND started_at > ?`),
  rows: db.prepare(`
    SELECT id, vote_id AS voteId, player, started_at AS startedAt, coalesce(outcome, 'sending') AS outcome,
           code, facts
    FROM listener_sends
    WHERE listing_id = ? AND (started_at, id) < (?, ?) ORDER BY started_at DESC, id DESC ${atMost('?')}`),
});
