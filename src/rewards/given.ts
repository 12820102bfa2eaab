import type { PlannedGrant } from '../core/decide.ts';
import type { Occasion } from '../core/occasion.ts';
import { needs, type Placeholder } from '../core/placeholders.ts';
import { chosen, templatesOf } from './choices.ts';
import { draw } from './draws.ts';
import { type GrantSource, planGrants } from './grants.ts';
import { misfitOf } from './recipient.ts';
import type { Reward } from './reward.ts';

/** What only a vote says. */
export const VOTE_ONLY: readonly Placeholder[] = ['site', 'service', 'votesSite', 'nextVote'];

/** A placeholder that keeps a reward from being given to a player without a vote; null if there is none. */
export function needsVote(reward: Reward): Placeholder | null {
  if (misfitOf(reward, 'player') !== null) return 'userId';
  const templates = templatesOf(reward);
  return VOTE_ONLY.find((wanted) => templates.some((template) => needs(template, wanted))) ?? null;
}

/**
 * The grants of a reward that is given without a vote: no condition and no limit is looked at. What is drawn otherwise is
 * drawn here too. Empty if nothing is to be run, because no prize is for the occasion's threshold.
 */
export function grantsGiven(
  reward: Reward,
  occasion: Occasion,
  source: GrantSource,
): readonly PlannedGrant[] {
  const drawn = () => draw(source.draws, 'oneOf', reward.name, occasion.name);
  const choice = chosen(reward, occasion.threshold, drawn);
  return choice === undefined ? [] : planGrants(reward, { occasion, choice }, source);
}
