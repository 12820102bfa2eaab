import type { AnnouncementTerms } from '../../core/announcement.ts';
import { showsNextVote, withLaterVote } from '../../core/template.ts';
import { atMost } from '../../platform/sqlite/at-most.ts';
import type { Database } from '../../platform/sqlite/open.ts';
import type { GrantCause, OpenGrant, QueueKey, WaitingPlayer } from '../ledger.ts';
import { Pausing } from './pausing.ts';
import { Pools, type QueueColumns } from './pools.ts';
import { spelt } from './spelling.ts';
import { grantCode } from './stored-reason.ts';
import { type Sharing, Windows } from './windows.ts';

interface OpenGrantRow
  extends Omit<OpenGrant, 'isNameTaken' | 'safeToRunTwice' | 'commands' | 'announcement'> {
  readonly isNameTaken: number;
  readonly safeToRunTwice: number;
  readonly announcement: string | null;
  readonly commands: string;
}

interface UnpausedColumns extends QueueColumns {
  /** The names of rewards, as JSON. */
  readonly paused: string;
}

interface WaitingRow extends Omit<WaitingPlayer, 'otherNames'> {
  readonly otherNames: string;
}

/** What the queues read: the grants that may be tried, and for whom others wait. */
export class OpenGrants {
  private readonly statements;
  private readonly pools: Pools;
  private readonly pausing: Pausing;
  /** Made when it is first needed, because few commands show when a player may vote again. */
  private windows: Windows | null = null;

  constructor(private readonly database: Database) {
    this.statements = prepareStatements(database);
    this.pools = new Pools(database);
    this.pausing = new Pausing(database);
  }

  pending(queue: QueueKey, now: number, limit: number): OpenGrant[] {
    return this.oldest(queue, (key) => this.statements.pending.all({ ...key, now, limit }), limit);
  }

  waiting(queue: QueueKey, recipientKeys: readonly string[], now: number, limit: number): OpenGrant[] {
    const given = { keys: JSON.stringify(recipientKeys), now, limit };
    return this.oldest(queue, (key) => this.statements.waiting.all({ ...key, ...given }), limit);
  }

  /** The oldest of what a statement finds for the game server and for each of its pools. */
  private oldest(queue: QueueKey, read: (key: UnpausedColumns) => unknown[], limit: number): OpenGrant[] {
    const rows = this.unpaused(queue).flatMap(read) as OpenGrantRow[];
    return this.opened(rows.sort((one, other) => one.id - other.id).slice(0, limit));
  }

  /** What the queue reads, without the rewards that are paused on its game server; nothing if all of them are. */
  private unpaused(queue: QueueKey): readonly UnpausedColumns[] {
    const rewards = this.pausing.pausedOn(queue.server);
    if (rewards === 'all') return [];
    const paused = JSON.stringify(rewards);
    return this.pools.readBy(queue).map((key) => ({ ...key, paused }));
  }

  private opened(rows: readonly OpenGrantRow[]): OpenGrant[] {
    return rows.map((row) => {
      const grant = toOpenGrant(row);
      return grant.commands.some(({ text }) => showsNextVote(text)) ? this.withLaterVote(grant) : grant;
    });
  }

  /** `{nextVote}` is about the sending: the player may have voted again since the grant was made. */
  private withLaterVote(grant: OpenGrant): OpenGrant {
    this.windows ??= new Windows(this.database);
    const vote = this.statements.voteOf.get(grant.id) as Sharing | undefined;
    const end = vote === undefined ? null : this.windows.lastEnd(vote);
    if (end === null) return grant;
    const commands = grant.commands.map((command) => ({
      ...command,
      text: withLaterVote(command.text, end),
    }));
    return { ...grant, commands };
  }

  waitingFor(queue: QueueKey, limit: number, afterRecipient: number): WaitingPlayer[] {
    const each = this.pools
      .readBy(queue)
      .flatMap((key) => this.statements.waitingFor.all({ ...key, limit, afterRecipient }) as WaitingRow[]);
    const byId = new Map(
      each.map((row) => [row.recipientId, { ...row, otherNames: JSON.parse(row.otherNames) as string[] }]),
    );
    return [...byId.values()].sort((one, other) => one.recipientId - other.recipientId).slice(0, limit);
  }

  causeOf(grantId: number): GrantCause | null {
    return (this.statements.causeOf.get(grantId) as GrantCause | undefined) ?? null;
  }

  nextDueAt(queue: QueueKey, now: number): number | null {
    const each = this.unpaused(queue).map(
      (key) => (this.statements.nextDueAt.get({ ...key, now }) as number | null) ?? Number.POSITIVE_INFINITY,
    );
    const next = Math.min(...each);
    return next === Number.POSITIVE_INFINITY ? null : next;
  }
}

const toOpenGrant = ({ safeToRunTwice, commands, ...row }: OpenGrantRow): OpenGrant => ({
  ...row,
  isNameTaken: row.isNameTaken === 1,
  safeToRunTwice: safeToRunTwice === 1,
  commands: JSON.parse(commands),
  announcement: row.announcement === null ? null : (JSON.parse(row.announcement) as AnnouncementTerms),
});

/**
 * Longer than any delay between attempts. A grant that is due later than that was stored before the clock was set back.
 */
const LONGEST_DELAY_MS = 60 * 60 * 1000;

export const OF_QUEUE = 'g.server = @server AND g.practice = @practice';
/** Of those that wait, not those whose delay is not over. */
export const AWAITS = `g.state = 'waiting' AND g.reason IS NOT ${grantCode('delayed')}`;
const IS_UNPAUSED = 'g.reward NOT IN (SELECT value FROM json_each(@paused))';
const IS_UNEXPIRED = 'ifnull(g.expires_at > @now, true)';
export const IS_DUE = `g.due_at NOT BETWEEN @now + 1 AND @now + ${LONGEST_DELAY_MS}`;
export const IS_SENDING = "EXISTS (SELECT 1 FROM commands WHERE grant_id = g.id AND outcome = 'sending')";

/** The history of the player who has a name. */
export const named = (key: string): string =>
  `SELECT ifnull(joined_to, id) FROM recipients WHERE kind = 'player' AND key = ${key} AND given_up_at = 0`;

/** The name that a player is paid under; of a player whose names belong to others, one that they had. */
const PAID_NAME = `ifnull(nullif(r.paid_as, ''), ${spelt('r.key', 'r.id')})`;
/** The same in lower case. */
export const PAID_KEY = "iif(r.paid_as IS NULL, r.key, lower(ifnull(nullif(r.paid_as, ''), r.key)))";

/**
 * An open grant with its commands that are not delivered. An announcement that may have run is not sent again.
 *
 * @param name the name that it is paid to; `key` in lower case. The game server may spell it in another way.
 */
const openGrant = (name: string, key: string): string => `
  SELECT g.id, ${key} AS recipientKey, iif(lower(g.player) = ${key} OR g.player IS NULL, g.player, ${name}) AS player,
         r.paid_as IS '' AND g.player IS NOT NULL AS isNameTaken, g.reward, g.server, g.created_at AS createdAt, g.run_when AS "when",
         g.safe_to_run_twice AS safeToRunTwice, g.announcement,
         (SELECT json_group_array(json_object('position', position, 'text', text, 'attempts', attempts))
          FROM (SELECT * FROM commands
                WHERE grant_id = g.id AND outcome IS NOT 'delivered'
                  AND (g.announcement IS NULL OR position < json_extract(g.announcement, '$.first') OR ifnull(outcome, 'not-sent') = 'not-sent')
                ORDER BY position)) AS commands`;

const prepareStatements = (db: Database) => ({
  pending: db.prepare(`
    ${openGrant(PAID_NAME, PAID_KEY)} FROM grants g JOIN recipients r ON r.id = g.recipient_id
    WHERE ${OF_QUEUE} AND g.state = 'pending' AND ${IS_DUE} AND ${IS_UNEXPIRED} AND ${IS_UNPAUSED} AND NOT ${IS_SENDING}
    ORDER BY g.id ${atMost('@limit')}`),
  // CROSS JOIN keeps the order: from the recipients to their grants. In the other order SQLite reads every waiting
  // grant each time, which took half a second for 200,000 of them.
  waiting: db.prepare(`
    ${openGrant('r.key', 'r.key')} FROM json_each(@keys) among
    CROSS JOIN recipients r ON r.kind = 'player' AND r.key = among.value AND r.given_up_at = 0
    CROSS JOIN grants g ON g.recipient_id = ifnull(r.joined_to, r.id)
    WHERE ${OF_QUEUE} AND ${AWAITS} AND ${IS_UNEXPIRED} AND ${IS_UNPAUSED} AND NOT ${IS_SENDING} AND ${IS_DUE}
    ORDER BY g.id ${atMost('@limit')}`),
  // A player with several names may be on the game server under any of them.
  waitingFor: db.prepare(`
    SELECT recipient_id AS recipientId, player, (
        SELECT json_group_array(n.key) FROM recipients n
        WHERE n.joined_to = g.recipient_id AND n.given_up_at = 0 AND n.key <> lower(g.player)) AS otherNames
    FROM grants g
    WHERE ${OF_QUEUE} AND ${AWAITS} AND player IS NOT NULL AND recipient_id > @afterRecipient
    GROUP BY recipient_id ORDER BY recipient_id ${atMost('@limit')}`),
  voteOf: db.prepare(`
    SELECT v.service, v.site, g.recipient_id AS recipientId
    FROM grants g JOIN votes v ON g.cause = 'vote' AND v.id = g.cause_id WHERE g.id = ?`),
  causeOf: db.prepare(`
    SELECT g.vote_id AS vote, v.service AS site, g.occasion
    FROM grants g LEFT JOIN votes v ON v.id = g.vote_id WHERE g.id = ?`),
  nextDueAt: db
    .prepare(`
    SELECT min(due_at) FROM grants g
    WHERE ${OF_QUEUE} AND state = 'pending' AND ${IS_UNEXPIRED} AND ${IS_UNPAUSED} AND NOT ${IS_SENDING}`)
    .pluck(),
});
