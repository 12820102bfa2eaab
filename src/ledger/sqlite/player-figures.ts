import type { Recipient } from '../../core/vote.ts';
import type { Database } from '../../platform/sqlite/open.ts';
import { countsOn, runUpTo } from '../../rewards/figures.ts';
import type { History } from '../../rewards/history.ts';
import type { PlayerFigures } from '../player-ledger.ts';
import { Recipients } from './recipients.ts';
import { VoteCounts } from './vote-counts.ts';

/** What a recipient has. */
export class PlayerFigureReading {
  private readonly recipients: Recipients;
  private readonly counts: VoteCounts;

  constructor(database: Database) {
    this.recipients = new Recipients(database);
    this.counts = new VoteCounts(database);
  }

  of(recipient: Pick<Recipient, 'kind' | 'key'>, today: number): PlayerFigures | null {
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
    };
  }
}
