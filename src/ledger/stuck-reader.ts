import type { GrantCode } from '../core/grant-reason.ts';
import type { GrantState } from '../core/settlement.ts';
import type { GrantActionRow, GrantRow } from './grant-row.ts';

/** The states of grants that need the operator. */
export type StuckState = Extract<GrantState, 'held' | 'refused'>;

/** Which grants that need the operator. */
export interface StuckFilter {
  readonly state?: StuckState;
  /** Also what is owed on a pool that it is in. */
  readonly server?: string;
  /** Exactly this game server or pool. */
  readonly place?: string;
  readonly reward?: string;
  /** A player's name in any case, or a user ID. */
  readonly recipient?: string;
  /** null: those without a reason. */
  readonly reason?: GrantCode | null;
  /** Only those that were created since. */
  readonly since?: number;
}

/** A place in the order of the latest changes. */
export interface StuckPlace {
  readonly changedAt: number;
  readonly id: number;
}

export interface StuckWanted {
  readonly limit: number;
  /** How many grants that need the operator are looked at. */
  readonly lookAt: number;
  /** The page begins after this place; absent: at the first one. */
  readonly after?: StuckPlace;
  /** By default, the latest change is first. */
  readonly isOldestFirst?: boolean;
}

export interface StuckPage {
  readonly grants: readonly GrantRow[];
  /** Where the next page begins; null: there is none. */
  readonly next: StuckPlace | null;
}

/** The grants that are stuck on one game server for one reason. */
export interface StuckGroup {
  /** Or the pool. */
  readonly server: string;
  readonly state: StuckState;
  readonly reason: GrantCode | null;
  readonly count: number;
  /** When the latest of them got stuck. */
  readonly changedAt: number;
  /** The latest ones. */
  readonly grants: readonly GrantRow[];
}

export interface StuckGroups {
  /** The one with the latest change first. */
  readonly groups: readonly StuckGroup[];
  /** Whether there are more grants than were looked at. */
  readonly hasMore: boolean;
}

/** What an operator did to which grant. */
export interface ActedGrant extends GrantActionRow {
  readonly id: number;
  readonly grantId: number;
  readonly player: string | null;
  readonly reward: string;
  readonly server: string;
  /** Its state now. */
  readonly state: GrantState;
}

/** What needs the operator, and what operators did. Each call takes some ms, however much is stuck. */
export interface StuckReader {
  stuckGroups(filter: StuckFilter, wanted: Pick<StuckWanted, 'limit' | 'lookAt'>): Promise<StuckGroups>;
  stuckGrants(filter: StuckFilter, wanted: StuckWanted): Promise<StuckPage>;
  /** How many grants need the operator, at most `most`. */
  stuckCount(most: number): Promise<number>;
  /** What operators did last, the latest first. */
  grantActions(limit: number): Promise<readonly ActedGrant[]>;
}
