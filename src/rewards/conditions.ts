/** All conditions by their keys in `if`, those that combine others, and how an `if` is judged. */
import type { z } from 'zod';
import { listText } from '../core/list-text.ts';
import { joined, NO_OCCASION } from '../core/occasion.ts';
import { periodName, periodOf } from '../core/period.ts';
import type { Facts, Reason } from '../core/reason.ts';
import {
  type Condition,
  condition,
  isAtLeast,
  type JudgedVote,
  type Judging,
  type JudgingNested,
  type NestedIf,
  type VoteKind,
  type VoteStanding,
  type Ways,
} from './condition.ts';
import { Answers, type Need, NO_HISTORY, RewardHistory } from './history.ts';
import { allSites, firstVote, returning, votes } from './history-conditions.ts';
import { streak } from './streaks.ts';
import { between, chance, hours, site, weekday } from './vote-conditions.ts';

const ARMS_MAX = 10;

/** Holds if one of several `if` holds; the first of them whose occasion was not granted yet gives it. */
const any = condition({
  schema: ({ list, nestedIf }) =>
    list(nestedIf(), 1, ARMS_MAX)
      .meta({ title: 'list of `if`' })
      .describe('At least one of these has to hold; each is written like an `if`, without `chance`.'),
  example: [{ weekday: ['sat'] }, { firstVote: 'day' }],
  holds: (arms, judging) => {
    const { vote, nested } = judging;
    const decided = arms.filter(
      (arm) => vote.standing === 'rewarded' || nested.isDecided(arm, vote.standing),
    );
    const judged = decided.map((arm) => nested.judge(arm, judging));
    const ways = judged.flatMap((each) => (each.held ? each.ways : []));
    const held = judged.some((each) => each.held);
    const because = { arms: judged.map(({ sentence }) => sentence) };
    if (held) return { held, because: {} as typeof because, ways };
    const beforeStart = judged.map((each) => (each.held ? undefined : each.beforeStart));
    return { held, because, beforeStart: beforeStart.includes(undefined) ? undefined : beforeStart[0] };
  },
  explain: {
    held: () => null,
    notHeld: ({ arms }) => (arms.length === 0 ? 'none applies' : arms.join('; ')),
  },
  phrase: (arms, nested) => `${arms.length > 1 ? 'either ' : ''}${listText(arms.map(nested), 'or')}`,
  nested: (arms: readonly NestedIf[]) => arms,
});

/** Holds if an `if` does not hold. It gives no occasion. */
const not = condition({
  schema: ({ nestedIf }) =>
    nestedIf()
      .meta({ title: 'if' })
      .describe('This must not hold; it is written like an `if`, without `chance`.'),
  example: { weekday: ['sat'] },
  holds: (written, judging) => ({ held: !judging.nested.judge(written, judging).held, because: {} }),
  explain: { held: () => null, notHeld: () => 'what it excludes holds' },
  phrase: (written, nested) => `not ${nested(written)}`,
  nested: (written: NestedIf) => [written],
});

/**
 * Every condition, by its key in `if`. They are checked in this order, and join their occasions in it; the first one that does not
 * hold is the reason why the reward was not granted.
 */
export const conditions = {
  ...{ site, votes, firstVote, streak, allSites },
  ...{ weekday, between, hours, returning, any, not, chance },
};

export type ConditionName = keyof typeof conditions;

/** The `if` of a reward after loading. */
export type If = {
  readonly [Name in ConditionName]?: z.output<ReturnType<(typeof conditions)[Name]['schema']>> | undefined;
};

/** Any condition. */
export type AnyCondition = Condition<z.ZodType, Facts>;

export const conditionEntries = Object.entries(conditions) as unknown as readonly (readonly [
  ConditionName,
  AnyCondition,
])[];

/** Those that choose votes, rather than rewards: they look at the vote only. Those that combine others do if the others do. */
export const filterEntries = conditionEntries.filter(
  ([, { decidedFor, isDrawn }]) => decidedFor === undefined && isDrawn === undefined,
);

/** A condition as it is written in an `if`. */
export interface WrittenCondition {
  readonly code: ConditionName;
  readonly condition: AnyCondition;
  readonly value: unknown;
}

const known = new WeakMap<NestedIf, readonly WrittenCondition[]>();

/** In order. Computed once for each `if` of a config, because every vote needs it. */
export function conditionsIn(written: NestedIf): readonly WrittenCondition[] {
  const before = known.get(written);
  if (before !== undefined) return before;
  const found = conditionEntries.flatMap(([code, each]) => {
    const value = written[code];
    return value === undefined ? [] : [{ code, condition: each, value }];
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

/** The facts that the conditions of an `if` need for votes like this one; none if one of them holds for no such vote. */
export function needsOfIf(written: NestedIf, about: VoteKind): readonly Need[] {
  const inside = conditionsIn(written);
  if (inside.some(({ condition: { mayHold }, value }) => mayHold?.(value, about) === false)) return [];
  return inside.flatMap(({ condition: { needs, nested }, value }) => [
    ...(needs?.(value, about) ?? []),
    ...(nested?.(value) ?? []).flatMap((inner) => needsOfIf(inner, about)),
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

export const reason = (code: RewardCode, facts: Facts): RewardReason =>
  isEmpty(facts) ? { code } : { code, facts };

export const bothFacts = (first: Facts, second: Facts): Facts =>
  isEmpty(second) ? first : { ...first, ...second };

type IfVerdict =
  | { readonly held: true; readonly ways: Ways; readonly because: Facts }
  | { readonly held: false; readonly reason: RewardReason };

/** Judges everything but what is drawn. */
export function judgeIf(written: NestedIf, judging: Judging): IfVerdict {
  const ended = endedBeforeStart(written, judging);
  if (ended !== null) return { held: false, reason: reason('before-start', ended) };
  let because = NO_FACTS;
  let ways: Ways = [[NO_OCCASION]];
  for (const { code, condition: each, value } of conditionsIn(written)) {
    if (each.isDrawn) continue;
    // A condition that a vote cannot decide, because it enters no total, does not hold for it.
    if (each.decidedFor !== undefined && !isAtLeast(judging.vote.standing, each.decidedFor))
      return { held: false, reason: reason(code, UNDECIDED) };
    const verdict = each.holds(value, judging);
    if (verdict.beforeStart !== undefined)
      return { held: false, reason: reason('before-start', verdict.beforeStart) };
    if (!verdict.held) return { held: false, reason: reason(code, verdict.because) };
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
  for (const { condition: each, value } of conditionsIn(written)) {
    const per = each.period?.(value) ?? null;
    if (per === null || periodOf(per, vote.day) >= periodOf(per, reward.startDay)) continue;
    return { ended: periodName(per, periodOf(per, vote.day)), started: periodName('day', reward.startDay) };
  }
  return null;
}

export const NESTED: JudgingNested = {
  isDecided,
  judge: (written, judging) => {
    const verdict = judgeIf(written, judging);
    if (verdict.held) return { held: true, ways: verdict.ways, sentence: 'holds' };
    const { code, facts = NO_FACTS } = verdict.reason;
    return code === 'before-start'
      ? { held: false, sentence: beforeStartText(facts), beforeStart: facts }
      : { held: false, sentence: notHeldText(code, facts), beforeStart: undefined };
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
