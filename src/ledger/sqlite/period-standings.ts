import { DAY_MS, HOUR_MS } from '../../core/duration.ts';
import { isForgotten } from '../../core/forgotten-name.ts';
import { playerKey } from '../../core/player-name.ts';
import type { Recipient } from '../../core/vote.ts';
import type { Database } from '../../platform/sqlite/open.ts';
import { filteredOut } from '../../rewards/conditions.ts';
import { type Standing, addStandings } from '../../rewards/standings.ts';
import type { PageOfStandings, StandingsPage } from '../together-ledger.ts';
import { COUNTED } from './counted.ts';
import { Recipients } from './recipients.ts';

/** So many votes are read at once, which takes a few milliseconds: pages and checks wait for the same reader meanwhile. */
const VOTES_AT_ONCE = 2_000;

interface StoredVote {
  readonly recipientId: number;
  readonly kind: Recipient['kind'];
  readonly key: string;
  readonly player: string | null;
  readonly service: string;
  readonly site: string;
  readonly castAt: number;
  readonly day: number;
}

/**
 * Counts the votes of a period, in the order in which they were recorded. Those of players who were forgotten are left out:
 * nobody stands for them.
 */
export class PeriodStandings {
  private readonly statements;
  private readonly recipients: Recipients;

  constructor(database: Database) {
    this.statements = prepareStatements(database);
    this.recipients = new Recipients(database);
  }

  page(page: StandingsPage): PageOfStandings {
    const last = this.statements.last.get() as number;
    const after = page.after ?? this.beforeFirst(page);
    const upTo = Math.min(after + VOTES_AT_ONCE, last);
    const excluded = this.excluded(page);
    const sums = new Map<number, Standing>();
    // Counts without votes have no site or time that a filter could ask for.
    const isUnfiltered = Object.keys(page.filter).length === 0;
    if (page.after === null && isUnfiltered)
      for (const balance of this.statements.balances.all(page.days) as Standing[])
        if (!excluded.has(balance.recipientId) && !isForgotten(balance)) addStandings(sums, [balance]);
    const votes = this.statements.votes.iterate({ after, upTo, ...page.days });
    for (const vote of votes as Iterable<StoredVote>) {
      if (!excluded.has(vote.recipientId) && !isForgotten(vote) && passes(vote, page))
        addStandings(sums, [standingOf(vote)]);
    }
    return {
      standings: [...sums.values()],
      upTo: Math.max(after, upTo),
      isLast: upTo >= last,
      changes: this.statements.changes.get() as number,
    };
  }

  /** The last vote before the first one that may belong to the period: none is cast long after it was received. */
  private beforeFirst({ days }: StandingsPage): number {
    const hour = Math.floor((days.from * DAY_MS - 2 * DAY_MS) / HOUR_MS);
    const first = this.statements.first.get(hour) as number | null;
    return first === null ? (this.statements.last.get() as number) : first - 1;
  }

  private excluded({ exclude }: StandingsPage): ReadonlySet<number> {
    return new Set(
      exclude.flatMap((name) => this.recipients.find({ kind: 'player', key: playerKey(name) }) ?? []),
    );
  }
}

/** Most tops count all votes. */
function passes(vote: StoredVote, { filter, zone }: StandingsPage): boolean {
  if (Object.keys(filter).length === 0) return true;
  const { kind, key, player, service, site, castAt, day } = vote;
  const recipient = (kind === 'player' ? { kind, key, player: player ?? key } : { kind, key }) as Recipient;
  const judged = {
    recipient,
    service,
    site,
    castAt,
    day,
    zone,
    nextAt: castAt,
    standing: 'rewarded',
  } as const;
  return filteredOut(filter, judged) === null;
}

const standingOf = ({ recipientId, player, castAt }: StoredVote): Standing => ({
  recipientId,
  player,
  votes: 1,
  reachedAt: castAt,
});

const votesOfPeriodSql = `
  SELECT v.recipient_id AS recipientId, r.kind, r.key, v.player, v.service, v.site, v.cast_at AS castAt,
         v.local_day AS day
  FROM votes v CROSS JOIN recipients r ON r.id = v.recipient_id
  WHERE v.id > @after AND v.id <= @upTo AND +v.local_day BETWEEN @from AND @to AND ${COUNTED}`;

const prepareStatements = (db: Database) => ({
  last: db.prepare('SELECT ifnull(max(id), 0) FROM votes').pluck(),
  first: db.prepare('SELECT min(first_vote) FROM vote_hours WHERE hour >= ?').pluck(),
  votes: db.prepare(votesOfPeriodSql),
  // The name as the latest vote spells it.
  balances: db.prepare(`
    SELECT h.id AS recipientId, sum(b.counted) AS votes, max(b.as_of) AS reachedAt,
           ifnull((SELECT player FROM votes INDEXED BY votes_by_day WHERE recipient_id = h.id
                   ORDER BY local_day DESC LIMIT 1), h.key) AS player
    FROM balances b JOIN recipients n ON n.id = b.name_id JOIN recipients h ON h.id = ifnull(n.joined_to, n.id)
    WHERE b.per <> '' AND b.from_day = @from AND b.to_day = @to GROUP BY h.id HAVING sum(b.counted) > 0`),
  changes: db
    .prepare(`
    SELECT (SELECT ifnull(max(id), 0) FROM voided_votes) + (SELECT ifnull(max(id), 0) FROM listed_votes)
      + (SELECT ifnull(max(id), 0) FROM player_changes) + (SELECT ifnull(sum(portions), 0) FROM imports)
      + (SELECT era FROM clock)`)
    .pluck(),
});
