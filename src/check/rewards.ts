import type { SiteGame } from '../config/config.ts';
import { isForSite, misfits } from '../core/decide.ts';
import { printable } from '../core/printable.ts';
import { type Finding, warning } from './finding.ts';
import type { Subject } from './subject.ts';

/** Sites whose votes count, take their window, and can be paid by none of the rewards that are for them. */
export async function checkRewards({ config }: Subject): Promise<readonly Finding[]> {
  return [...config.sites].flatMap(([site, { game }]) => {
    const at = { site, service: site };
    const unfit = misfits(config.rewards, at, recipientOf(game));
    const isAnyFit = config.rewards.filter((reward) => isForSite(reward, at)).length > unfit.length;
    if (unfit.length === 0 || isAnyFit) return [];
    const sentence = `votes of ${printable(site, 64)} earn nothing: ${unfit.join('; ')}`;
    return [warning('rewards-misfit', sentence, toDo(game))];
  });
}

const recipientOf = (game: SiteGame) => (game === 'minecraft' ? 'player' : 'user');

const toDo = (game: SiteGame): string =>
  game === 'minecraft'
    ? 'add a reward that uses {player}'
    : `add a reward that uses {userId}, with "when": "always"; its game is ${game}`;
