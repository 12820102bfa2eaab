import { type Choice, choiceText } from '../core/choice.ts';
import type { RewardReasons } from '../core/decide.ts';
import type { Facts, Reason } from '../core/reason.ts';
import { beforeStartText } from './before-start.ts';
import { conditionEntries, notHeldText } from './conditions.ts';
import { limitText } from './limit.ts';
import { type Misfit, misfits } from './recipient.ts';

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

function grantedText(facts: Facts): string {
  const choices = choicesIn(facts);
  // "lost, paid otherwise, rolled 31%, needed less than 5%"
  const isOnlyOtherwise = choices.length === 1 && choices[0]?.from === 'otherwise';
  const [granted, ...drawn] = [...(isOnlyOtherwise ? [] : ['granted']), ...choices.map(choiceText)];
  return [
    occasionText(facts, granted ?? ''),
    ...conditionEntries.flatMap(([, { explain }]) => explain.held(facts) ?? []),
    ...drawn,
  ].join(', ');
}

/** As `decide` stored them. */
const choicesIn = ({ choices }: Facts): readonly Choice[] =>
  Array.isArray(choices) ? (choices as unknown as readonly Choice[]) : [];

/** `granted`, or `granted for total 25`. */
function occasionText({ occasions }: Facts, granted: string): string {
  return Array.isArray(occasions) ? `${granted} for ${occasions.join(' and for ')}` : granted;
}

/** A reward of the config at the time of the vote, for explain and preview. */
export interface ExplainedReward {
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
