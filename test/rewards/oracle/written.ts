/** The config as operators write it, and what its strings mean. */

import { DAY, HOUR, MINUTE, type Per, type Weekday } from './calendar.ts';

export type CountScope = 'total' | 'site' | 'day' | 'week' | 'month' | 'network';

export interface RawVotes {
  readonly every?: number;
  readonly at?: readonly (number | string)[];
  readonly of?: CountScope;
  readonly sites?: readonly string[];
}

export interface RawStreak {
  readonly length: number;
  readonly per?: Per;
  readonly votes?: number;
  readonly repeat?: boolean;
  readonly forgive?: { readonly missed: number; readonly in: number };
}

export interface RawAllSites {
  readonly atLeast?: number;
  readonly sites?: readonly string[];
  readonly within?: 'day' | 'week';
}

export interface RawIf {
  readonly site?: string | readonly string[];
  readonly chance?: string;
  readonly votes?: RawVotes;
  readonly firstVote?: true | 'site' | 'day';
  readonly streak?: number | RawStreak;
  readonly allSites?: true | RawAllSites;
  readonly weekday?: readonly Weekday[];
  readonly between?: readonly [string, string];
  readonly hours?: string;
  readonly returning?: string;
  readonly any?: readonly RawIf[];
  readonly not?: RawIf;
}

export type Commands = readonly string[];

export interface RawLimit {
  readonly per: 'player' | 'network';
  readonly count: number;
  readonly within: 'day' | 'week' | 'month' | '24h' | 'ever';
}

export interface RawReward {
  readonly name: string;
  readonly was?: readonly string[];
  readonly if?: RawIf;
  readonly commands?: Commands;
  readonly oneOf?: readonly {
    readonly weight: number;
    readonly name?: string;
    readonly commands: Commands;
  }[];
  readonly otherwise?: Commands;
  readonly prizes?: Readonly<Record<string, Commands>>;
  readonly limit?: RawLimit;
  readonly stop?: boolean;
}

export interface RawFirstOf {
  readonly firstOf: readonly RawReward[];
}

export interface RawSite {
  readonly cooldown?: string;
  readonly counts?: 'rewarded' | 'all';
}

export interface OracleConfig {
  readonly timeZone: string;
  /** By service name; `default` serves every service without an entry. */
  readonly sites: Readonly<Record<string, RawSite>>;
  readonly rewards: readonly (RawReward | RawFirstOf)[];
}

/** The lists of `firstOf`, and every other reward as a list of one. */
export const groupsOf = (config: OracleConfig): readonly (readonly RawReward[])[] =>
  config.rewards.map((entry) => ('firstOf' in entry ? entry.firstOf : [entry]));

const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: MINUTE, h: HOUR, d: DAY };

/** "24h", "90m" or "30d" in milliseconds. */
export function duration(written: string): number {
  const [, count, unit] = /^(\d+)(ms|s|m|h|d)$/.exec(written) ?? [];
  if (count === undefined || unit === undefined) throw new Error(`not a duration: ${written}`);
  return Number(count) * (UNITS[unit] as number);
}

/** "04:00" in milliseconds past midnight. */
export function timeOfDay(written: string): number {
  const [, hours, minutes] = /^(\d\d):(\d\d)$/.exec(written) ?? [];
  if (hours === undefined || minutes === undefined) throw new Error(`not a time of day: ${written}`);
  return Number(hours) * HOUR + Number(minutes) * MINUTE;
}

/** "5%" as 0.05. */
export const probability = (written: string): number => Number(written.replace(/\s*%$/, '')) / 100;

/** The values of `at: [5, "50..200 step 50"]`: 5, 50, 100, 150 and 200. */
export function listed(at: readonly (number | string)[]): readonly number[] {
  return at.flatMap((entry) => {
    if (typeof entry === 'number') return [entry];
    const [, from, to, step] = /^(\d+)\.\.(\d+) step (\d+)$/.exec(entry) ?? [];
    if (step === undefined) throw new Error(`not a range with a step: ${entry}`);
    const values: number[] = [];
    for (let value = Number(from); value <= Number(to); value += Number(step)) values.push(value);
    return values;
  });
}

/** The key of `prizes`, "1" or "2..3", that contains this threshold. */
export function prizeFor(prizes: Readonly<Record<string, Commands>>, threshold: number): string | null {
  const contains = (key: string): boolean => {
    const [from, to = from] = key.split('..').map(Number) as [number, number?];
    return from <= threshold && threshold <= (to as number);
  };
  return Object.keys(prizes).find(contains) ?? null;
}
