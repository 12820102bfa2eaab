import { listText } from '../../core/list-text.ts';
import { ifPhrase } from '../../rewards/if-phrases.ts';
import { limitPhrase } from '../../rewards/limit.ts';
import type { Reward } from '../../rewards/reward.ts';
import { choicesOf, oddsOf } from './choices.ts';
import type { EntryWords } from './entry.ts';
import { paymentSentences } from './payment.ts';

/** @param all every reward of the config, because a vote gets only the first of some. */
export const rewardWords = (reward: Reward, all: readonly Reward[]): EntryWords => ({
  kind: 'reward',
  name: reward.name,
  when: whenSentences(reward, all),
  choices: choicesOf(reward),
  odds: oddsOf(reward),
  paid: paymentSentences(reward),
});

const whenSentences = (reward: Reward, all: readonly Reward[]): readonly string[] => [
  `Players get it ${ifPhrase(reward)}.`,
  ...(reward.limit === null ? [] : [`They get it ${limitPhrase(reward.limit)}.`]),
  ...firstOfSentences(reward, all),
  ...(reward.stop ? ['A vote that is granted it gets none of the rewards after it.'] : []),
  ...(reward.was.length === 0
    ? []
    : [`It carries on what was counted and granted as ${listText(reward.was, 'and')}.`]),
];

function firstOfSentences({ name, firstOf }: Reward, all: readonly Reward[]): readonly string[] {
  if (firstOf === null) return [];
  const group = all.filter((each) => each.firstOf === firstOf).map((each) => each.name);
  const before = group.slice(0, group.indexOf(name));
  return [
    before.length === 0
      ? `A vote that is granted it gets none of ${listText(group.slice(1), 'and')}.`
      : `Only if the vote is not granted ${listText(before, 'or')}.`,
  ];
}
