/** What is shown of players: who they are, what they have, whether they may vote, and names that are nearly written so. */
import { nearestWords } from '../core/nearest-word.ts';
import type { Days, Per } from '../core/period.ts';
import { playerKey } from '../core/player-name.ts';
import { parsePlayerUuid } from '../core/player-uuid.ts';
import type { Recipient } from '../core/vote.ts';
import { type Tx, valuesFrom } from '../db/db.ts';
import { countsOn, needsOfFigures, runUpTo } from '../rewards/grants.ts';
import { History, needsFrom } from '../rewards/history.ts';
import { knownOf, longestRun, NOBODY, playerNamed } from './facts.ts';
import type { BalanceWhat } from './imports.ts';
import { lastWindowEnd } from './windows.ts';

/** What changed about players, and who changed it. */
export type PlayerChangeKind =
  /** A name was joined to a player, by a game server or by the operator. */
  | 'joined'
  | 'merged'
  | 'split'
  /** The name belongs to another player now. */
  | 'name-taken'
  /** The player has the name again. */
  | 'name-back'
  | 'forgotten'
  /** What the player had before Teller ran counts now, and what it reaches pays nothing. */
  | 'imported';

export interface PlayerChange {
  readonly kind: PlayerChangeKind;
  /** In lower case. */
  readonly name: string;
  readonly at: number;
  /** The name of a game server, the account of an operator, or what was imported by whom. */
  readonly by: string;
}

export interface PlayerNameRow {
  /** In lower case. */
  readonly name: string;
  /** When it was given up to another player; null while it belongs to this one. */
  readonly givenUpAt: number | null;
  readonly onlineUuid: string | null;
  readonly floodgateUuid: string | null;
}

/** What another plugin had counted, as it was imported. */
export interface BalanceRow {
  /** In lower case. */
  readonly name: string;
  /** Such as `votingplugin`. */
  readonly source: string;
  readonly asOf: number;
  readonly what: BalanceWhat;
  /** What the plugin stated. */
  readonly stated: number;
  /** How many of them are in the total or period here, beside votes that the ledger has one by one; null for runs. */
  readonly counted: number | null;
}

/** A player, as far as the ledger knows them. */
export interface PlayerRow {
  /** All names, that of the history first. */
  readonly names: readonly PlayerNameRow[];
  /** The name that grants are paid to; null: another player has it, and this one was not seen since. */
  readonly paidAs: string | null;
  /** Votes that count in totals. */
  readonly votes: number;
  /** What an import says was reached before Teller ran, and was not paid. The operator can give it. */
  readonly passed: readonly { readonly reward: string; readonly occasion: string }[];
  /** What was imported for each name. */
  readonly balances: readonly BalanceRow[];
  /** UUIDs that plugins had for a name, which is in lower case. They join nothing. */
  readonly importedUuids: readonly (Pick<BalanceRow, 'source' | 'name'> & { readonly uuid: string })[];
  /** UUIDs that v2 votes named, the latest first. They join nothing. */
  readonly hints: readonly string[];
  /** Newest last. */
  readonly changes: readonly PlayerChange[];
}

export interface PlayerFigures {
  /** Votes that count in totals, of the periods that today belongs to. */
  readonly counts: Readonly<Record<Per | 'total', number>>;
  /** The days in a row with a vote up to today or yesterday; null: none. */
  readonly streak: Days | null;
  /** How many days in a row they voted at most. */
  readonly bestStreak: number;
}

/** How many of a player's latest votes are read for UUIDs. */
const VOTES_READ = 100;

/** The players who have or had a name, in any case: the present one first. */
export async function players(tx: Tx, name: string): Promise<readonly PlayerRow[]> {
  const rows = await tx.all<{ id: number; paidAs: string | null; votes: number }>(
    `SELECT p.id, p.counted AS votes,
            CASE WHEN p.paid_as IS NOT NULL THEN nullif(p.paid_as, '') WHEN f.given_up_at = 0 THEN f.key END AS "paidAs"
     FROM (SELECT player_id, min(given_up_at) AS given_up FROM names WHERE kind = 'player' AND key = $1 GROUP BY player_id) n
     JOIN players p ON p.id = n.player_id JOIN names f ON f.id = p.name_id
     ORDER BY CASE WHEN n.given_up = 0 THEN 0 ELSE 1 END, n.given_up DESC`,
    [playerKey(name)],
  );
  const found: PlayerRow[] = [];
  for (const { id, paidAs, votes } of rows)
    found.push({
      names: await tx.all<PlayerNameRow>(NAMES, [id]),
      ...{ paidAs, votes },
      passed: await tx.all<PlayerRow['passed'][number]>(PASSED, [id]),
      ...(await importedOf(tx, id)),
      hints: await hintsOf(tx, id),
      changes: await tx.all<PlayerChange>(CHANGES, [id]),
    });
  return found;
}

const NAMES = `
  SELECT n.key AS name, nullif(n.given_up_at, 0) AS "givenUpAt", n.online_uuid AS "onlineUuid", n.floodgate_uuid AS "floodgateUuid"
  FROM names n JOIN players p ON p.id = n.player_id WHERE p.id = $1
  ORDER BY CASE WHEN n.id = p.name_id THEN 0 ELSE 1 END, n.id`;

/** What was reached before Teller ran, and was not given since. */
const PASSED = `
  SELECT coalesce(c.name, r.name) AS reward, o.occasion FROM occasions o JOIN rewards r ON r.id = o.reward_id
  LEFT JOIN rewards c ON c.root_id = o.reward_id AND c.is_current = 1
  WHERE o.player_id = $1 AND o.how = 'imported' AND o.name_id <> 0 ORDER BY o.id`;

const CHANGES = `
  SELECT a.kind, n.key AS name, a.at, a.by FROM actions a JOIN names n ON n.id = a.name_id
  WHERE a.kind IN ('joined', 'merged', 'split', 'name-taken', 'name-back', 'forgotten', 'imported')
    AND (a.player_id = $1 OR n.player_id = $1) ORDER BY a.id`;

interface StoredBalance
  extends Pick<BalanceRow, 'name' | 'source' | 'asOf'>,
    Readonly<Record<BalanceWhat, number | null>> {
  readonly counted: number;
  readonly monthCounted: number;
  readonly uuid: string | null;
}

async function importedOf(tx: Tx, playerId: number): Promise<Pick<PlayerRow, 'balances' | 'importedUuids'>> {
  const rows = await tx.all<StoredBalance>(
    `SELECT n.key AS name, b.source, b.as_of AS "asOf", b.stated AS total, b.counted, b.month_stated AS month,
            b.month_counted AS "monthCounted", b.run_to - b.run_from + 1 AS run, b.best AS "best-run", b.uuid
     FROM balances b JOIN names n ON n.id = b.name_id WHERE n.player_id = $1 ORDER BY n.id, b.source`,
    [playerId],
  );
  const balances = rows.flatMap(({ name, source, asOf, counted, monthCounted, ...row }) =>
    (['total', 'best-run', 'month', 'run'] as const).flatMap((what): BalanceRow[] => {
      const here = { total: counted, month: monthCounted, run: null, 'best-run': null }[what];
      const stated = row[what];
      return stated === null ? [] : [{ name, source, asOf, what, stated, counted: here }];
    }),
  );
  const importedUuids = rows.flatMap(({ uuid, source, name }) =>
    uuid === null ? [] : [{ uuid, source, name }],
  );
  return { balances, importedUuids };
}

/** The UUIDs that v2 votes named, the latest first. */
async function hintsOf(tx: Tx, playerId: number): Promise<readonly string[]> {
  const wires = await valuesFrom<string>(
    tx,
    `SELECT wire AS value FROM (
       SELECT wire, channel, cast_at, id FROM votes WHERE player_id = $1 ORDER BY cast_at DESC, id DESC LIMIT ${VOTES_READ}) v
     WHERE channel = 'listener-v2' ORDER BY cast_at DESC, id DESC`,
    [playerId],
  );
  return [...new Set(wires.flatMap((wire) => uuidIn(wire) ?? []))];
}

function uuidIn(wire: string): string | null {
  try {
    const { uuid } = JSON.parse(wire) as { readonly uuid?: unknown };
    return typeof uuid === 'string' ? parsePlayerUuid(uuid) : null;
  } catch {
    return null;
  }
}

/** null for a recipient that was never named. */
export async function playerFigures(
  tx: Tx,
  recipient: Pick<Recipient, 'kind' | 'key'>,
  today: number,
): Promise<PlayerFigures | null> {
  const player = await playerNamed(tx, recipient);
  if (player === null) return null;
  const needs = needsFrom(needsOfFigures(today));
  const history = new History(needs, await knownOf(tx, player, needs, 0), null);
  const counts = countsOn(history, today);
  return { counts, streak: runUpTo(history, today), bestStreak: await longestRun(tx, player) };
}

/** How many of the latest names are compared: those with a similar length, of so many. */
const COMPARED = 20_000;
const LOOKED_THROUGH = 60_000;
/** How much longer or shorter a typo or a Bedrock prefix can make a name. */
const LENGTH_SLACK = 3;

/** Names that are nearly written so, in lower case: with or without a Bedrock prefix first, because some sites strip it, then with few typos. */
export async function similarNames(
  tx: Tx,
  key: string,
  bedrockPrefixes: readonly string[],
  most: number,
): Promise<readonly string[]> {
  const keys = await valuesFrom<string>(
    tx,
    `SELECT key AS value FROM (SELECT key, given_up_at FROM names ORDER BY id DESC LIMIT ${LOOKED_THROUGH}) n
     WHERE length(key) BETWEEN $1 AND $2 AND given_up_at = 0 LIMIT ${COMPARED}`,
    [Math.max(1, key.length - LENGTH_SLACK), key.length + LENGTH_SLACK],
  );
  const known = [...new Set(keys)].filter((other) => other !== key);
  const isTwin = (other: string): boolean =>
    bedrockPrefixes.some((prefix) => key === prefix + other || other === prefix + key);
  const twins = known.filter(isTwin);
  const others = known.filter((other) => !isTwin(other));
  return [...twins, ...nearestWords(key, others, Math.max(0, most - twins.length))];
}

/** Names of players that begin so, in alphabetical order, in lower case. */
export const namesBeginning = (tx: Tx, key: string, most: number): Promise<readonly string[]> =>
  valuesFrom<string>(
    tx,
    `SELECT DISTINCT key AS value FROM names WHERE kind = 'player' AND key >= $1 AND key < $2 ORDER BY value LIMIT ${most}`,
    [key, `${key}\u{10ffff}`],
  );

/** The names of the player with this UUID, in lower case, those that they still have first; none for any other text. */
export async function namesOfUuid(tx: Tx, text: string): Promise<readonly string[]> {
  const uuid = parsePlayerUuid(text);
  if (uuid === null) return [];
  return await valuesFrom<string>(
    tx,
    `SELECT n.key AS value FROM names n WHERE n.player_id IN (
       SELECT player_id FROM names WHERE online_uuid = $1 UNION SELECT player_id FROM names WHERE floodgate_uuid = $1)
     ORDER BY CASE WHEN n.given_up_at = 0 THEN 0 ELSE 1 END, n.id`,
    [uuid],
  );
}

/** A player's total, by the name in lower case. */
interface PlayerTotal {
  readonly key: string;
  readonly recipientId: number;
  readonly votes: number;
}

/** Those who never voted are left out. */
export async function playerTotals(
  tx: Tx,
  keys: readonly string[],
  kind: Recipient['kind'] = 'player',
): Promise<readonly PlayerTotal[]> {
  const found: PlayerTotal[] = [];
  for (const key of keys) {
    const player = await playerNamed(tx, { kind, key });
    if (player !== null) found.push({ key, recipientId: player.playerId, votes: player.counted });
  }
  return found;
}

/** When each of these players, by their names in lower case, may vote again on each of these services, in order; null: now. */
export async function windowEnds(
  tx: Tx,
  keys: readonly string[],
  services: readonly string[],
  now: number,
): Promise<readonly (readonly (number | null)[])[]> {
  const found: (number | null)[][] = [];
  for (const key of keys) {
    const { playerId } = (await playerNamed(tx, { kind: 'player', key })) ?? NOBODY;
    const ends: (number | null)[] = [];
    for (const service of services) {
      const end = await lastWindowEnd(tx, { service, site: service }, playerId);
      ends.push(end === null || end <= now ? null : end);
    }
    found.push(ends);
  }
  return found;
}
