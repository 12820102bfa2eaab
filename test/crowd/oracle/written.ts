/** What the config of a crowd says besides the rewards of single votes, and what can happen to it. */

import type { Per } from '../../rewards/oracle/calendar.ts';
import type { Commands, OracleConfig, RawIf, RawReward } from '../../rewards/oracle/written.ts';

export type When = 'online' | 'always';

export interface CrowdReward extends RawReward {
  /** "online" if it is left out. */
  readonly when?: When;
}

export interface RawParty {
  readonly name: string;
  readonly every: number;
  readonly for?: 'voters' | 'online' | 'once';
  readonly minOnline?: number;
  readonly userVotes?: number;
  readonly reset?: Per;
  readonly if?: RawIf;
  readonly when?: When;
  readonly commands: Commands;
}

export interface RawTop {
  readonly name: string;
  readonly period: Per;
  readonly prizes: Readonly<Record<string, Commands>>;
  readonly ties?: 'first' | 'share';
  readonly exclude?: readonly string[];
  readonly settle?: string;
  readonly if?: RawIf;
  readonly when?: When;
}

export interface CrowdConfig extends OracleConfig {
  readonly rewards: readonly CrowdReward[];
  readonly party: readonly RawParty[];
  readonly tops: readonly RawTop[];
}

/** A player as a game server lists them. */
export interface Shown {
  readonly name: string;
  readonly uuid: string;
}

export type CrowdEvent =
  /** Recorded when it is cast. */
  | { readonly kind: 'vote'; readonly at: number; readonly service: string; readonly player: string }
  /** From now on the game server lists exactly these players. */
  | { readonly kind: 'shown'; readonly at: number; readonly players: readonly Shown[] }
  /** `sites add` */
  | { readonly kind: 'listed'; readonly at: number; readonly service: string }
  /** `votes void`, by the number of the vote in the order of arrival, from 0. */
  | { readonly kind: 'void'; readonly at: number; readonly vote: number }
  /** `players merge NAME --into OTHER`. */
  | { readonly kind: 'merged'; readonly at: number; readonly name: string; readonly into: string }
  /** Teller stops at this time, and starts again at another one. */
  | { readonly kind: 'down'; readonly at: number; readonly until: number }
  | { readonly kind: 'passed'; readonly at: number };

export interface CrowdHistory {
  readonly startedAt: number;
  readonly config: CrowdConfig;
  /** In the order of their times. */
  readonly events: readonly CrowdEvent[];
}
