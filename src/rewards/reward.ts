import type { AnnouncementRules } from '../core/announcement.ts';
import type { ForwardTarget } from '../core/forward.ts';
import type { GrantTerms } from '../core/grant-terms.ts';
import type { PayRules } from '../core/pay.ts';
import type { Per } from '../core/period.ts';
import type { When } from '../core/reward.ts';
import type { Recipient } from '../core/vote.ts';
import type { RewardCommands } from './choices.ts';
import type { If } from './conditions.ts';
import type { Limit } from './limit.ts';
import type { Ties } from './standings.ts';

/** One valid entry of `rewards`. */
export interface Reward extends RewardCommands {
  readonly name: string;
  /** Earlier names, whose start and occasions it carries on. */
  readonly was: readonly string[];
  /** All of them must hold. */
  readonly if: If;
  readonly when: When;
  /** Names of game servers; one grant is made for each, unless it is `whereOnline`. */
  readonly servers: readonly string[];
  /** Whether one grant is made in all, which is paid on the one of the game servers that the player is on. */
  readonly whereOnline: boolean;
  readonly safeToRunTwice: boolean;
  /** null: its grants are paid as soon as `when` allows, however long that takes. */
  readonly terms: GrantTerms | null;
  /** null: nothing that it sends is an announcement. */
  readonly announcement: AnnouncementRules | null;
  /** null: as often as its conditions hold. */
  readonly limit: Limit | null;
  /** Whether a vote that is granted it gets no later reward. */
  readonly stop: boolean;
  /** The name of the first reward of its `firstOf`, of which a vote is granted one; null: it is in none. */
  readonly firstOf: string | null;
}

/** One valid entry of `party`. Its `if` says which votes count for it. */
export interface Party extends Reward {
  /** It is due whenever so many more votes have counted. */
  readonly every: number;
  readonly for: 'voters' | 'online' | 'once';
  /** With fewer players online, the voters are paid instead. */
  readonly minOnline: number;
  /** How many votes a player needs between two parties to be paid as a voter. */
  readonly userVotes: number;
  /** The count starts again with each of these periods; null: never. */
  readonly reset: Per | null;
  /** `announce` is run when so many votes are left, the largest number first. */
  readonly announceLeft: readonly number[];
  readonly announce: readonly string[];
}

/** One valid entry of `tops`. Its `if` says which votes count for it, and its `prizes` are by place. */
export interface Top extends Reward {
  readonly period: Per;
  readonly ties: Ties;
  /** Names of players who get no place. */
  readonly exclude: readonly string[];
  /** How long after the end of a period its places are stored, at least. */
  readonly settleMs: number;
}

/** One valid entry of `publish`: figures that are sent again and again, and never later. */
export interface Publish {
  readonly name: string;
  readonly servers: readonly string[];
  readonly everyMs: number;
  readonly commands: readonly string[];
}

/** One valid entry of `remind`: what players who are online and may vote are told. */
export interface Remind {
  readonly name: string;
  readonly servers: readonly string[];
  /** Whether a player is told when they join. */
  readonly onJoin: boolean;
  /** How often they are told after that; null: not again. */
  readonly everyMs: number | null;
  readonly commands: readonly string[];
}

/** What the ledger has to know of a reward before it judges votes. */
export type NamedReward = Pick<Reward, 'name' | 'was' | 'limit' | 'servers' | 'whereOnline'>;

/** The part of the config that a decision needs. */
export interface Rules {
  readonly rewards: readonly Reward[];
  /** What votes count for together. */
  readonly parties: readonly Party[];
  readonly practiceServers: ReadonlySet<string>;
  /** What `{site}` shows, by entry key. Without a label it shows the cleaned service name. */
  readonly labels: ReadonlyMap<string, string>;
  /** The services that have an entry in `sites`, by the kind of recipient that their votes name. */
  readonly listed: Readonly<Record<Recipient['kind'], readonly string[]>>;
  /** The pages on which to vote, in the order of `sites`, by the kind of recipient that the sites' votes name. */
  readonly links: Readonly<Record<Recipient['kind'], readonly string[]>>;
  /** The IANA name of the time zone that days begin in. */
  readonly zone: string;
  /** Which votes are paid here. */
  readonly pay: PayRules;
  /** The game servers to which votes are forwarded; absent if there are none. */
  readonly targets?: readonly ForwardTarget[];
}
