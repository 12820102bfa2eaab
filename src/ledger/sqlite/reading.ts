import type { DecisionKind } from '../../core/decide.ts';
import { DAY_MS, HOUR_MS } from '../../core/duration.ts';
import type { GrantState } from '../../core/settlement.ts';
import { atMost } from '../../platform/sqlite/at-most.ts';
import type { Database } from '../../platform/sqlite/open.ts';
import type {
  GrantCounts,
  GrantFilter,
  GrantRow,
  PartyProgress,
  RefusalCount,
  SharedWindow,
  TallyRow,
  VoteFilter,
  VotePage,
  VoteRow,
} from '../ledger.ts';
import { whereOf } from './conditions.ts';
import { GrantRows } from './grant-rows.ts';
import { refusedService } from './refused-service.ts';
import { grantsWhere, OF_SERVER } from './searches.ts';
import { type StoredVote, voteRows } from './vote-rows.ts';
import { VoteSearch } from './vote-search.ts';

/** How many votes of a service are read to see whether its votes are signed. */
const VOTES_READ = 1_000;

/** The statements that only read. */
export class Reading {
  private readonly db: Database;
  private readonly search: VoteSearch;
  private readonly grantRows: GrantRows;

  constructor(database: Database) {
    this.db = database;
    this.search = new VoteSearch(database);
    this.grantRows = new GrantRows(database);
  }

  votes(filter: VoteFilter): VoteRow[] {
    return this.votesWith(this.search.find(filter, Number.POSITIVE_INFINITY).ids);
  }

  votePage(filter: VoteFilter, lookAt: number): VotePage {
    const { ids, ...found } = this.search.find(filter, lookAt);
    return { votes: this.votesWith(ids), ...found };
  }

  private votesWith(ids: readonly number[]): VoteRow[] {
    const rows = this.db
      .prepare(
        `SELECT v.id, v.service, v.site, v.recipient_id AS recipientId, r.key AS recipient, v.player, v.sent_as AS sentAs, v.cast_at AS castAt,
                v.claimed_at AS claimedAt, v.received_at AS receivedAt, v.channel, v.address, v.decision,
                v.window_start AS windowStart, v.window_end AS windowEnd, v.taken_by AS takenBy, v.reasons, v.wire,
                v.repeats, v.repeated_at AS repeatedAt, o.rewarded_at AS operatorRewardedAt,
                o.reasons AS operatorReasons, d.voided_at AS voidedAt, d.voided_by AS voidedBy, d.reason AS voidReason,
                l.decided_at AS listedAt, l.taken_by AS listedTakenBy, l.reasons AS listedReasons,
                v.paid_elsewhere AS paidElsewhere
         FROM votes v JOIN recipients r ON r.id = v.recipient_id LEFT JOIN rewarded_by_operator o ON o.vote_id = v.id
         LEFT JOIN voided_votes d ON d.vote_id = v.id LEFT JOIN listed_votes l ON l.vote_id = v.id
         WHERE v.id IN (SELECT value FROM json_each(?)) ORDER BY v.id DESC`,
      )
      .all(JSON.stringify(ids)) as StoredVote[];
    return voteRows(this.db, rows);
  }

  grants(filter: GrantFilter): GrantRow[] {
    return this.wasGranted(filter) ? this.grantRows.read(grantsWhere(filter), filter.limit) : [];
  }

  /** Delivered grants have no index by reward or server, so a search for a name without grants would read them all. */
  private wasGranted({ reward, server }: GrantFilter): boolean {
    if (reward === undefined && server === undefined) return true;
    const { sql, values } = whereOf([
      ['reward = ?', reward],
      [`server IN (${OF_SERVER})`, server === undefined ? undefined : [server, server]],
    ]);
    return this.db.prepare(`SELECT 1 FROM granted ${sql} LIMIT 1`).all(...values).length > 0;
  }

  tallies(startOfDay: number): TallyRow[] {
    const rows = this.db
      .prepare(
        `SELECT service, site, decision, sum(votes) AS votes, max(last_at) AS lastAt,
                sum(CASE WHEN day >= ? THEN votes ELSE 0 END) AS today
         FROM tallies GROUP BY service, site, decision`,
      )
      .all(startOfDay / DAY_MS) as {
      service: string;
      site: string;
      decision: DecisionKind;
      votes: number;
      lastAt: number;
      today: number;
    }[];
    const bySite = new Map<string, TallyRow>();
    for (const { service, site, decision, votes, lastAt, today } of rows) {
      const key = JSON.stringify([service, site]);
      const sum = bySite.get(key) ?? { service, site, lastAt: 0, today: 0, decisions: {} };
      bySite.set(key, {
        ...sum,
        lastAt: Math.max(sum.lastAt, lastAt),
        today: sum.today + today,
        decisions: { ...sum.decisions, [decision]: votes },
      });
    }
    return [...bySite.values()].sort((a, b) => b.lastAt - a.lastAt);
  }

  signedServices(services: readonly string[]): ReadonlySet<string> {
    // Reads only the latest votes of each service, by index, so the time does not depend on how many votes it has.
    const isSigned = this.db
      .prepare(
        `SELECT 1 FROM (SELECT channel FROM votes WHERE service = ? ORDER BY id DESC LIMIT ${VOTES_READ})
         WHERE channel = 'listener-v2' LIMIT 1`,
      )
      .pluck();
    return new Set(services.filter((service) => isSigned.get(service) !== undefined));
  }

  refusals(since: number): RefusalCount[] {
    const rows = this.db
      .prepare(
        `SELECT code, service, sender, sum(count) AS count, max(last_at) AS lastAt FROM refusals
         WHERE hour >= ? GROUP BY code, service, sender ORDER BY lastAt DESC`,
      )
      .all(Math.floor(since / HOUR_MS)) as (RefusalCount & { readonly service: string })[];
    return rows.map((row) => ({ ...row, service: refusedService(row.service) }));
  }

  /** Only the entry `default` has several services. */
  sharedWindows(site: string, since: number, limit: number): SharedWindow[] {
    return this.db
      .prepare(
        `SELECT v.service, count(*) AS votes, max(v.id) AS lastVote, sum(v.decision = 'unlisted') AS waiting
         FROM votes v JOIN votes t ON t.id = v.taken_by
         WHERE v.id >= (SELECT coalesce(min(first_vote), 9e18) FROM vote_hours WHERE hour >= ?)
           AND v.decision IN ('cooldown', 'unlisted') AND v.site = ? AND v.received_at >= ? AND t.service <> v.service
         GROUP BY v.service ORDER BY votes DESC, v.service ${atMost('?')}`,
      )
      .all(Math.floor(since / HOUR_MS), site, since, limit) as SharedWindow[];
  }

  grantsOfVotes(ids: readonly number[]): ReadonlyMap<number, GrantCounts> {
    const rows = this.db
      .prepare(
        `SELECT cause_id AS voteId, json_group_object(state, grants) AS counts FROM (
           SELECT cause_id, state, count(*) AS grants FROM grants
           WHERE cause = 'vote' AND cause_id IN (SELECT value FROM json_each(?)) GROUP BY cause_id, state)
         GROUP BY cause_id`,
      )
      .all(JSON.stringify(ids)) as { readonly voteId: number; readonly counts: string }[];
    return new Map(rows.map(({ voteId, counts }) => [voteId, JSON.parse(counts) as GrantCounts]));
  }

  grantStates(): GrantCounts {
    const rows = this.db
      .prepare(
        `SELECT state, count(*) AS grants FROM grants WHERE state <> 'delivered' GROUP BY state
         UNION ALL
         -- No grant is ever deleted, so the others are delivered. To count them would take a second per ten million.
         SELECT 'delivered', ifnull(max(id), 0) - (SELECT count(*) FROM grants WHERE state <> 'delivered') FROM grants`,
      )
      .all() as { state: GrantState; grants: number }[];
    return Object.fromEntries(
      rows.filter(({ grants }) => grants > 0).map(({ state, grants }) => [state, grants]),
    );
  }

  partyProgress(): PartyProgress[] {
    return this.db
      .prepare(
        `SELECT r.name AS party, p.number, p.counted, p.per, p.period
         FROM parties p JOIN rewards r ON r.id = p.reward_id ORDER BY r.id`,
      )
      .all() as PartyProgress[];
  }
}
