import { systemZone } from '../../../runtime/zone.ts';
import type { Migration } from '../../../sqlite/migrate.ts';

/** The window of a rewarded vote that shares windows with a new one, and overlaps with the new one's. */
const overlapping = (shared: string): string => `
  NEW.window_start < (
    SELECT window_end FROM votes
    WHERE decision = 'rewarded' AND recipient_id = NEW.recipient_id AND ${shared} AND cast_at < NEW.window_end
    ORDER BY cast_at DESC LIMIT 1)
  OR NEW.window_end > (
    SELECT window_start FROM votes
    WHERE decision = 'rewarded' AND recipient_id = NEW.recipient_id AND ${shared} AND cast_at >= NEW.window_end
    ORDER BY cast_at LIMIT 1)`;

/** Windows belong to services, so that a service that gets an entry of its own keeps the windows taken before. */
export const version6: Migration = {
  version: 6,
  functions: { system_zone: systemZone },
  sql: `
    DROP TRIGGER votes_one_in_window;
    DROP INDEX votes_rewarded;
    -- Rule 3: windows that are shared do not overlap, and each contains the cast time of its vote. So only the votes next
    -- to a new window can reach into it, however long the history is.
    CREATE INDEX votes_rewarded ON votes (recipient_id, service, cast_at) WHERE decision = 'rewarded';
    CREATE INDEX votes_rewarded_unlisted ON votes (recipient_id, cast_at) WHERE decision = 'rewarded' AND site = 'default';

    -- Until now, a service that was listed later began without windows, so those may overlap with the ones taken before.
    UPDATE votes SET window_end = ifnull((
        SELECT n.cast_at FROM votes n
        WHERE n.decision = 'rewarded' AND n.recipient_id = votes.recipient_id AND n.service = votes.service
          AND n.cast_at >= votes.cast_at AND n.cast_at < votes.window_end AND n.id <> votes.id
          AND (n.cast_at > votes.cast_at OR n.id > votes.id)
        ORDER BY n.cast_at LIMIT 1), window_end)
      WHERE decision = 'rewarded' AND service IN (
        SELECT DISTINCT service FROM votes WHERE site = 'default' AND service <> 'default'
        INTERSECT SELECT DISTINCT service FROM votes WHERE site = service);

    -- In which days begin, so that a vote that gets another cast time is moved to the right day.
    CREATE TABLE time_zone (zone TEXT NOT NULL) STRICT;
    INSERT INTO time_zone VALUES (system_zone());

    CREATE TRIGGER votes_one_in_window BEFORE INSERT ON votes WHEN NEW.decision = 'rewarded'
    BEGIN
      SELECT RAISE(ABORT, 'this window is taken')
      WHERE ${overlapping('service = NEW.service')}
        OR (NEW.site = 'default' AND (${overlapping("site = 'default'")}));
    END;
  `,
};
