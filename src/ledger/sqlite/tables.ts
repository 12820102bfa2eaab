import { Problem } from '../../core/problem.ts';
import type { Database } from '../../sqlite/open.ts';

/** Every table of the latest version. */
export const TABLES: readonly string[] = [
  ...[
    'announced',
    'balances',
    'claim_count',
    'clock',
    'clock_doubts',
    'clock_moves',
    'commands',
    'event_posts',
    'event_receivers',
    'event_wants',
    'events',
    'game_servers',
    'given_rewards',
  ],
  ...[
    'grant_actions',
    'granted',
    'granted_votes',
    'grants',
    'imported_debts',
    'imported_grants',
    'imported_runs',
    'imported_uuids',
    'imports',
    'joined_occasions',
    'joined_streaks',
    'listed_services',
  ],
  ...[
    'listed_votes',
    'mark_buckets',
    'moved_votes',
    'network_counts',
    'occasions',
    'parties',
    'party_members',
    'passed_occasions',
    'passed_totals',
    'pauses',
  ],
  ...['player_changes', 'players', 'pools', 'queues', 'reached_parties', 'reached_streaks', 'reason_forms'],
  ...['recipients', 'recoveries', 'redirected_grants', 'refusals', 'removed_up_to', 'restores'],
  ...['reward_names', 'rewarded_by_operator', 'rewards', 'seen_players', 'settled_tops', 'tallies'],
  ...['time_zone', 'top_places', 'top_starts', 'unlisted_services', 'voided_votes', 'vote_hours'],
  ...['voted_runs', 'votes'],
];

/**
 * Throws the Problem `ledger-failed` if a table is missing. Statements are compiled when they first run, so a ledger
 * without the table of commands would otherwise store votes until the first of them is rewarded.
 */
export function requireTables(database: Database): void {
  const present = database.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").pluck().all();
  const missing = TABLES.filter((table) => !present.includes(table));
  if (missing.length === 0) return;
  const sentence = `${database.name} lacks ${missing.map((table) => `the table ${table}`).join(', ')}, which a ledger of its version has; restore the last backup.`;
  throw new Problem('ledger-failed', sentence);
}
