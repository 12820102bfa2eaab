/**
 * Who has how many votes in a period, and who is on which place once it is over. The places of a period are stored once, with the grants
 * that they are worth; the row of place 0 says that the period is settled, so it is settled only once.
 */
import { DAY_MS, HOUR_MS } from '../core/duration.ts';
import { isForgotten } from '../core/forgotten-name.ts';
import { occasion } from '../core/occasion.ts';
import { isPeriodPaidHere } from '../core/pay.ts';
import { type Days, daysOf, periodName, periodOf } from '../core/period.ts';
import { playerKey } from '../core/player-name.ts';
import type { Vote } from '../core/vote.ts';
import { listOf, type Tx, valueFrom, valuesFrom } from '../db/db.ts';
import type { If } from '../rewards/conditions.ts';
import { chosen } from '../rewards/grants.ts';
import { filteredOut } from '../rewards/judge-if.ts';
import { type Draws, draw, misfitOf, type Rules, type Top } from '../rewards/reward.ts';
import { addStandings, type CountedPart, type Placed, type Standing } from '../rewards/together.ts';
import { idOf, lastId, recipientOf, VOTER, type Voter } from './facts.ts';
import { nextPart } from './history-counts.ts';
import { rewardNamed } from './known-rewards.ts';
import { metaText } from './meta.ts';
import { type InitialState, oweShare } from './owe.ts';
import { initialState } from './parties.ts';

/** A part of the votes of a period. */
export interface StandingsPage {
  readonly days: Days;
  /** Which votes count. */
  readonly filter: If;
  /** The IANA name of the time zone in which days begin. */
  readonly zone: string;
  /** Names of players who are left out. */
  readonly exclude: readonly string[];
  /** The last vote of the page before; null for the first page. */
  readonly after: number | null;
}

/** The places of a period that is over. */
export interface TopOrder {
  readonly top: Top;
  readonly period: number;
  /** When it ended. */
  readonly endedAt: number;
  readonly places: readonly Placed[];
  readonly rules: Rules;
  readonly draws: Draws;
}

/**
 * Counts the next votes of a period, in the order in which they were recorded. Those of players who were forgotten are left out: no
 * player stands for them.
 */
export async function standings(tx: Tx, page: StandingsPage): Promise<CountedPart> {
  const { days, filter } = page;
  // From the first vote that may belong to the period: none is cast long after it was received.
  const { after, upTo, isLast } = await nextPart(tx, page.after, ((days.from - 2) * DAY_MS) / HOUR_MS);
  const excluded = await playersNamed(tx, page.exclude);
  const sums = new Map<number, Standing>();
  const add = (standing: Standing): void => {
    if (!excluded.has(standing.recipientId) && !isForgotten(standing)) addStandings(sums, [standing]);
  };
  // Counts without votes have no site or time that a filter could ask for.
  if (page.after === null && Object.keys(filter).length === 0)
    for (const balance of await imported(tx, days)) add(balance);
  const votes = await tx.all<StoredVote>(
    `SELECT ${VOTER}, v.service, v.site, v.cast_at AS "castAt", v.day
     FROM votes v JOIN names n ON n.id = v.name_id
     WHERE v.id > $1 AND v.id <= $2 AND v.day BETWEEN $3 AND $4 AND v.weight = 2 ORDER BY v.id`,
    [after, upTo, days.from, days.to],
  );
  for (const vote of votes)
    if (passes(vote, page))
      add({ recipientId: vote.playerId, player: vote.player, votes: 1, reachedAt: vote.castAt });
  return { standings: [...sums.values()], upTo, isLast, changes: await changesOf(tx) };
}

interface StoredVote extends Voter, Pick<Vote, 'service' | 'site' | 'castAt'> {
  readonly day: number;
}

async function playersNamed(tx: Tx, names: readonly string[]): Promise<ReadonlySet<number>> {
  if (names.length === 0) return new Set();
  const sql = `SELECT player_id AS value FROM names WHERE kind = 'player' AND given_up_at = 0 AND key IN ${tx.each('$1', 'text')}`;
  return new Set(await valuesFrom<number>(tx, sql, [listOf(names.map(playerKey))]));
}

/** What other plugins had counted in a month, under the name as the latest vote spells it. */
async function imported(tx: Tx, days: Days): Promise<readonly Standing[]> {
  const month = periodOf('month', days.from);
  const { from, to } = daysOf('month', month);
  if (days.from !== from || days.to !== to) return [];
  return await tx.all<Standing>(
    `SELECT s.player_id AS "recipientId", s.votes, s.as_of AS "reachedAt", coalesce((
         SELECT v.player FROM votes v WHERE v.player_id = s.player_id ORDER BY v.cast_at DESC, v.id DESC LIMIT 1), f.key) AS player
     FROM (SELECT n.player_id, CAST(sum(b.month_counted) AS BIGINT) AS votes, max(b.as_of) AS as_of
           FROM balances b JOIN names n ON n.id = b.name_id
           WHERE b.month = $1 GROUP BY n.player_id HAVING sum(b.month_counted) > 0) s
     JOIN players p ON p.id = s.player_id JOIN names f ON f.id = p.name_id`,
    [month],
  );
}

/** Most tops count all votes. */
function passes(vote: StoredVote, { filter, zone }: StandingsPage): boolean {
  if (Object.keys(filter).length === 0) return true;
  const { service, site, castAt, day } = vote;
  const judged = { recipient: recipientOf(vote), service, site, castAt, day, zone, nextAt: castAt };
  return filteredOut(filter, { ...judged, standing: 'rewarded' }) === null;
}

/** Any action but those with grants can change which votes count, and for whom. */
const changesOf = async (tx: Tx): Promise<number> =>
  (await valueFrom<number>(
    tx,
    `SELECT max(id) AS value FROM actions WHERE grant_id IS NULL AND kind NOT IN ('give', 'reward')`,
  )) ?? 0;

/** A place as it was stored. */
interface SettledPlace extends Omit<Placed, 'recipientId'> {
  /** The recipient's key. */
  readonly recipient: string;
}

/** The places of a period, the best first; null if it is not settled. */
export async function settledPlaces(
  tx: Tx,
  { name, period: per }: Pick<Top, 'name' | 'period'>,
  period: number,
): Promise<readonly SettledPlace[] | null> {
  const rootId = (await rewardNamed(tx, name))?.rootId;
  if (rootId === undefined) return null;
  const [settled, ...places] = await tx.all<SettledPlace>(
    `SELECT t.place, n.key AS recipient, t.player, t.votes, t.reached_at AS "reachedAt"
     FROM tops t LEFT JOIN players p ON p.id = t.player_id LEFT JOIN names n ON n.id = p.name_id
     WHERE t.reward_id = $1 AND t.per = $2 AND t.period = $3 ORDER BY t.place, t.nth`,
    [rootId, per, period],
  );
  // The period before a top began was not settled at any time.
  return settled === undefined || settled.reachedAt === 0 ? null : places;
}

/** The first period of a top that is not settled, up to one of them; null if all are. */
export async function dueTop(
  tx: Tx,
  { name, period: per }: Pick<Top, 'name' | 'period'>,
  upTo: number,
): Promise<number | null> {
  const rootId = (await rewardNamed(tx, name))?.rootId;
  if (rootId === undefined) return null;
  const settled = 'SELECT max(period) AS value FROM tops WHERE reward_id = $1 AND per = $2';
  const last = await valueFrom<number>(tx, settled, [rootId, per]);
  return last === null || last >= upTo ? null : last + 1;
}

/** Stores the places of a period, once, and creates their grants. @returns how many; null: the votes have to be counted again. */
export async function settleTop(tx: Tx, order: TopOrder, now: number): Promise<number | null> {
  const { top, period, places } = order;
  const rootId = (await rewardNamed(tx, top.name))?.rootId;
  if (rootId === undefined) return 0;
  const winners: Winner[] = [];
  for (const each of places) {
    const winner = await winnerOf(tx, each);
    // Forgotten, or joined to another player, since the votes were counted.
    if (winner === null || isForgotten({ player: winner.key })) return null;
    winners.push(winner);
  }
  const last = await lastId(tx, 'votes');
  const isFirst = await tx.run(
    `INSERT INTO tops (reward_id, per, period, place, nth, votes, reached_at, last_vote) VALUES ($1, $2, $3, 0, 0, 0, $4, $5)
     ON CONFLICT DO NOTHING`,
    [rootId, top.period, period, now, last],
  );
  if (isFirst === 0) return 0;
  const initial = await initialOf(tx, order);
  let grants = 0;
  for (const [at, winner] of winners.entries()) {
    const { place, recipientId, player, votes, reachedAt } = winner;
    const nth = at - winners.findIndex((other) => other.place === place);
    const id = await idOf(
      tx,
      `INSERT INTO tops (reward_id, per, period, place, nth, player_id, player, votes, reached_at, last_vote)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
      [rootId, top.period, period, place, nth, recipientId, player, votes, reachedAt, last],
    );
    grants += await payPlace(tx, id, winner, order, initial, now);
  }
  return grants;
}

/** A place with the name that it is paid to. */
type Winner = Placed & Pick<Voter, 'nameId' | 'kind' | 'key'>;

/** The name that the place has; if its player does not have it any more, their first one. */
async function winnerOf(tx: Tx, place: Placed): Promise<Winner | null> {
  const named = await tx.get<Pick<Voter, 'nameId' | 'kind' | 'key'>>(
    `SELECT n.id AS "nameId", n.kind, n.key FROM players p JOIN names n ON n.player_id = p.id
     WHERE p.id = $1
     ORDER BY CASE WHEN n.kind = 'player' AND n.key = $2 AND n.given_up_at = 0 THEN 0 WHEN n.id = p.name_id THEN 1 ELSE 2 END, n.id
     LIMIT 1`,
    [place.recipientId, place.player === null ? '' : playerKey(place.player)],
  );
  return named && { ...place, ...named };
}

/** @returns how many grants the place is worth. */
async function payPlace(
  tx: Tx,
  id: number,
  winner: Winner,
  order: TopOrder,
  initial: InitialState,
  now: number,
): Promise<number> {
  const { top, period, draws } = order;
  const { place, recipientId: playerId, nameId } = winner;
  const name = `top ${periodName(top.period, period)} place ${place}`;
  const choice = chosen(top, place, () => draw(draws, 'oneOf', top.name, name));
  const recipient = recipientOf(winner);
  if (choice === undefined || misfitOf(top, recipient.kind) !== null) return 0;
  const player = recipient.kind === 'player' ? recipient.player : null;
  const cause = { cause: 'top', causeId: id, playerId, nameId, player } as const;
  const share = {
    ...{ reward: top, recipient, occasion: occasion(name, { threshold: place }), choice, initial },
    day: daysOf(top.period, period).to,
  };
  return await oweShare(tx, cause, share, order, now);
}

/** The lost ledger may have settled the period; or the period may not be over yet. */
async function initialOf(tx: Tx, { endedAt, rules }: TopOrder): Promise<InitialState> {
  const restored = await tx.get('SELECT 1 FROM restores WHERE restored_at >= $1 LIMIT 1', [endedAt]);
  const ofClock = (await metaText(tx, 'clock-doubt')) === null ? null : 'clock-doubt';
  return initialState(!isPeriodPaidHere(endedAt, rules.pay), restored === null ? ofClock : 'restore-doubt');
}
