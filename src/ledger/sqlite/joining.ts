import { atMost } from '../../platform/sqlite/at-most.ts';
import type { Database } from '../../platform/sqlite/open.ts';
import type { AbsenceReading, PendingPage, QueueKey } from '../ledger.ts';
import { IS_DUE, OF_QUEUE } from './open-grants.ts';
import { queueColumns } from './pools.ts';
import { grantCode } from './stored-reason.ts';

/** Storing so many players as absent takes a few milliseconds, and votes wait meanwhile. */
const SEEN_AT_ONCE = 500;

/** Grants with `"when": "join"` whose player was not seen absent since they were made. */
export class Joining {
  private readonly statements;

  constructor(database: Database) {
    this.statements = prepareStatements(database);
  }

  wait(queue: QueueKey, page: PendingPage, now: number): void {
    this.statements.wait.run({ ...queueColumns(queue), ...page, now });
  }

  newest(queue: QueueKey): number | null {
    return (this.statements.newest.get(queueColumns(queue)) as number | undefined) ?? null;
  }

  /** @returns whether there may be more. */
  seeAbsent(queue: QueueKey, { upTo, present, asked }: AbsenceReading): boolean {
    const names = { present: JSON.stringify(present), asked: asked === null ? null : JSON.stringify(asked) };
    return this.statements.seeAbsent.run({ ...queueColumns(queue), ...names, upTo }).changes === SEEN_AT_ONCE;
  }
}

const IS_UNSEEN = "g.run_when = 'join' AND g.seen_absent IS NULL";
/** As in the index `grants_unjoined`. */
const AWAITS_JOIN = `${IS_UNSEEN} AND g.state = 'waiting' AND g.reason IS NOT ${grantCode('delayed')}`;

/** All names that the player of a grant has: they may be online under any of them. */
const NAMES = `
  SELECT key FROM recipients WHERE id = g.recipient_id AND given_up_at = 0
  UNION ALL SELECT key FROM recipients WHERE joined_to = g.recipient_id AND given_up_at = 0`;

const prepareStatements = (db: Database) => ({
  wait: db.prepare(`
    UPDATE grants SET state = 'waiting', reason = ${grantCode('awaits-join')}, facts = NULL, changed_at = @now
    WHERE id IN (
      SELECT g.id FROM (SELECT * FROM grants g WHERE ${OF_QUEUE} AND state = 'pending' AND id >= @from
                        ORDER BY id ${atMost('@limit')}) g
      WHERE ${IS_UNSEEN} AND ${IS_DUE})`),
  newest: db
    .prepare(`
    SELECT g.id FROM grants g INDEXED BY grants_unjoined WHERE ${OF_QUEUE} AND ${AWAITS_JOIN}
    ORDER BY g.id DESC LIMIT 1`)
    .pluck(),
  seeAbsent: db.prepare(`
    UPDATE grants SET seen_absent = 1 WHERE id IN (
      SELECT g.id FROM grants g INDEXED BY grants_unjoined
      WHERE ${OF_QUEUE} AND ${AWAITS_JOIN} AND g.id <= @upTo AND NOT EXISTS (
        SELECT 1 FROM (${NAMES}) n WHERE n.key IN (SELECT value FROM json_each(@present))
          OR (@asked IS NOT NULL AND n.key NOT IN (SELECT value FROM json_each(@asked))))
      LIMIT ${SEEN_AT_ONCE})`),
});
