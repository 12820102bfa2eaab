import type { Config, SiteGame } from '../config/config.ts';
import { shownService } from '../core/service-name.ts';
import { templateWarnings } from '../core/template-warning.ts';
import { templatesOf } from '../rewards/choices.ts';
import { type AnyCondition, conditionEntries } from '../rewards/conditions.ts';
import { unpayable } from '../rewards/recipient.ts';
import type { Reward } from '../rewards/reward.ts';
import { isForSite } from '../rewards/site.ts';
import { type Finding, warning } from '../core/finding.ts';
import type { Subject } from './subject.ts';

export async function checkRewards({ config }: Subject): Promise<readonly Finding[]> {
  const { rewards } = config;
  return [...sitesWithoutReward(config), ...rewards.flatMap(missedTotals), ...rewards.flatMap(sentAsWritten)];
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

/** A total is reached by one vote only. If a filter does not let that vote through, the reward is never paid for it. */
function missedTotals({ name, if: written }: Reward): readonly Finding[] {
  const keys = conditionEntries.filter(([key]) => written[key] !== undefined);
  const named = (isWanted: (condition: AnyCondition) => boolean) =>
    keys.filter(([, condition]) => isWanted(condition)).map(([key]) => `\`${key}\``);
  const totals = named(({ decidedFor }) => decidedFor === 'counted');
  const filters = named(({ decidedFor, nested, isDrawn }) => !decidedFor && !nested && !isDrawn);
  if (totals.length === 0 || filters.length === 0) return [];
  const [total, filter] = [totals.join(' and '), filters.join(' and ')];
  const sentence = `reward ${name} is paid for ${total} only if the very vote that reaches it also matches ${filter}; otherwise it is missed`;
  return [warning('total-filtered', sentence, 'to count only votes on some sites, use `votes.sites`')];
}

/** Probable mistakes in commands, each once per reward. */
function sentAsWritten(reward: Reward): readonly Finding[] {
  const { name } = reward;
  const byText = new Map(
    templatesOf(reward)
      .flatMap(templateWarnings)
      .map((each) => [each.written, each]),
  );
  return [...byText.values()].map(({ code, sentence, toDo }) =>
    warning(code, `reward ${name}: ${sentence}`, toDo),
  );
}

const recipientOf = (game: SiteGame) => (game === 'minecraft' ? 'player' : 'user');

const toDo = (game: SiteGame): string =>
  game === 'minecraft'
    ? 'add a reward that uses {player}'
    : `add a reward that uses {userId}, with "when": "always", because its game is ${game}`;
