import { nextWindow, type RewardedVote, windowTakenBy } from './cooldown.ts';
import type { Dice } from './dice.ts';
import type { Reward, When } from './reward.ts';
import { NO_SERVICE_NAME } from './service-name.ts';
import { cleanService, needs, openCommand } from './template.ts';
import type { Recipient, Vote } from './vote.ts';

/** One reward owed for one vote on one game server, before it is stored. */
export interface PlannedGrant {
  readonly reward: string;
  readonly server: string;
  readonly practice: boolean;
  readonly when: When;
  readonly safeToRunTwice: boolean;
  /** In order; the player is still open in them (`closeCommand`). */
  readonly commands: readonly string[];
}

/** What the dice said about a reward with a chance, kept for the trace. */
export interface Roll {
  readonly reward: string;
  readonly chance: number;
  readonly rolled: number;
}

export type Decision =
  | {
      readonly kind: 'rewarded';
      /** When a vote for this site and recipient is rewarded again. */
      readonly nextAt: number;
      readonly grants: readonly PlannedGrant[];
      readonly rolls: readonly Roll[];
    }
  | { readonly kind: 'cooldown'; readonly nextAt: number; readonly takenBy: number }
  | { readonly kind: 'too-old' }
  | { readonly kind: 'before-start' }
  | { readonly kind: 'no-player' };

export type DecisionKind = Decision['kind'];

/** What the config says about rewards, in the form that a decision needs. */
export interface Rules {
  readonly rewards: readonly Reward[];
  readonly practiceServers: ReadonlySet<string>;
  /** What `{site}` shows, by entry key; an entry without a label shows the cleaned service name. */
  readonly labels: ReadonlyMap<string, string>;
}

/** Why a vote counts and cannot be rewarded, whatever its window. */
export type Ruling = 'no-player' | 'before-start' | 'too-old';

/** A vote at the door: the vote, and how long its site's window is. */
export interface Arrival {
  readonly vote: Vote;
  readonly cooldownMs: number;
  /** Absent where the window alone decides. */
  readonly ruling?: Ruling | undefined;
}

/**
 * Rule 3: whether a vote takes the window, and what is then owed. Pure; the caller holds the ledger still between
 * reading the history and writing the decision.
 *
 * @param rewarded the rewarded votes of the same site and recipient from one cooldown before this one on, oldest first.
 */
export function decide(
  { vote, cooldownMs, ruling }: Arrival,
  rewarded: readonly RewardedVote[],
  rules: Rules,
  dice: Dice,
): Decision {
  if (ruling !== undefined) return { kind: ruling };
  const taken = windowTakenBy(vote.castAt, cooldownMs, rewarded);
  if (taken !== null) {
    return { kind: 'cooldown', nextAt: nextWindow(vote.castAt, cooldownMs, rewarded), takenBy: taken.id };
  }
  return { kind: 'rewarded', nextAt: vote.castAt + cooldownMs, ...rewardsFor(vote, rules, dice) };
}

/** What of a vote its rewards depend on. */
type RewardedBy = Pick<Vote, 'service' | 'site' | 'recipient'>;

/** What a vote earns by these rules, its window aside. */
export function rewardsFor(
  vote: RewardedBy,
  rules: Rules,
  dice: Dice,
): { readonly grants: readonly PlannedGrant[]; readonly rolls: readonly Roll[] } {
  const { granted, rolls } = drawRewards(vote, rules.rewards, dice);
  return { grants: granted.flatMap((reward) => planGrants(reward, vote, rules)), rolls };
}

/** All rewards whose `if` holds, in order; the dice are rolled only where the rest of it does. */
function drawRewards(
  vote: RewardedBy,
  rewards: readonly Reward[],
  dice: Dice,
): { granted: Reward[]; rolls: Roll[] } {
  const rolls: Roll[] = [];
  const granted = rewards.filter((reward) => {
    if (!isForSite(reward, vote) || misfit(reward, vote.recipient.kind) !== null) return false;
    const { chance } = reward.if;
    if (chance === undefined) return true;
    const rolled = dice.roll();
    rolls.push({ reward: reward.name, chance, rolled });
    return rolled < chance;
  });
  return { granted, rolls };
}

export const isForSite = (
  { if: { sites } }: Pick<Reward, 'if'>,
  vote: Pick<Vote, 'site' | 'service'>,
): boolean => sites === undefined || sites.includes(vote.site) || sites.includes(vote.service);

/**
 * Why a reward cannot be paid to whom a vote names: goes on after the reward's name. null: it can. One that names a
 * player is nothing for a user ID, nor the other way round; one that names neither is for both.
 */
function misfit(
  { commands, when }: Pick<Reward, 'commands' | 'when'>,
  kind: Recipient['kind'],
): string | null {
  const uses = (value: 'player' | 'uuid' | 'userId') => commands.some((command) => needs(command, value));
  if (kind === 'player')
    return uses('userId') ? 'uses {userId}, which a vote for a player does not name' : null;
  if (uses('player')) return 'uses {player}, which a vote for a user ID does not name';
  if (uses('uuid')) return 'uses {uuid}, which a user ID does not have';
  return when === 'always' ? null : 'waits for a player, as it has no "when": "always"';
}

/** Of the rewards for a site, those that cannot be paid to whom a vote names, each with why. */
export const misfits = (
  rewards: readonly Reward[],
  at: Pick<Vote, 'site' | 'service'>,
  kind: Recipient['kind'],
): readonly string[] =>
  rewards
    .filter((reward) => isForSite(reward, at))
    .flatMap((reward) => {
      const why = misfit(reward, kind);
      return why === null ? [] : [`${reward.name} ${why}`];
    });

function planGrants(reward: Reward, vote: RewardedBy, rules: Rules): PlannedGrant[] {
  const userId = vote.recipient.kind === 'user' ? vote.recipient.key : null;
  const commands = openCommands(reward, { ...vote, userId }, rules);
  const { name, when, safeToRunTwice } = reward;
  return reward.servers.map((server) => ({
    reward: name,
    server,
    practice: rules.practiceServers.has(server),
    when,
    safeToRunTwice,
    commands,
  }));
}

/** What a reward's commands need to know of a vote. */
export interface VoteInCommands {
  readonly service: string;
  readonly site: string;
  /** null for a recipient with a player name. */
  readonly userId: string | null;
}

/** A reward's commands for a vote, with the player still open. */
export function openCommands(reward: Reward, vote: VoteInCommands, { labels }: Rules): string[] {
  const service = cleanService(vote.service);
  const values = {
    site: labels.get(vote.site) ?? (vote.service === '' ? NO_SERVICE_NAME : service),
    service,
    ...(vote.userId === null ? {} : { userId: vote.userId }),
  };
  return reward.commands.map((template) => openCommand(template, values));
}
