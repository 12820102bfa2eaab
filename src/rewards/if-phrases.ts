import type { NestedIf } from './condition.ts';
import { type AnyCondition, conditionEntries } from './conditions.ts';
import { dependsOnHistory, needsHistory } from './judge.ts';
import type { Reward } from './reward.ts';

/**
 * The conditions of an `if` in everyday words, each of which follows "Players get it": first those that say which vote it
 * is, then those that look at the vote alone, and the chance last. Empty without conditions.
 */
export const ifPhrases = (written: NestedIf): readonly string[] =>
  conditionsIn(written)
    .toSorted((a, b) => rankOf(a) - rankOf(b))
    .map(({ condition, value }) => condition.phrase(value, nestedPhrase));

/** All of them as the end of one sentence: `for every vote on My-List.com, with a chance of 5%`. */
export function ifPhrase(reward: Pick<Reward, 'if'>): string {
  const [first, ...rest] = ifPhrases(reward.if);
  if (needsHistory(reward)) return [first, ...rest].join(', ');
  const isChance = first !== undefined && conditionsIn(reward.if).every(({ condition }) => condition.isDrawn);
  return [first === undefined ? EVERY : `${EVERY}${isChance ? ',' : ''} ${first}`, ...rest].join(', ');
}

const EVERY = 'for every vote';

interface Written {
  readonly condition: AnyCondition;
  readonly value: unknown;
}

const conditionsIn = (written: NestedIf): readonly Written[] =>
  conditionEntries.flatMap(([name, condition]) =>
    written[name] === undefined ? [] : [{ condition, value: written[name] }],
  );

function rankOf({ condition, value }: Written): number {
  if (condition.isDrawn) return 2;
  const inner = condition.nested?.(value) ?? [];
  const isOfHistory = condition.decidedFor !== undefined || inner.some(dependsOnHistory);
  return isOfHistory ? 0 : 1;
}

/** In parentheses where the words around it could be read as a part of it. */
function nestedPhrase(written: NestedIf): string {
  const phrase = ifPhrases(written).join(' and ');
  const inner = conditionsIn(written);
  const isSeveral =
    inner.length > 1 || inner.some(({ condition, value }) => (condition.nested?.(value).length ?? 0) > 1);
  return isSeveral ? `(${phrase})` : phrase;
}
