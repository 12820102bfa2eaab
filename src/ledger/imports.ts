/**
 * What happened before Teller: votes with their times, and what another plugin had counted for players. Importing pays nothing by
 * itself. What an imported vote reaches is stored as taken (`how = 'imported'`); of the rest, the day of the import in
 * `players.changed_on` says that it was reached by then. An import can be repeated: nothing is added twice.
 */
import { decideWindow, type JudgedArrival, NOTHING_EARNED, type SpentOccasion } from '../core/decide.ts';
import { localDay } from '../core/local-time.ts';
import { type Days, daysOf, periodOf } from '../core/period.ts';
import { type PlayerName, playerKey } from '../core/player-name.ts';
import { insertRows, listOf, type Tx } from '../db/db.ts';
import { judgedVote, planNothing } from '../rewards/decide.ts';
import { ALL_WON, type Arrival, type Rules } from '../rewards/reward.ts';
import { earnedBy } from './earn.ts';
import { addPlayer, lastId, NOBODY, type Player, playerNamed } from './facts.ts';
import { addServiceDays, addToPlayer, addToTotal, noteHour, recountPlayer } from './history-counts.ts';
import { rewardsNamed, useRewards } from './known-rewards.ts';
import { findSame, insertVote, OCCASIONS, weightOf } from './record.ts';
import { cutWindows, windowsAround } from './windows.ts';

/** One import. All of its portions have the same. */
export interface ImportOrder {
  /** What it reads and who ordered it, such as `votes by ann`. */
  readonly by: string;
  /** Those in force: what they would have granted counts as reached elsewhere. */
  readonly rules: Rules;
  /** When it began. */
  readonly now: number;
}

/** What became of imported votes. */
export interface VotesImported {
  /** Votes that are in totals now. */
  readonly counted: number;
  /** Votes that are stored and in no total, such as those within the window of another one. */
  readonly uncounted: number;
  /** Votes that the ledger had already (rule 2). */
  readonly same: number;
  /** Votes that were cast after the first one that was received here for their service: from then on, the ledger has them. */
  readonly receivedHere: number;
  /** Occasions that were recorded as reached elsewhere. */
  readonly passed: number;
}

/** What another plugin counted for a player, as far as the ledger keeps it; null: it does not say. */
export interface BalanceEntry {
  readonly player: PlayerName;
  /** A hint only. */
  readonly uuid: string | null;
  /** Votes in all, and of the month that the plugin was in at `asOf`. From 0. */
  readonly total: number | null;
  readonly month: number | null;
  /** The days in a row that were in progress, from the first to the last. */
  readonly run: Days | null;
  /** How many days the longest run has. */
  readonly best: number | null;
}

export interface BalanceOrder extends ImportOrder {
  /** Such as `votingplugin`. */
  readonly source: string;
  /** When the plugin last counted, in ms since the Unix epoch. */
  readonly asOf: number;
}

export type BalanceWhat = 'total' | 'month' | 'run' | 'best-run';

/** An earlier import of the same source stored another value, which stays. */
export interface BalanceDifference {
  readonly player: string;
  readonly what: BalanceWhat;
  readonly was: number;
  readonly is: number;
}

/** What a portion of an import has changed. */
interface Changed {
  readonly players: Set<number>;
  /** The names among whose changes the import is shown. */
  readonly names: Set<number>;
}

/**
 * Records votes of the time before Teller. They take their windows and enter totals and days. Nothing is granted or forwarded for them,
 * and no party counts them.
 */
export async function importVotes(
  tx: Tx,
  votes: readonly JudgedArrival[],
  order: ImportOrder,
): Promise<VotesImported> {
  await useRewards(tx, order.rules.rewards, localDay(order.now, order.rules.zone));
  const changed: Changed = { players: new Set(), names: new Set() };
  const firsts = new Map<string, number>();
  const sum = { counted: 0, uncounted: 0, same: 0, receivedHere: 0, passed: 0 };
  for (const vote of votes) {
    const { service } = vote.vote;
    const first = firsts.get(service) ?? (await firstReceived(tx, service));
    firsts.set(service, first);
    const arrival = { ...vote, rules: order.rules, draws: ALL_WON };
    const { kind, passed } = await importVote(tx, arrival, first, order.now, changed);
    sum[kind] += 1;
    sum.passed += passed;
  }
  await noteChanged(tx, changed, order);
  return sum;
}

/**
 * When the first vote for a service was cast that was received here; Infinity without one. Votes of the time before Teller can also be
 * added by the operator, or be found in a listing's API.
 */
async function firstReceived(tx: Tx, service: string): Promise<number> {
  // Up to which vote there is none. Looking through all imported votes again for each portion took minutes with 400,000 of them.
  const noneUpTo = await tx.memo('import: none received', () => Promise.resolve(new Map<string, number>()));
  const first = await tx.get<{ id: number; castAt: number }>(
    `SELECT id, cast_at AS "castAt" FROM votes
     WHERE service = $1 AND id > $2 AND channel NOT IN ('import', 'operator') AND decision NOT IN ('before-start', 'practice')
     ORDER BY id LIMIT 1`,
    [service, noneUpTo.get(service) ?? 0],
  );
  noneUpTo.set(service, first === null ? await lastId(tx, 'votes') : first.id - 1);
  return first?.castAt ?? Number.POSITIVE_INFINITY;
}

async function importVote(
  tx: Tx,
  arrival: Arrival,
  first: number,
  now: number,
  changed: Changed,
): Promise<{ readonly kind: Exclude<keyof VotesImported, 'passed'>; readonly passed: number }> {
  const { vote, cooldown, rules } = arrival;
  const known = await playerNamed(tx, vote.recipient);
  if ((await findSame(tx, arrival, known ?? NOBODY)) !== null) return { kind: 'same', passed: 0 };
  if (vote.castAt >= first) return { kind: 'receivedHere', passed: 0 };
  let player = known ?? (await addPlayer(tx, vote.recipient));
  const { near, rewarded } = await windowsAround(tx, vote, player.playerId, cooldown);
  const window = decideWindow(arrival, rewarded);
  const weight = weightOf(window, arrival);
  const day = localDay(vote.castAt, rules.zone);
  // Before it is judged, so that it does not seem to make a total one larger than it is.
  if (weight === 2 && (await turnsUp(tx, player, vote.castAt, day)))
    player = (await playerNamed(tx, vote.recipient)) ?? player;
  const judged = judgedVote(arrival, window);
  const basis = { ...arrival, today: localDay(now, rules.zone) };
  // As if it had arrived: what it would have been granted is what it reaches.
  const earned = judged === null ? null : await earnedBy(tx, player, judged, basis, true, planNothing);
  if (window.kind === 'rewarded') await cutWindows(tx, near, vote.castAt, cooldown);
  // Its reasons would say that rewards were granted, so it has none.
  const id = await insertVote(tx, arrival, player, window, NOTHING_EARNED.reasons, true);
  await noteHour(tx, vote.receivedAt, id);
  if (weight === 0) return { kind: 'uncounted', passed: 0 };
  await addToPlayer(tx, player, vote.service, day, weight);
  // In the totals of the network alone: `teller sites` shows what was received.
  const { service, site } = vote;
  if (weight === 2)
    await addServiceDays(tx, [
      [service, site, 0, window.kind, 0, 1, 0],
      ['', '', 0, '', 0, 1, 0],
    ]);
  changed.players.add(player.playerId);
  const spent = earned?.spent ?? [];
  await storePassed(tx, spent, player, { id, castAt: vote.castAt, day });
  // What the whole network reaches is taken from nobody.
  if (spent.some(({ occasion }) => !occasion.isNetworks)) changed.names.add(player.nameId);
  return { kind: weight === 2 ? 'counted' : 'uncounted', passed: spent.length };
}

/**
 * A vote turns up that a plugin had counted: it is one less without a time. Of several plugins, the one that was read first after the
 * vote had counted it. @returns whether there was one.
 */
async function turnsUp(tx: Tx, { playerId }: Player, castAt: number, day: number): Promise<boolean> {
  const oneLess = (column: string, month: number): Promise<number> =>
    tx.run(
      `UPDATE balances SET ${column} = ${column} - 1 WHERE (name_id, source) = (
         SELECT b.name_id, b.source FROM balances b JOIN names n ON n.id = b.name_id
         WHERE n.player_id = $1 AND b.as_of >= $2 AND b.${column} > 0 AND (b.month = $3 OR $3 = 0)
         ORDER BY b.as_of, b.name_id, b.source LIMIT 1)`,
      [playerId, castAt, month],
    );
  const fromTotal = await oneLess('counted', 0);
  const fromMonth = await oneLess('month_counted', periodOf('month', day));
  if (fromTotal > 0) await addToTotal(tx, playerId, -1);
  return fromTotal + fromMonth > 0;
}

/** What a vote reached before Teller ran is taken, and takes no place of a limit. The operator can give it. */
async function storePassed(
  tx: Tx,
  spent: readonly SpentOccasion[],
  { playerId, nameId }: Player,
  { id, castAt, day }: { readonly id: number; readonly castAt: number; readonly day: number },
): Promise<void> {
  const rewards = await rewardsNamed(tx);
  await insertRows(
    tx,
    OCCASIONS,
    spent.flatMap(({ reward, occasion }) => {
      const rootId = rewards.get(reward)?.rootId;
      const name = occasion.isNetworks ? 0 : nameId;
      return rootId === undefined
        ? []
        : [[rootId, playerId, name, occasion.name, 'imported', id, castAt, day, 0]];
    }),
  );
}

/** From now on, what these players have reached pays nothing by itself. All portions of an import are one change of a player. */
async function noteChanged(tx: Tx, { players, names }: Changed, { by, now, rules }: ImportOrder) {
  const today = `UPDATE players SET changed_on = $1 WHERE id IN ${tx.each('$2', 'number')}`;
  await tx.run(today, [localDay(now, rules.zone), listOf([...players])]);
  await tx.run(
    `INSERT INTO actions (kind, at, by, player_id, name_id)
     SELECT 'imported', CAST($1 AS BIGINT), CAST($2 AS TEXT), n.player_id, n.id FROM names n
     WHERE n.id IN ${tx.each('$3', 'number')} AND NOT EXISTS (
       SELECT 1 FROM actions a WHERE a.player_id = n.player_id AND a.name_id = n.id AND a.kind = 'imported' AND a.at = $1 AND a.by = $2)
     ORDER BY n.id`,
    [now, by, listOf([...names])],
  );
}

type Stated = { [What in BalanceWhat]: (What extends 'run' ? Days : number) | null };

const NOTHING: Readonly<Stated> = { total: null, month: null, run: null, 'best-run': null };

const amountOf = (part: number | Days | null): number =>
  part === null ? 0 : typeof part === 'number' ? part : part.to - part.from + 1;

const isNothing = (stated: Stated): boolean => Object.values(stated).every((part) => amountOf(part) === 0);

/**
 * Adds what another plugin counted to the totals of players: as many votes as the plugin states, without those that the ledger has
 * counted until then. It marks the days of runs.
 *
 * @returns for how many players something was stored, and for how many everything was stored already.
 */
export async function importBalances(tx: Tx, entries: readonly BalanceEntry[], order: BalanceOrder) {
  const changed: Changed = { players: new Set(), names: new Set() };
  const differences: BalanceDifference[] = [];
  let [stored, same] = [0, 0];
  for (const entry of entries) {
    const before = differences.length;
    if (await importBalance(tx, entry, order, changed, differences)) stored += 1;
    else if (differences.length === before) same += 1;
  }
  for (const playerId of changed.players) await recountPlayer(tx, playerId);
  await noteChanged(tx, changed, order);
  return { stored, same, differences };
}

/** @returns whether something was stored. */
async function importBalance(
  tx: Tx,
  { player: name, uuid, total, month: inMonth, run, best }: BalanceEntry,
  order: BalanceOrder,
  changed: Changed,
  differences: BalanceDifference[],
): Promise<boolean> {
  const { zone } = order.rules;
  const month = periodOf('month', localDay(order.asOf, zone));
  // The count of a month that is over is left out.
  const isInProgress = month === periodOf('month', localDay(order.now, zone));
  const stated: Stated = { total, month: isInProgress ? inMonth : null, run, 'best-run': best };
  if (isNothing(stated)) return false;
  const recipient = { kind: 'player', key: playerKey(name) } as const;
  const player = (await playerNamed(tx, recipient)) ?? (await addPlayer(tx, recipient));
  const known = await balanceOf(tx, player, month, order);
  const fresh: Stated = { ...NOTHING };
  // Another value is kept: so the first of two entries of one import for one name holds.
  for (const what of Object.keys(NOTHING) as BalanceWhat[]) {
    const [was, is] = [known[what], stated[what]];
    if (is === null) continue;
    if (was === null) Object.assign(fresh, amountOf(is) === 0 ? {} : { [what]: is });
    else if (JSON.stringify(was) !== JSON.stringify(is))
      differences.push({ player: name, what, was: amountOf(was), is: amountOf(is) });
  }
  await storeBalance(tx, player, fresh, uuid, month, order);
  if (isNothing(fresh)) return false;
  changed.players.add(player.playerId);
  changed.names.add(player.nameId);
  return true;
}

/** What was imported from the same source for the same name. The count of an earlier month is replaced. */
async function balanceOf(tx: Tx, { nameId }: Player, month: number, { source }: BalanceOrder) {
  const row = await tx.get<Omit<Stated, 'run'> & { from: number | null; to: number | null }>(
    `SELECT stated AS total, CASE WHEN month = $1 THEN month_stated END AS month, run_from AS "from", run_to AS "to", best AS "best-run"
     FROM balances WHERE name_id = $2 AND source = $3`,
    [month, nameId, source],
  );
  if (row === null) return NOTHING;
  const { from, to, ...rest } = row;
  return { ...rest, run: from === null || to === null ? null : { from, to } };
}

/** @param fresh null where something is stored, which stays. */
async function storeBalance(
  tx: Tx,
  { playerId, nameId }: Player,
  fresh: Stated,
  uuid: string | null,
  month: number,
  { source, asOf }: BalanceOrder,
): Promise<void> {
  const stated = { asOf, month, stated: fresh.total, monthStated: fresh.month };
  const { counted, monthCounted } = await added(tx, playerId, stated);
  await insertRows(
    tx,
    `balances (name_id, source, as_of, stated, counted, month, month_stated, month_counted, run_from, run_to, best, uuid)`,
    [
      [
        ...[nameId, source, asOf, fresh.total, counted, month, fresh.month, monthCounted],
        ...[fresh.run?.from ?? null, fresh.run?.to ?? null, fresh['best-run'], uuid],
      ],
    ],
    // The time is that of the total: it says which votes that turn up later are in it.
    `ON CONFLICT (name_id, source) DO UPDATE SET
       as_of = CASE WHEN excluded.stated IS NULL THEN balances.as_of ELSE excluded.as_of END,
       stated = coalesce(excluded.stated, balances.stated), counted = balances.counted + excluded.counted,
       month = CASE WHEN excluded.month_stated IS NULL THEN balances.month ELSE excluded.month END,
       month_counted = CASE WHEN excluded.month_stated IS NULL THEN balances.month_counted ELSE excluded.month_counted END,
       month_stated = coalesce(excluded.month_stated, balances.month_stated),
       run_from = coalesce(excluded.run_from, balances.run_from), run_to = coalesce(excluded.run_to, balances.run_to),
       best = coalesce(excluded.best, balances.best), uuid = coalesce(excluded.uuid, balances.uuid)`,
  );
}

/** What another plugin states of a player. */
export interface StatedCounts {
  readonly asOf: number;
  readonly stated: number | null;
  readonly month: number;
  readonly monthStated: number | null;
}

/** What a plugin's counts add: the votes that the ledger has counted until then are left out. */
export async function added(
  tx: Tx,
  playerId: number,
  { asOf, stated, month, monthStated }: StatedCounts,
): Promise<{ readonly counted: number; readonly monthCounted: number }> {
  const { from, to } = daysOf('month', month);
  const here = await tx.get<{ total: number; month: number }>(
    `SELECT count(*) AS total, count(*) FILTER (WHERE day BETWEEN $3 AND $4) AS month FROM votes
     WHERE player_id = $1 AND weight = 2 AND cast_at <= $2`,
    [playerId, asOf, from, to],
  );
  return {
    counted: Math.max(0, (stated ?? 0) - (here?.total ?? 0)),
    monthCounted: Math.max(0, (monthStated ?? 0) - (here?.month ?? 0)),
  };
}
