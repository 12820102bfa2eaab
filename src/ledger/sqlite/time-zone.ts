import { isLockHeld, lockFileOf } from '../../sqlite/lock.ts';
import type { Database } from '../../sqlite/open.ts';

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
    if (zone !== this.stored() && !isLockHeld(lockFileOf(this.database.name)))
      this.statements.store.run(zone);
    return this.stored();
  }
}
