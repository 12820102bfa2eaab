import type { Config, SiteGame } from '../config/config.ts';
import { shownService } from '../core/service-name.ts';
import { templateWarnings } from '../core/template-warning.ts';
import { unpayable } from '../rewards/recipient.ts';
import type { Reward } from '../rewards/reward.ts';
import { isForSite } from '../rewards/site.ts';
import { type Finding, warning } from '../core/finding.ts';
import type { Subject } from './subject.ts';

export async function checkRewards({ config }: Subject): Promise<readonly Finding[]> {
  return [...sitesWithoutReward(config), ...config.rewards.flatMap(sentAsWritten)];
}

/** Sites whose votes are recorded and take their window, although none of the rewards can be paid for them. */
function sitesWithoutReward(config: Config): readonly Finding[] {
  return [...config.sites].flatMap(([site, { game }]) => {
    const at = { site, service: site };
    const unfit = unpayable(config.rewards, at, recipientOf(game));
    const isAnyFit = config.rewards.filter((reward) => isForSite(reward, at)).length > unfit.length;
    if (unfit.length === 0 || isAnyFit) return [];
    const sentence = `votes on ${shownService(site, 64)} earn nothing: ${unfit.join('; ')}`;
    return [warning('rewards-misfit', sentence, toDo(game))];
  });
}

/** Probable mistakes in commands, each once per reward. */
function sentAsWritten({ name, commands }: Reward): readonly Finding[] {
  const byText = new Map(commands.flatMap(templateWarnings).map((each) => [each.written, each]));
  return [...byText.values()].map(({ code, sentence, toDo }) =>
    warning(code, `reward ${name}: ${sentence}`, toDo),
  );
}

const recipientOf = (game: SiteGame) => (game === 'minecraft' ? 'player' : 'user');

const toDo = (game: SiteGame): string =>
  game === 'minecraft'
    ? 'add a reward that uses {player}'
    : `add a reward that uses {userId}, with "when": "always", because its game is ${game}`;
