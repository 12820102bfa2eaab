/** An `if`: which facts it needs, how it is judged, why it does not hold, and what it asks for in everyday words. */
import { joined, NO_OCCASION } from '../core/occasion.ts';
import { periodName, periodOf } from '../core/period.ts';
import type { Facts, Reason } from '../core/reason.ts';
import {
  isAtLeast,
  type JudgedVote,
  type Judging,
  type JudgingNested,
  type NestedIf,
  type VoteKind,
  type VoteStanding,
  type Ways,
} from './condition.ts';
import { type AnyCondition, type ConditionName, conditionEntries } from './conditions.ts';
import { Answers, type Need, NO_HISTORY, RewardHistory } from './history.ts';

/** A condition as it is written in an `if`. */
interface WrittenCondition {
  readonly code: ConditionName;
  readonly condition: AnyCondition;
  readonly value: unknown;
}

const known = new WeakMap<NestedIf, readonly WrittenCondition[]>();

/** In order. Computed once for each `if` of a config, because every vote needs it. */
export function conditionsIn(written: NestedIf): readonly WrittenCondition[] {
  const before = known.get(written);
  if (before !== undefined) return before;
  const found = conditionEntries.flatMap(([code, condition]) => {
    const value = written[code];
    return value === undefined ? [] : [{ code, condition, value }];
  });
  known.set(written, found);
  return found;
}

/** Whether an `if` has a condition, at any depth, that depends on history and that a vote of this standing decides. */
export function isDecided(written: NestedIf, standing: VoteStanding): boolean {
  return conditionsIn(written).some(
    ({ condition: { decidedFor, nested }, value }) =>
      (decidedFor !== undefined && isAtLeast(standing, decidedFor)) ||
      (nested?.(value) ?? []).some((inner) => isDecided(inner, standing)),
  );
}

/** Whether the reward has a condition that depends on other votes. */
export const needsHistory = (reward: { readonly if: NestedIf }): boolean => isDecided(reward.if, 'rewarded');

/** The facts that the conditions of an `if` need for votes like this one; null if one of them holds for no such vote. */
export function needsOfIf(written: NestedIf, about: VoteKind): readonly Need[] | null {
  const inside = conditionsIn(written);
  if (inside.some(({ condition: { mayHold }, value }) => mayHold?.(value, about) === false)) return null;
  return inside.flatMap(({ condition: { needs, nested }, value }) => [
    ...(needs?.(value, about) ?? []),
    ...(nested?.(value) ?? []).flatMap((inner) => needsOfIf(inner, about) ?? []),
  ]);
}

/** Why a reward was granted, or the first thing that stopped it: a condition, by its key, or something else. */
type RewardCode =
  | 'granted'
  /** What it is for had ended, or was reached, when a running config first contained the reward. */
  | 'before-start'
  | 'recipient-kind'
  | 'occasion-spent'
  | 'limit'
  | 'stop'
  | 'first-of'
  | 'no-prize'
  /** The vote counted for a party. */
  | 'party'
  | 'party-over'
  | ConditionName;

export type RewardReason = Reason<RewardCode>;

const NO_FACTS: Facts = {};

const isEmpty = (facts: Facts): boolean => {
  for (const _ in facts) return false;
  return true;
};

export const reason = (code: RewardCode, facts: Facts = NO_FACTS): RewardReason =>
  isEmpty(facts) ? { code } : { code, facts };

const bothFacts = (first: Facts, second: Facts = NO_FACTS): Facts =>
  isEmpty(second) ? first : { ...first, ...second };

export type IfVerdict =
  | { readonly held: true; readonly ways: Ways; readonly because: Facts }
  | { readonly held: false; readonly reason: RewardReason };

const notHeld = (code: RewardCode, facts: Facts | undefined): IfVerdict => ({
  held: false,
  reason: reason(code, facts),
});

/** Judges either what is drawn or everything else. */
export function judgeIf(written: NestedIf, judging: Judging, which: 'drawn' | 'sure' = 'sure'): IfVerdict {
  const ended = endedBeforeStart(written, judging);
  if (ended !== null) return notHeld('before-start', ended);
  let because = NO_FACTS;
  let ways: Ways = [[NO_OCCASION]];
  for (const { code, condition, value } of conditionsIn(written)) {
    if ((condition.isDrawn === true) !== (which === 'drawn')) continue;
    // A condition that a vote cannot decide, because it enters no total, does not hold for it.
    if (condition.decidedFor !== undefined && !isAtLeast(judging.vote.standing, condition.decidedFor))
      return notHeld(code, UNDECIDED);
    const verdict = condition.holds(value, judging);
    if (verdict.beforeStart !== undefined) return notHeld('before-start', verdict.beforeStart);
    if (!verdict.held) return notHeld(code, verdict.because);
    because = bothFacts(because, verdict.because);
    if (verdict.ways !== undefined) ways = combined(ways, verdict.ways);
  }
  return { held: true, ways, because };
}

const combined = (before: Ways, after: Ways): Ways =>
  before.flatMap((one) =>
    after.map((other) => one.flatMap((first) => other.map((second) => joined(first, second)))),
  );

/** null: the vote's periods had not ended. */
function endedBeforeStart(written: NestedIf, { vote, reward }: Judging): Facts | null {
  if (vote.day >= reward.startDay) return null;
  for (const { condition, value } of conditionsIn(written)) {
    const per = condition.period?.(value) ?? null;
    if (per === null || periodOf(per, vote.day) >= periodOf(per, reward.startDay)) continue;
    return { ended: periodName(per, periodOf(per, vote.day)), started: periodName('day', reward.startDay) };
  }
  return null;
}

export const NESTED: JudgingNested = {
  isDecided,
  judge: (written, judging) => {
    const verdict = judgeIf(written, judging);
    if (verdict.held) return { held: true, ways: verdict.ways };
    const { code, facts = NO_FACTS } = verdict.reason;
    return code === 'before-start'
      ? { held: false, sentence: beforeStartText(facts), beforeStart: facts }
      : { held: false, sentence: notHeldText(code, facts) };
  },
};

/** The first of these conditions, which look at the vote only, that does not hold; null if all do. */
export function filteredOut(written: NestedIf, vote: JudgedVote): RewardReason | null {
  const reward = new RewardHistory('', Number.MIN_SAFE_INTEGER, new Answers());
  const judging = { vote, history: NO_HISTORY, reward, listed: [], draw: () => 0, nested: NESTED };
  const verdict = judgeIf(written, judging);
  return verdict.held ? null : verdict.reason;
}

const UNDECIDED: Facts = { undecided: true };

/** The end of a sentence: why the condition of this name does not hold. */
export function notHeldText(name: string, facts: Facts): string {
  if (facts.undecided === true) return 'this vote enters no total';
  const [, found] = conditionEntries.find(([each]) => each === name) ?? [];
  // The name may be that of a removed condition or of a newer Teller.
  return found?.explain.notHeld(facts) ?? name;
}

export const beforeStartText = ({ ended, reached, started }: Facts): string =>
  reached === undefined
    ? `${ended} ended before the reward started, on ${started}`
    : `reached ${reached} before the reward started, on ${started}`;

/**
 * The conditions of an `if` in everyday words, each of which follows "Players get it": first those that say which vote it
 * is, then those that look at the vote alone, and the chance last. Empty without conditions.
 */
export const ifPhrases = (written: NestedIf): readonly string[] =>
  conditionsIn(written)
    .toSorted((a, b) => rankOf(a) - rankOf(b))
    .map(({ condition, value }) => condition.phrase(value, nestedPhrase));

/** All of them as the end of one sentence: `for every vote on My-List.com, with a chance of 5%`. */
export function ifPhrase(reward: { readonly if: NestedIf }): string {
  const [first, ...rest] = ifPhrases(reward.if);
  if (needsHistory(reward)) return [first, ...rest].join(', ');
  const isChance = first !== undefined && conditionsIn(reward.if).every(({ condition }) => condition.isDrawn);
  return [first === undefined ? EVERY : `${EVERY}${isChance ? ',' : ''} ${first}`, ...rest].join(', ');
}

const EVERY = 'for every vote';

function rankOf({ condition, value }: WrittenCondition): number {
  if (condition.isDrawn) return 2;
  const inner = condition.nested?.(value) ?? [];
  const isOfHistory = condition.decidedFor !== undefined || inner.some((each) => isDecided(each, 'rewarded'));
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
