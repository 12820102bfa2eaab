import { isLockHeld, lockFileOf } from '../../platform/sqlite/lock.ts';
import type { Database } from '../../platform/sqlite/open.ts';

/** The time zone of the local days that are stored with votes. */
export class TimeZone {
  private readonly statements;

  constructor(private readonly database: Database) {
    this.statements = {
      stored: database.prepare('SELECT zone FROM time_zone').pluck(),
      store: database.prepare('UPDATE time_zone SET zone = ?'),
    };
  }

  /** An IANA name. */
  stored(): string {
    return this.statements.stored.get() as string;
  }

  /** @returns the zone in force: the given one, or that of another process that delivers. */
  use(zone: string): string {
    const { name, memory } = this.database;
    // Without a file, no other process can deliver.
    const isDelivered = (): boolean => !memory && isLockHeld(lockFileOf(name));
    if (zone !== this.stored() && !isDelivered()) this.statements.store.run(zone);
    return this.stored();
  }
}
