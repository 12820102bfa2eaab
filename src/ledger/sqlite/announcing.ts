import { ANNOUNCED_FOR_MS, type AnnouncementCode, type AnnouncementTerms } from '../../core/announcement.ts';
import { isForgotten } from '../../core/forgotten-name.ts';
import type { Database } from '../../platform/sqlite/open.ts';
import type { Announced } from '../announcing-ledger.ts';

interface AnnouncedGrant extends GrantPlace {
  readonly id: number;
  readonly recipientId: number;
  readonly recipientKey: string;
  readonly madeAt: number;
  readonly announcement: string;
}

/** Announcements of one reward on one game server are counted together. */
interface GrantPlace {
  readonly reward: string;
  readonly server: string;
  readonly practice: 0 | 1;
  readonly player: string | null;
}

/** Decides which announcements are sent, and closes the grants of the others. The caller holds the transaction. */
export class Announcing {
  private readonly statements;

  constructor(database: Database) {
    this.statements = prepareStatements(database);
  }

  announce(grantId: number, now: number, isHere: boolean | null): Announced {
    const grant = this.statements.grant.get(grantId) as AnnouncedGrant | undefined;
    if (grant === undefined) return { kind: 'over' };
    const terms = JSON.parse(grant.announcement) as AnnouncementTerms;
    if (now - grant.madeAt > ANNOUNCED_FOR_MS) return this.close(grant, terms, 'expired', now);
    if (!terms.strangers && isHere !== true && !this.wasSeen(grant)) {
      return isHere === null ? { kind: 'unseen' } : this.close(grant, terms, 'stranger', now);
    }
    return this.send(grant, terms, now);
  }

  storePresent(keys: readonly string[], practice: boolean, now: number): void {
    this.statements.storePresent.run({ keys: JSON.stringify(keys), practice: Number(practice), now });
  }

  /** Under any of the player's names. */
  private wasSeen({ recipientId, practice }: AnnouncedGrant): boolean {
    return this.statements.wasSeen.get({ recipientId, practice }) !== undefined;
  }

  private send(grant: AnnouncedGrant, terms: AnnouncementTerms, now: number): Announced {
    const own = grant.player ?? grant.recipientKey;
    if (terms.atMost === null) return { kind: 'send', voters: [own] };
    const { count, withinMs } = terms.atMost;
    const { reward, server, practice } = grant;
    const place = { reward, server, practice };
    if (this.statements.isCounted.get(grant.id) === undefined) {
      const sent = this.statements.countSent.get({ ...place, since: now - withinMs, now }) as number;
      const row = { ...place, grantId: grant.id, player: own, now };
      this.statements.count.run({ ...row, isSent: Number(sent < count) });
      if (sent >= count) return this.close(grant, terms, 'joined', now);
      this.statements.nameJoined.run({ ...place, grantId: grant.id });
    }
    const joined = (this.statements.joined.all(grant.id) as string[]).filter(
      (player) => !isForgotten({ player }),
    );
    return { kind: 'send', voters: [...new Set([...joined, own])] };
  }

  /** Whoever had joined this one joins the next one. */
  private close(
    { id }: AnnouncedGrant,
    { first }: AnnouncementTerms,
    code: AnnouncementCode,
    now: number,
  ): Announced {
    const { closeCommands, closeGrant, releaseJoined, uncount } = this.statements;
    if (code !== 'joined') {
      releaseJoined.run(id);
      uncount.run(id);
    }
    closeCommands.run({ id, first, code, now });
    closeGrant.run({ id, code, now });
    return { kind: 'over' };
  }
}

const AT_PLACE = 'reward = @reward AND server = @server AND practice = @practice';

const prepareStatements = (db: Database) => ({
  grant: db.prepare(`
    SELECT g.id, g.recipient_id AS recipientId, g.reward, g.server, g.practice, g.player, r.key AS recipientKey, g.announcement,
           ifnull(g.due_from, g.created_at) AS madeAt
    FROM grants g JOIN recipients r ON r.id = g.recipient_id
    WHERE g.id = ? AND g.announcement IS NOT NULL AND g.state IN ('pending', 'waiting')`),
  wasSeen: db
    .prepare(`
    SELECT 1 FROM recipients n JOIN seen_players s ON s.key = n.key AND s.practice = @practice
    WHERE n.kind = 'player' AND n.id IN (SELECT @recipientId UNION ALL SELECT id FROM recipients WHERE joined_to = @recipientId)
    LIMIT 1`)
    .pluck(),
  storePresent: db.prepare(`
    INSERT INTO seen_players (key, practice, seen_at) SELECT value, @practice, @now FROM json_each(@keys) WHERE true
    ON CONFLICT DO NOTHING`),
  isCounted: db.prepare('SELECT 1 FROM announced WHERE grant_id = ? AND is_sent = 1').pluck(),
  // A time after now was stored before the clock was set back.
  countSent: db
    .prepare(
      `SELECT count(*) FROM announced WHERE ${AT_PLACE} AND is_sent = 1 AND at > @since AND at <= @now`,
    )
    .pluck(),
  count: db.prepare(`
    INSERT INTO announced (grant_id, reward, server, practice, player, at, is_sent)
    VALUES (@grantId, @reward, @server, @practice, @player, @now, @isSent)`),
  nameJoined: db.prepare(`
    UPDATE announced SET named_by = @grantId WHERE ${AT_PLACE} AND is_sent = 0 AND named_by IS NULL`),
  joined: db.prepare('SELECT player FROM announced WHERE named_by = ? ORDER BY grant_id').pluck(),
  releaseJoined: db.prepare('UPDATE announced SET named_by = NULL WHERE named_by = ?'),
  uncount: db.prepare('DELETE FROM announced WHERE grant_id = ?'),
  closeCommands: db.prepare(`
    UPDATE commands SET outcome = 'not-sent', reason = @code, facts = NULL, ended_at = @now
    WHERE grant_id = @id AND position >= @first AND (outcome IS NULL OR outcome = 'not-sent')`),
  // What was paid or may have been sent of it stays so.
  closeGrant: db.prepare(`
    UPDATE grants SET changed_at = @now, facts = NULL, expires_at = NULL,
      state = CASE WHEN EXISTS (SELECT 1 FROM commands WHERE grant_id = @id AND outcome <> 'not-sent')
              THEN 'delivered' ELSE 'cancelled' END,
      reason = CASE WHEN EXISTS (SELECT 1 FROM commands WHERE grant_id = @id AND outcome <> 'not-sent')
               THEN NULL ELSE @code END
    WHERE id = @id`),
});
