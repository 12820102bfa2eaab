/** What is known of one reward: since when it counts, which occasions are spent, and which votes it was granted for. */

import { type Per, periodOf } from './calendar.ts';
import type { Reached } from './streaks.ts';
import type { RecordedVote } from './votes.ts';
import { groupsOf, type OracleConfig, type RawReward } from './written.ts';
import { localTime } from './zone.ts';

/** One condition's share of an occasion. */
export interface Part {
  readonly key: 'votes' | 'firstVote' | 'streak' | 'allSites' | 'returning';
  readonly spelt: string;
  readonly threshold: number | null;
  /** "Network occasions are unique without the recipient." */
  readonly isNetwork: boolean;
  /** "Earlier thresholds are marked as taken and not paid." */
  readonly isTaken: boolean;
  readonly streak: (Reached & { readonly per: Per }) | null;
}

/** What several conditions have in common: "several conditions join their occasions in the table's order with `, `". */
export type Occasion = readonly Part[];

export const spelling = (occasion: Occasion): string => occasion.map(({ spelt }) => spelt).join(', ');

interface Spent {
  player: string;
  readonly occasion: Occasion;
}

export interface GrantedVote {
  player: string;
  readonly castAt: number;
  readonly day: number;
}

export interface Standing {
  /** The local day on which a running config first contained the name. */
  readonly startDay: number;
  /** The votes that were recorded by then and not voided. */
  readonly before: readonly RecordedVote[];
  readonly spent: Spent[];
  /** Once for each vote, however many occasions it was granted for. */
  readonly granted: GrantedVote[];
}

/** "A late vote for a period that ended before the reward's start pays nothing." */
export const endedBeforeStart = (standing: Standing, per: Per, day: number): boolean =>
  periodOf(per, day) < periodOf(per, standing.startDay);

/** An occasion is accepted once: from each player, or from all of them together if it is the network's. */
export function isSpent(standing: Standing, player: string, occasion: Occasion): boolean {
  const spelt = spelling(occasion);
  if (spelt === '') return false;
  if (occasion.some(({ isTaken }) => isTaken)) return true;
  const isNetwork = occasion.some((part) => part.isNetwork);
  return standing.spent.some(
    (spent) => spelling(spent.occasion) === spelt && (isNetwork || spent.player === player),
  );
}

export const spend = (standing: Standing, player: string, occasion: Occasion): void => {
  standing.spent.push({ player, occasion });
};

/** The streak thresholds that this reward has paid to a player, in periods of this length. */
export function paidStreaks(standing: Standing, player: string, per: Per): readonly Reached[] {
  return standing.spent
    .filter((spent) => spent.player === player)
    .flatMap(({ occasion }) => occasion.flatMap(({ streak }) => (streak?.per === per ? [streak] : [])));
}

export type Standings = Map<string, Standing>;

/** "`was: ["old"]` carries over the name, start, limits and occasions"; every other new name starts now. */
export function startRewards(
  standings: Standings,
  config: OracleConfig,
  at: number,
  votes: readonly RecordedVote[],
): void {
  const fresh = groupsOf(config)
    .flat()
    .filter(({ name }) => !standings.has(name));
  for (const reward of fresh) {
    standings.set(reward.name, carriedOver(standings, reward) ?? newStanding(config, at, votes));
  }
}

function newStanding(config: OracleConfig, at: number, votes: readonly RecordedVote[]): Standing {
  return {
    startDay: localTime(config.timeZone, at).day,
    before: votes.filter(({ voided }) => !voided).map((vote) => ({ ...vote })),
    spent: [],
    granted: [],
  };
}

/** With several old names, the earliest start and everything that any of them spent or was granted. */
function carriedOver(standings: Standings, { was = [] }: RawReward): Standing | null {
  const old = was.flatMap((name) => standings.get(name) ?? []);
  const [first, ...rest] = [...old].sort((one, other) => one.before.length - other.before.length);
  if (!first) return null;
  for (const name of was) standings.delete(name);
  return {
    startDay: first.startDay,
    before: first.before,
    spent: [first, ...rest].flatMap(({ spent }) => spent),
    granted: [first, ...rest].flatMap(({ granted }) => granted),
  };
}
