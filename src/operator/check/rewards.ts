import type { Config, SiteGame } from '../../config/config.ts';
import { PUBLISHED } from '../../core/figure-template.ts';
import { type Finding, warning } from '../../core/finding.ts';
import type { Words } from '../../core/placeholders.ts';
import { shownService } from '../../core/service-name.ts';
import { warningsIn } from '../../core/template-warning.ts';
import { type AnyCondition, conditionEntries, isForSite } from '../../rewards/conditions.ts';
import { WORDS } from '../../rewards/grants.ts';
import { type Reward, templatesOf } from '../../rewards/reward.ts';
import { unpayable } from '../../rewards/words.ts';
import type { Subject } from './subject.ts';

/** What the config alone shows, so that it can be said before the config is used. */
export async function checkRewards({ config }: Pick<Subject, 'config'>): Promise<readonly Finding[]> {
  const { rewards } = config;
  return [
    ...sitesWithoutReward(config),
    ...rewards.flatMap(missedTotals),
    ...sentBy(config).flatMap(sentAsWritten),
  ];
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

/** The commands of an entry, and what is filled in there. */
interface Sent {
  readonly of: string;
  readonly templates: readonly string[];
  readonly words: Words;
}

/** Every command that the config sends. */
const sentBy = ({ rewards, party, tops, publish, remind }: Config): readonly Sent[] => [
  ...rewards.map((each) => sent('reward', each.name, templatesOf(each), WORDS.rewards)),
  ...party.map((each) => sent('party', each.name, templatesOf(each), WORDS.party)),
  ...party.map((each) => sent('party', each.name, each.announce, WORDS.announce)),
  ...tops.map((each) => sent('top', each.name, templatesOf(each), WORDS.tops)),
  ...publish.map((each) => sent('publish', each.name, each.commands, PUBLISHED)),
  ...remind.map((each) => sent('remind', each.name, each.commands, WORDS.remind)),
];

const sent = (list: string, name: string, templates: readonly string[], words: Words): Sent => ({
  of: `${list} ${name}`,
  templates,
  words,
});

/** Probable mistakes in commands, each once per entry. */
const sentAsWritten = ({ of, templates, words }: Sent): readonly Finding[] =>
  warningsIn(templates, words).map(({ code, sentence, toDo }) => warning(code, `${of}: ${sentence}`, toDo));

const recipientOf = (game: SiteGame) => (game === 'minecraft' ? 'player' : 'user');

const toDo = (game: SiteGame): string =>
  game === 'minecraft'
    ? 'add a reward that uses {player}'
    : `add a reward that uses {userId}, with "when": "always", because its game is ${game}`;
