import { HOUR_MS } from '../core/duration.ts';
import { playerKey } from '../core/player-name.ts';

// Subqueries for conditions. Each has one parameter.

/**
 * Matches a player in any case, or exactly this user ID. Naming both kinds lets SQLite use the index on (kind, key).
 */
export const RECIPIENT = `
  SELECT r.id FROM json_each(?) k CROSS JOIN recipients r ON r.kind = k.value ->> 0 AND r.key = k.value ->> 1`;

/** The grants of a recipient's votes, and those of other votes that the operator has redirected to them. */
export const GRANTS_OF = `
  WITH named AS (${RECIPIENT})
  SELECT o.id FROM named CROSS JOIN votes w ON w.recipient_id = named.id CROSS JOIN grants o ON o.cause = 'vote' AND o.cause_id = w.id
  UNION ALL SELECT grant_id FROM named CROSS JOIN redirected_grants r ON r.recipient_id = named.id`;

export const kindsOf = (name: string | undefined): string | undefined =>
  name === undefined
    ? undefined
    : JSON.stringify([
        ['player', playerKey(name)],
        ['user', name],
      ]);

/** The lowest ID of the votes since a given hour. */
export const FIRST_VOTE_SINCE = 'SELECT min(first_vote) FROM vote_hours WHERE hour >= ?';
/**
 * Grants are created with their vote, so both IDs grow together, except for the few that the operator creates later.
 */
export const FIRST_GRANT_SINCE = `
  WITH since (hour) AS (SELECT ?),
    early (vote_id) AS (SELECT min(cause_id) FROM grants
      WHERE cause = 'vote' AND cause_id >= (SELECT min(first_vote) FROM vote_hours WHERE hour >= (SELECT hour FROM since))
      UNION SELECT vote_id FROM rewarded_by_operator WHERE rewarded_at / ${HOUR_MS} >= (SELECT hour FROM since))
  SELECT min(id) FROM grants WHERE cause = 'vote' AND cause_id IN early`;
