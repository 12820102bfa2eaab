import type { Recipient } from '../../core/vote.ts';
import type { Database } from '../../sqlite/open.ts';
import type { OpenSites, PlayerTotal } from '../together-ledger.ts';
import { Recipients } from './recipients.ts';
import { Windows } from './windows.ts';

/** What is shown to players who are online. */
export class PlayersOnline {
  private readonly recipients: Recipients;

  constructor(private readonly database: Database) {
    this.recipients = new Recipients(database);
  }

  totals(keys: readonly string[], kind: Recipient['kind'] = 'player'): PlayerTotal[] {
    const counted = this.database.prepare('SELECT counted FROM recipients WHERE id = ?').pluck();
    return keys.flatMap((key) => {
      const recipientId = this.recipients.find({ kind, key });
      return recipientId === null ? [] : [{ key, recipientId, votes: counted.get(recipientId) as number }];
    });
  }

  /** A player who never voted may vote on all of them. */
  openSites(keys: readonly string[], services: readonly string[], now: number): OpenSites[] {
    const windows = new Windows(this.database);
    return keys.map((key) => {
      const recipientId = this.recipients.find({ kind: 'player', key });
      const isOpen = (service: string): boolean =>
        recipientId === null || (windows.lastEnd({ service, site: service, recipientId }) ?? 0) <= now;
      return { key, open: services.filter(isOpen).length };
    });
  }
}
