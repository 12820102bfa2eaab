import type { DecisionKind } from '../../core/decide.ts';
import { DAY_MS } from '../../core/duration.ts';
import { DEFAULT_SITE, OTHER_SERVICES } from '../../core/service-name.ts';
import type { Vote } from '../../core/vote.ts';
import type { Database } from '../../platform/sqlite/open.ts';

/** How many unlisted names have their own statistics. Others are counted together, because anyone can invent names. */
const UNLISTED_KEPT = 1_000;

/**
 * Counts votes by service, day and decision, in the transaction of the vote. The number of unlisted names is bounded: a
 * new name replaces the one that has been silent longest, if it has been silent for a day or the new one is proven by a
 * token. Otherwise the new name is counted under `OTHER_SERVICES`, so a flood of forged names evicts no service that
 * votes daily.
 */
export class Tallying {
  private readonly statements;
  /** The latest day of a vote that this process has counted. */
  private latestDay = 0;

  constructor(database: Database) {
    this.statements = prepareStatements(database);
  }

  count(vote: Vote, decision: DecisionKind): void {
    const { site, receivedAt } = vote;
    const day = Math.floor(receivedAt / DAY_MS);
    if (day > this.latestDay) this.foldDaysBefore(day);
    const service = site === DEFAULT_SITE ? this.unlistedName(vote) : vote.service;
    this.statements.count.run(service, site, day, decision, receivedAt);
  }

  /** The name that the vote is counted under. */
  private unlistedName({ service, receivedAt, channel }: Vote): string {
    const isKept = this.statements.isKept.get(service) !== undefined;
    if (!isKept && !this.makeRoom(receivedAt, channel === 'listener-v2')) return OTHER_SERVICES;
    this.statements.touch.run(service, receivedAt);
    return service;
  }

  /** @returns whether one more name can have its own statistics. */
  private makeRoom(now: number, isProven: boolean): boolean {
    const kept = this.statements.kept.get() as number;
    if (kept < UNLISTED_KEPT) return true;
    const { service, lastAt } = this.statements.oldest.get() as { service: string; lastAt: number };
    if (!isProven && now - lastAt < DAY_MS) return false;
    this.statements.toOthers.run(OTHER_SERVICES, service);
    this.statements.forget.run(service);
    this.statements.forgetName.run(service);
    return true;
  }

  /**
   * Earlier days are only ever summed, so they are kept as one row for each service and decision. Summing three years of
   * thirty services takes 30 to 50 ms, which each `teller sites` would wait for.
   */
  private foldDaysBefore(day: number): void {
    this.statements.foldDays.run(day);
    this.statements.forgetDays.run(day);
    this.latestDay = day;
  }
}

const prepareStatements = (db: Database) => ({
  count: db.prepare(`
    INSERT INTO tallies (service, site, day, decision, votes, last_at) VALUES (?, ?, ?, ?, 1, ?)
    ON CONFLICT DO UPDATE SET votes = votes + 1, last_at = max(last_at, excluded.last_at)`),
  isKept: db.prepare('SELECT 1 FROM unlisted_services WHERE service = ?').pluck(),
  touch: db.prepare(`
    INSERT INTO unlisted_services (service, last_at) VALUES (?, ?)
    ON CONFLICT DO UPDATE SET last_at = max(last_at, excluded.last_at)`),
  kept: db.prepare('SELECT count(*) FROM unlisted_services').pluck(),
  oldest: db.prepare('SELECT service, last_at AS lastAt FROM unlisted_services ORDER BY last_at LIMIT 1'),
  toOthers: db.prepare(`
    INSERT INTO tallies (service, site, day, decision, votes, last_at)
    SELECT ?, site, day, decision, votes, last_at FROM tallies WHERE service = ? AND site = '${DEFAULT_SITE}'
    ON CONFLICT DO UPDATE SET votes = votes + excluded.votes, last_at = max(last_at, excluded.last_at)`),
  forget: db.prepare(`DELETE FROM tallies WHERE service = ? AND site = '${DEFAULT_SITE}'`),
  forgetName: db.prepare('DELETE FROM unlisted_services WHERE service = ?'),
  foldDays: db.prepare(`
    INSERT INTO tallies (service, site, day, decision, votes, last_at)
    SELECT service, site, 0, decision, sum(votes), max(last_at) FROM tallies
    WHERE day < ? GROUP BY service, site, decision HAVING max(day) > 0
    ON CONFLICT DO UPDATE SET votes = excluded.votes, last_at = excluded.last_at`),
  forgetDays: db.prepare('DELETE FROM tallies WHERE day > 0 AND day < ?'),
});
