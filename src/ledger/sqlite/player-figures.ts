import type { Days } from '../../core/period.ts';
import type { Recipient } from '../../core/vote.ts';
import { countsOn, runUpTo } from '../../rewards/figures.ts';
import type { History } from '../../rewards/history.ts';
import type { Database } from '../../sqlite/open.ts';
import type { PlayerFigures, VotedDay } from '../player-ledger.ts';
import { Balances } from './balances.ts';
import { MARKS } from './counted.ts';
import { Recipients } from './recipients.ts';
import { VoteCounts } from './vote-counts.ts';
import type { RecipientRow } from './voted-runs.ts';

/** Anyone can send many votes for one player on one day: so many are looked at. */
const VOTES_OF_DAY = 1_000;

/** What a recipient has, and the days on which they voted. */
export class PlayerFigureReading {
  private readonly statements;
  private readonly recipients: Recipients;
  private readonly counts: VoteCounts;
  private readonly balances: Balances;

  constructor(database: Database) {
    this.statements = prepareStatements(database);
    this.recipients = new Recipients(database);
    this.counts = new VoteCounts(database);
    this.balances = new Balances(database);
  }

  of(recipient: Pick<Recipient, 'kind' | 'key'>, today: number, days: Days): PlayerFigures | null {
    const id = this.recipients.find(recipient);
    if (id === null) return null;
    const row = this.counts.row(id);
    const history: Pick<History, 'count' | 'votedRuns'> = {
      count: (scope) => this.counts.count(row, scope),
      votedRuns: (around) => this.counts.votedRuns(row, around),
    };
    return {
      counts: countsOn(history, today),
      streak: runUpTo(history, today),
      bestStreak: this.counts.longestRun(id),
      days: this.days(row, days),
    };
  }

  private days(row: RecipientRow, { from, to }: Days): VotedDay[] {
    const imported = this.balances.days(row.recipientId).filter((day) => day >= from && day <= to);
    const days = new Map(imported.map((day) => [day, { day, votes: 0, services: 0, isImported: true }]));
    for (const day of this.votedDays(row, { from, to })) {
      const voted = this.statements.votesOn.get(row.recipientId, day) as Pick<VotedDay, 'votes' | 'services'>;
      if (voted.votes > 0) days.set(day, { day, ...voted, isImported: days.has(day) });
    }
    return [...days.values()].sort((one, other) => one.day - other.day);
  }

  /** Goes from one day to the next, so that many votes on one of them do not make it slower. */
  private *votedDays({ recipientId }: RecipientRow, { from, to }: Days): IterableIterator<number> {
    for (let next = from; ; next++) {
      const day = this.statements.nextDay.get(recipientId, next, to) as number | undefined;
      if (day === undefined) return;
      yield day;
      next = day;
    }
  }
}

const prepareStatements = (db: Database) => ({
  nextDay: db
    .prepare(`
    SELECT local_day FROM votes INDEXED BY votes_by_day
    WHERE recipient_id = ? AND local_day BETWEEN ? AND ? ORDER BY local_day LIMIT 1`)
    .pluck(),
  votesOn: db.prepare(`
    SELECT count(*) AS votes, count(DISTINCT service) AS services FROM (
      SELECT service FROM votes INDEXED BY votes_by_day
      WHERE recipient_id = ? AND local_day = ? AND ${MARKS} LIMIT ${VOTES_OF_DAY})`),
});
