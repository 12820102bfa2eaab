import type { Recipient } from '../../core/vote.ts';
import type { Database } from '../../platform/sqlite/open.ts';
import { countsOn, needsOfFigures, runUpTo } from '../../rewards/grants.ts';
import { History, needsFrom } from '../../rewards/history.ts';
import type { PlayerFigures } from '../player-ledger.ts';
import { Recipients } from './recipients.ts';
import { KnownRewards } from './known-rewards.ts';
import { Histories } from './sqlite-history.ts';

/** What a recipient has. */
export class PlayerFigureReading {
  private readonly recipients: Recipients;
  private readonly histories: Histories;

  constructor(database: Database) {
    this.recipients = new Recipients(database);
    this.histories = new Histories(database, new KnownRewards(database));
  }

  of(recipient: Pick<Recipient, 'kind' | 'key'>, today: number): PlayerFigures | null {
    const id = this.recipients.find(recipient);
    if (id === null) return null;
    const needs = needsFrom(needsOfFigures(today));
    const history = new History(needs, this.histories.of(id, today).known(needs, 0), null);
    return {
      counts: countsOn(history, today),
      streak: runUpTo(history, today),
      bestStreak: this.histories.counts.longestRun(id),
    };
  }
}
