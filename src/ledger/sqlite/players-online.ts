import type { Recipient } from '../../core/vote.ts';
import type { Database } from '../../platform/sqlite/open.ts';
import type { OpenSites, PlayerTotal } from '../together-ledger.ts';
import { Recipients } from './recipients.ts';
import { Windows } from './windows.ts';

/** What is shown to players: to those who are online, and on the public page. */
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

  openSites(keys: readonly string[], services: readonly string[], now: number): OpenSites[] {
    const windows = new Windows(this.database);
    return keys.map((key) => ({
      key,
      open: this.endsIn(windows, key, services, now).filter((end) => end === null).length,
    }));
  }

  windowEnds(key: string, services: readonly string[], now: number): (number | null)[] {
    return this.endsIn(new Windows(this.database), key, services, now);
  }

  /** A player who never voted may vote on all of them. */
  private endsIn(windows: Windows, key: string, services: readonly string[], now: number): (number | null)[] {
    const recipientId = this.recipients.find({ kind: 'player', key });
    return services.map((service) => {
      const end = recipientId === null ? null : windows.lastEnd({ service, site: service, recipientId });
      return end === null || end <= now ? null : end;
    });
  }
}
