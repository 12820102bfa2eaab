import { needs } from '../core/placeholders.ts';
import type { Recipient, Vote } from '../core/vote.ts';
import { type RewardCommands, templatesOf } from './choices.ts';
import type { Reward } from './reward.ts';
import { isForSite } from './site.ts';

/** Why a reward cannot be paid to the recipient of a vote. Each sentence begins with the reward's name. */
export const misfits = {
  'uses-user-id': 'uses {userId}, which a vote for a player does not have',
  'uses-player': 'uses {player}, which a vote for a user ID does not have',
  'uses-uuid': 'uses {uuid}, which a user ID does not have',
  'waits-for-player': 'waits for a player, because it has no "when": "always"',
} as const;

export type Misfit = keyof typeof misfits;

type Paid = RewardCommands & Pick<Reward, 'when'>;

const known: Readonly<Record<Recipient['kind'], WeakMap<Paid, Misfit | null>>> = {
  player: new WeakMap(),
  user: new WeakMap(),
};

/**
 * A reward that names a player cannot be paid to a user ID, and the reverse. null: it can be paid. Every vote needs it, so
 * the commands of a reward are searched once.
 */
export function misfitOf(reward: Paid, kind: Recipient['kind']): Misfit | null {
  const before = known[kind].get(reward);
  if (before !== undefined) return before;
  const misfit = findMisfit(reward, kind);
  known[kind].set(reward, misfit);
  return misfit;
}

function findMisfit(reward: Paid, kind: Recipient['kind']): Misfit | null {
  const templates = templatesOf(reward);
  const uses = (value: 'player' | 'uuid' | 'userId') => templates.some((template) => needs(template, value));
  if (kind === 'player') return uses('userId') ? 'uses-user-id' : null;
  if (uses('player')) return 'uses-player';
  if (uses('uuid')) return 'uses-uuid';
  return reward.when === 'always' ? null : 'waits-for-player';
}

/** The site's rewards that cannot be paid to this kind of recipient, each with the reason. */
export const unpayable = (
  rewards: readonly Reward[],
  at: Pick<Vote, 'site' | 'service'>,
  kind: Recipient['kind'],
): readonly string[] =>
  rewards
    .filter((reward) => isForSite(reward, at))
    .flatMap((reward) => {
      const misfit = misfitOf(reward, kind);
      return misfit === null ? [] : [`${reward.name} ${misfits[misfit]}`];
    });
