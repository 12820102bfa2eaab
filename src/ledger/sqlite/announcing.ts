import { ANNOUNCED_FOR_MS, type AnnouncementCode, type AnnouncementTerms } from '../../core/announcement.ts';
import type { Database } from '../../platform/sqlite/open.ts';
import type { Announced, AnnouncingNow } from '../announcing-ledger.ts';

interface AnnouncedGrant {
  readonly id: number;
  readonly recipientId: number;
  readonly practice: 0 | 1;
  readonly madeAt: number;
  readonly announcement: string;
}

/** Decides which announcements are sent, and closes the grants of the others. The caller holds the transaction. */
export class Announcing {
  private readonly statements;

  constructor(database: Database) {
    this.statements = prepareStatements(database);
  }

  announce(grantId: number, { now, isHere, isTooOften }: AnnouncingNow): Announced {
    const grant = this.statements.grant.get(grantId) as AnnouncedGrant | undefined;
    if (grant === undefined) return 'over';
    if (now - grant.madeAt > ANNOUNCED_FOR_MS) return this.close(grant, 'expired', now);
    if (isHere !== true && !this.wasSeen(grant))
      return isHere === null ? 'unseen' : this.close(grant, 'stranger', now);
    return isTooOften ? this.close(grant, 'too-often', now) : 'send';
  }

  storePresent(keys: readonly string[], practice: boolean, now: number): void {
    this.statements.storePresent.run({ keys: JSON.stringify(keys), practice: Number(practice), now });
  }

  /** Under any of the player's names. */
  private wasSeen({ recipientId, practice }: AnnouncedGrant): boolean {
    return this.statements.wasSeen.get({ recipientId, practice }) !== undefined;
  }

  private close({ id, announcement }: AnnouncedGrant, code: AnnouncementCode, now: number): Announced {
    const { first } = JSON.parse(announcement) as AnnouncementTerms;
    this.statements.closeCommands.run({ id, first, code, now });
    this.statements.closeGrant.run({ id, code, now });
    return 'over';
  }
}

const prepareStatements = (db: Database) => ({
  grant: db.prepare(`
    SELECT id, recipient_id AS recipientId, practice, announcement, ifnull(due_from, created_at) AS madeAt
    FROM grants WHERE id = ? AND announcement IS NOT NULL AND state IN ('pending', 'waiting')`),
  wasSeen: db
    .prepare(`
    SELECT 1 FROM recipients n JOIN seen_players s ON s.key = n.key AND s.practice = @practice
    WHERE n.kind = 'player' AND n.id IN (SELECT @recipientId UNION ALL SELECT id FROM recipients WHERE joined_to = @recipientId)
    LIMIT 1`)
    .pluck(),
  storePresent: db.prepare(`
    INSERT INTO seen_players (key, practice, seen_at) SELECT value, @practice, @now FROM json_each(@keys) WHERE true
    ON CONFLICT DO NOTHING`),
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
