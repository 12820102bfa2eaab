/** Why a reward was granted or not, and what was drawn for it, in words. */
import { type Choice, choiceText } from '../core/choice.ts';
import type { RewardReasons } from '../core/decide.ts';
import type { Facts, Reason } from '../core/reason.ts';
import type { Recipient, Vote } from '../core/vote.ts';
import { conditionEntries, isForSite } from './conditions.ts';
import { beforeStartText, notHeldText } from './judge-if.ts';
import { type Limit, type Misfit, misfitOf, misfits, type Reward } from './reward.ts';

const SPANS: Readonly<Record<string, string>> = {
  day: 'today',
  week: 'this week',
  month: 'this month',
  '24h': 'in 24 hours',
};

/** In everyday words: `at most 3 times a day for each player`. */
export function limitPhrase({ per, count, within }: Limit): string {
  const times = count === 1 ? 'once' : `${count.toLocaleString('en')} times`;
  const span = within === 'ever' ? 'ever' : within === '24h' ? 'in any 24 hours' : `a ${within}`;
  return `at most ${times} ${span} for ${per === 'player' ? 'each player' : 'all players together'}`;
}

/** `3 of 3 today` */
const limitText = ({ granted, count, per, within }: Facts): string =>
  [`${granted} of ${count}`, SPANS[String(within)], per === 'network' ? 'for all players' : '']
    .filter(Boolean)
    .join(' ');

/** The end of a sentence that begins with the reward: "lucky: rolled 31%, needed less than 5%". */
export function reasonText({ code, facts = {} }: Reason): string {
  if (code === 'granted') return grantedText(facts);
  if (code === 'before-start') return beforeStartText(facts);
  if (code === 'limit') return limitText(facts);
  if (code === 'stop') return `stopped by ${facts.by}`;
  if (code === 'first-of') return `${facts.by} came first`;
  if (code === 'no-prize') return `no prize for ${facts.threshold}`;
  if (code === 'recipient-kind') return misfits[facts.misfit as Misfit] ?? code;
  if (code === 'party') return partyText(facts);
  if (code === 'party-over') return 'not counted: its period was over when it arrived';
  if (code === 'occasion-spent') return `already decided for ${facts.occasion ?? 'it'}`;
  return notHeldText(code, facts);
}

/** `counted, 3 left until party 12`, or `reached party 12`. */
const partyText = ({ number, left }: Facts): string =>
  left === 0 ? `reached party ${number}` : `counted, ${left} left until party ${number}`;

/** `granted`, or `granted for total 25`. */
function grantedText(facts: Facts): string {
  const { occasions } = facts;
  // As `decide` stored them.
  const choices = Array.isArray(facts.choices) ? (facts.choices as unknown as readonly Choice[]) : [];
  // "lost, paid otherwise, rolled 31%, needed less than 5%"
  const isOnlyOtherwise = choices.length === 1 && choices[0]?.from === 'otherwise';
  const [granted, ...drawn] = [...(isOnlyOtherwise ? [] : ['granted']), ...choices.map(choiceText)];
  return [
    `${granted ?? ''}${Array.isArray(occasions) ? ` for ${occasions.join(' and for ')}` : ''}`,
    ...conditionEntries.flatMap(([, { explain }]) => explain.held?.(facts) ?? []),
    ...drawn,
  ].join(', ');
}

/** A reward of the config at the time of the vote, for explain and preview. */
interface ExplainedReward {
  readonly reward: string;
  readonly granted: boolean;
  readonly code: string;
  readonly facts: Facts;
  readonly sentence: string;
}

export const explainRewards = (reasons: RewardReasons): readonly ExplainedReward[] =>
  [...reasons].map(([reward, reason]) => ({
    reward,
    granted: reason.code === 'granted',
    code: reason.code,
    facts: reason.facts ?? {},
    sentence: reasonText(reason),
  }));

/** The number that was drawn for a reward, beside its chance. */
export interface Roll {
  readonly reward: string;
  readonly chance: number;
  readonly rolled: number;
}

/** The draws that reasons contain. */
export const rollsIn = (reasons: RewardReasons): readonly Roll[] =>
  [...reasons].flatMap(([reward, { facts: { chance, rolled } = {} }]) =>
    typeof chance === 'number' && typeof rolled === 'number' ? [{ reward, chance, rolled }] : [],
  );

/** The reasons without the numbers drawn, for a vote whose draws were only assumed (`ALL_WON`). */
export const withoutRolls = (reasons: RewardReasons): RewardReasons =>
  new Map(
    [...reasons].map(([reward, { code, facts: { rolled: _, ...facts } = {} }]) => [reward, { code, facts }]),
  );

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
