import type { Pause, PauseScope } from '../../core/pause.ts';
import type { Database } from '../../platform/sqlite/open.ts';
import type { Paused, Resumed } from '../ledger.ts';

/** Which rewards are not paid on a game server. */
export type PausedRewards = 'all' | readonly string[];

const NONE: PausedRewards = [];

/** The operator's pauses. They are kept when they are over, because grants do not expire meanwhile. */
export class Pausing {
  private readonly statements;

  constructor(database: Database) {
    this.statements = prepareStatements(database);
  }

  all(): Pause[] {
    return this.statements.all.all() as Pause[];
  }

  pausedOn(server: string): PausedRewards {
    const rewards = this.statements.rewardsOn.all({ server }) as (string | null)[];
    if (rewards.length === 0) return NONE;
    return rewards.includes(null) ? 'all' : rewards.filter((reward) => reward !== null);
  }

  pause(scope: PauseScope, by: string, now: number): Paused {
    const { changes } = this.statements.pause.run({ ...scope, by, now });
    return { kind: changes === 1 ? 'paused' : 'already-paused', pause: this.of(scope) as Pause };
  }

  resume(scope: PauseScope, now: number): Resumed {
    const pause = this.of(scope);
    if (pause === undefined) return { kind: 'not-paused' };
    this.statements.resume.run({ ...scope, now });
    return { kind: 'resumed', pause };
  }

  private of(scope: PauseScope): Pause | undefined {
    return this.statements.of.get({ ...scope }) as Pause | undefined;
  }
}

const PAUSE = 'SELECT server, reward, paused_at AS at, paused_by AS by FROM pauses INDEXED BY pauses_open';
const IS_OPEN = 'resumed_at IS NULL';
const OF_SCOPE = "ifnull(server, '') = ifnull(@server, '') AND ifnull(reward, '') = ifnull(@reward, '')";

/**
 * Whether a command of this grant must not be claimed. Reading the rewards that are not paused is not enough: a pause
 * may begin between the read and the claim.
 *
 * @param server the game server that would run it, as an expression of SQL.
 */
export const isPaused = (grantId: string, server: string): string => `
  EXISTS (SELECT 1 FROM pauses p INDEXED BY pauses_open CROSS JOIN grants owed ON owed.id = ${grantId}
          WHERE p.resumed_at IS NULL
            AND ifnull(p.server, ${server}) = ${server} AND ifnull(p.reward, owed.reward) = owed.reward)`;

const prepareStatements = (db: Database) => ({
  all: db.prepare(`${PAUSE} WHERE ${IS_OPEN} ORDER BY id`),
  of: db.prepare(`${PAUSE} WHERE ${IS_OPEN} AND ${OF_SCOPE}`),
  rewardsOn: db
    .prepare(`
    SELECT reward FROM pauses INDEXED BY pauses_open WHERE ${IS_OPEN} AND ifnull(server, @server) = @server`)
    .pluck(),
  pause: db.prepare(`
    INSERT INTO pauses (server, reward, paused_at, paused_by) VALUES (@server, @reward, @now, @by)
    ON CONFLICT DO NOTHING`),
  // A clock that was set back meanwhile must not end a pause before it began.
  resume: db.prepare(`
    UPDATE pauses SET resumed_at = max(paused_at, @now) WHERE ${IS_OPEN} AND ${OF_SCOPE}`),
});
