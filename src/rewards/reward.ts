/** Rewards as the config has them, after loading, what a decision needs of it, and what is drawn. */
import { hash } from 'node:crypto';
import type { AnnouncementRules } from '../core/announcement.ts';
import type { JudgedArrival } from '../core/decide.ts';
import type { ForwardTarget } from '../core/forward.ts';
import type { GrantTerms } from '../core/grant-terms.ts';
import type { PayRules } from '../core/pay.ts';
import type { Per } from '../core/period.ts';
import { needs } from '../core/placeholders.ts';
import type { Random } from '../core/random.ts';
import type { When } from '../core/reward.ts';
import type { Recipient } from '../core/vote.ts';
import type { If } from './conditions.ts';

/** Commands that are run for the thresholds from one to another, both included. */
export interface Prize {
  readonly from: number;
  readonly to: number;
  readonly commands: readonly string[];
}

/** Commands that are drawn. How likely they are is their weight's share of all weights. */
export interface Alternative {
  readonly name: string;
  readonly weight: number;
  readonly commands: readonly string[];
}

/** The parts of a reward that say what is run. */
export interface RewardCommands {
  /** One-line templates, in order (see `core/template.ts`). May be empty if there are prizes or alternatives. */
  readonly commands: readonly string[];
  /** Disjoint, for the total or streak that was reached; without a match, `commands` are run. */
  readonly prizes: readonly Prize[];
  /** One of them is drawn, and run after `commands`. */
  readonly oneOf: readonly Alternative[];
  /** Run where a chance is lost; empty: nothing is. */
  readonly otherwise: readonly string[];
  /** Run after all of these, but not after `otherwise`: what players see and hear. */
  readonly messages: readonly string[];
}

/** Every command that a reward may run. */
export const templatesOf = (reward: RewardCommands): readonly string[] => [
  ...reward.commands,
  ...[...reward.prizes, ...reward.oneOf].flatMap((each) => each.commands),
  ...reward.otherwise,
  ...reward.messages,
];

export const LIMIT_PER = ['player', 'network'] as const;
export const LIMIT_WITHIN = ['day', 'week', 'month', '24h', 'ever'] as const;

/** How many votes may be granted a reward in a span of time, by their cast times. */
export interface Limit {
  readonly per: (typeof LIMIT_PER)[number];
  readonly count: number;
  readonly within: (typeof LIMIT_WITHIN)[number];
}

/** `first`: of those with as many votes, the one who reached them earlier is before the other. `share`: they share a place. */
export const TIES = ['first', 'share'] as const;
export type Ties = (typeof TIES)[number];

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

/**
 * The random numbers of one vote. All of them follow from one number that is drawn when the vote arrives and kept with
 * it. So a second try to store it grants the same, however many numbers its rewards turn out to need.
 */
export type Draws =
  | { readonly kind: 'drawn'; readonly seed: number }
  /** What was drawn before, for others who get the same. */
  | { readonly kind: 'stored'; readonly number: number }
  /** Every chance is won, to show everything that a vote could earn. */
  | { readonly kind: 'won' };

export const ALL_WON: Draws = { kind: 'won' };

export const drawFor = (random: Random): Draws => ({ kind: 'drawn', seed: random.next() });

/** What a number is drawn for, besides the reward and the occasion. */
export type DrawPurpose = 'chance' | 'oneOf' | 'random';

const DRAWN_BYTES = 6;

/** A number from 0 (included) to 1 (excluded), independent of those for other rewards, occasions and purposes. */
export function draw(draws: Draws, purpose: DrawPurpose, reward: string, occasion: string): number {
  if (draws.kind === 'won') return 0;
  if (draws.kind === 'stored') return draws.number;
  const text = JSON.stringify([draws.seed, purpose, reward, occasion]);
  return Number.parseInt(hash('sha256', text, 'hex').slice(0, 2 * DRAWN_BYTES), 16) / 2 ** (8 * DRAWN_BYTES);
}

/** A vote with everything that the decision on it depends on, except for the ledger. Plain values. */
export interface Arrival extends JudgedArrival {
  /** Kept with the vote, so that a second try to store it grants the same rewards. */
  readonly draws: Draws;
  /** Those in force when the vote arrived; all votes that arrive under one config share the same object. */
  readonly rules: Rules;
  /** What is forwarded to the targets of the rules; absent: the vote is not. */
  readonly forward?: string;
}

/** Why a reward cannot be paid to the recipient of a vote. Each sentence begins with the reward's name. */
export const misfits = {
  'uses-user-id': 'uses {userId}, which a vote for a player does not have',
  'uses-player': 'uses {player}, which a vote for a user ID does not have',
  'uses-uuid': 'uses {uuid}, which a user ID does not have',
  'waits-for-player': 'waits for a player, because it has no "when": "always"',
} as const;

export type Misfit = keyof typeof misfits;

type Paid = RewardCommands & Pick<Reward, 'when'>;

const knownMisfits = new WeakMap<Paid, Readonly<Record<Recipient['kind'], Misfit | null>>>();

/**
 * A reward that names a player cannot be paid to a user ID, and the reverse. null: it can be paid. Every vote needs it, so the commands
 * of a reward are searched once.
 */
export function misfitOf(reward: Paid, kind: Recipient['kind']): Misfit | null {
  const before = knownMisfits.get(reward);
  if (before !== undefined) return before[kind];
  const misfits = { player: findMisfit(reward, 'player'), user: findMisfit(reward, 'user') };
  knownMisfits.set(reward, misfits);
  return misfits[kind];
}

function findMisfit(reward: Paid, kind: Recipient['kind']): Misfit | null {
  const templates = templatesOf(reward);
  const uses = (value: 'player' | 'uuid' | 'userId') => templates.some((template) => needs(template, value));
  if (kind === 'player') return uses('userId') ? 'uses-user-id' : null;
  if (uses('player')) return 'uses-player';
  if (uses('uuid')) return 'uses-uuid';
  return reward.when === 'always' ? null : 'waits-for-player';
}
