import { messageWords } from '../../config/schema-messages.ts';
import { listText } from '../../core/list-text.ts';
import { percent } from '../../core/percent.ts';
import { commandsFor, prizeName, shareOf } from '../../rewards/grants.ts';
import type { Prize, Reward } from '../../rewards/reward.ts';
import type { ChoiceWords, Step } from './entry.ts';

/** What a reward may run: what is drawn, with its effective probability. */
export const choicesOf = (reward: Reward): readonly ChoiceWords[] => [
  ...wonChoices(reward, reward.if.chance ?? 1),
  ...lostChoices(reward, reward.if.chance ?? 1),
];

function wonChoices(reward: Reward, chance: number): readonly ChoiceWords[] {
  const { oneOf, prizes, commands } = reward;
  if (oneOf.length > 0)
    return oneOf.map((each) => {
      const share = shareOf(reward, each);
      const choice = { from: 'oneOf', name: each.name, share } as const;
      return { lead: each.name, share: chance * share, steps: stepsOf(reward, commandsFor(reward, choice)) };
    });
  const share = chance === 1 ? null : chance;
  const plain = stepsOf(reward, commandsFor(reward, null));
  if (prizes.length === 0) return [{ lead: chance === 1 ? null : 'won', share, steps: plain }];
  const byThreshold = prizes.map((prize): ChoiceWords => {
    const choice = { from: 'prizes', name: prizeName(prize) } as const;
    return { lead: thresholdText(reward, prize), share, steps: stepsOf(reward, commandsFor(reward, choice)) };
  });
  return commands.length === 0
    ? byThreshold
    : [...byThreshold, { lead: 'at any other', share, steps: plain }];
}

function lostChoices(reward: Reward, chance: number): readonly ChoiceWords[] {
  if (chance === 1) return [];
  const steps = stepsOf(reward, reward.otherwise);
  return [{ lead: steps.length === 0 ? 'nothing' : 'otherwise', share: 1 - chance, steps }];
}

/** `at 10 votes`, `at a streak of 7 to 13`. */
function thresholdText({ if: { streak } }: Reward, { from, to }: Prize): string {
  const numbers =
    from === to ? from.toLocaleString('en') : `${from.toLocaleString('en')} to ${to.toLocaleString('en')}`;
  if (streak !== undefined) return `at a streak of ${numbers}`;
  return `at ${numbers} ${to === 1 ? 'vote' : 'votes'}`;
}

const stepsOf = ({ messages }: Reward, commands: readonly string[] | null): readonly Step[] =>
  (commands ?? []).map((command) => ({
    command,
    means: messages.includes(command) ? messageWords(command) : null,
  }));

/** `80% usual or 20% rare`, with what a lost chance pays; null if nothing is drawn. */
export function oddsOf(reward: Reward): string | null {
  const chance = reward.if.chance ?? 1;
  const won = reward.oneOf.length > 0 ? wonChoices(reward, chance) : [];
  const name = reward.prizes.length > 0 ? 'the prize' : 'won';
  const alone = chance === 1 ? [] : [{ lead: name, share: chance }];
  const drawn = [...(won.length > 0 ? won : alone), ...lostChoices(reward, chance)];
  if (drawn.length === 0) return null;
  return listText(
    drawn.map(({ lead, share }) => `${percent(share ?? 0)} ${lead}`),
    'or',
  );
}
