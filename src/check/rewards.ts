import type { SiteGame } from '../config/config.ts';
import { isForSite, misfit } from '../core/decide.ts';
import { printable } from '../core/printable.ts';
import { type Finding, warning } from './finding.ts';
import type { Subject } from './subject.ts';

/** Sites whose votes count, take their window, and can be paid by none of the rewards that are for them. */
export async function checkRewards({ config }: Subject): Promise<readonly Finding[]> {
  return [...config.sites].flatMap(([site, { game }]) => {
    const rewards = config.rewards.filter((reward) => isForSite(reward, { site, service: site }));
    const misfits = rewards.flatMap((reward) => {
      const why = misfit(reward, recipientOf(game));
      return why === null ? [] : [`${reward.name} ${why}`];
    });
    if (rewards.length === 0 || misfits.length < rewards.length) return [];
    const sentence = `votes of ${printable(site, 64)} earn nothing: ${misfits.join('; ')}`;
    return [warning('rewards-misfit', sentence, toDo(game))];
  });
}

const recipientOf = (game: SiteGame) => (game === 'minecraft' ? 'player' : 'user');

const toDo = (game: SiteGame): string =>
  game === 'minecraft'
    ? 'add a reward that uses {player}'
    : `add a reward that uses {userId}, with "when": "always"; its game is ${game}`;
