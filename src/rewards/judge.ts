import { joined, NO_OCCASION, type Occasion } from '../core/occasion.ts';
import { periodName, periodOf } from '../core/period.ts';
import type { Facts, Reason } from '../core/reason.ts';
import { beforeStartText, reachedBeforeStart } from './before-start.ts';
import {
  isAtLeast,
  type JudgedVote,
  type Judging,
  type JudgingNested,
  type NestedIf,
  type Verdict,
  type VoteStanding,
  type Ways,
} from './condition.ts';
import {
  type AnyCondition,
  type ConditionName,
  conditionEntries,
  notHeldText,
  UNDECIDED,
} from './conditions.ts';
import type { History, RewardHistory } from './history.ts';
import { fullLimit } from './limit.ts';
import { misfitOf } from './recipient.ts';
import type { Reward } from './reward.ts';

/** Why a reward was granted, or the first thing that stopped it: a condition, by its key, or something else. */
export type RewardCode =
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

/** What a vote is granted a reward for, if nothing that is drawn prevents it, or why it is not granted. */
export type Judged =
  | { readonly kind: 'held'; readonly occasions: readonly Occasion[]; readonly because: Facts }
  | { readonly kind: 'not-held'; readonly reason: RewardReason };

/** Whether a reward says anything about a vote: one that only marks its day decides few conditions. */
export const isDecidedBy = (
  reward: Pick<Reward, 'if'>,
  { standing }: Pick<JudgedVote, 'standing'>,
): boolean => standing === 'rewarded' || isDecided(reward.if, standing);

/** Whether an `if` has a condition, at any depth, that depends on history and that such a vote decides. */
function isDecided(written: NestedIf, standing: VoteStanding): boolean {
  return stepsOf(written).some(
    ({ condition: { decidedFor, nested }, value }) =>
      (decidedFor !== undefined && isAtLeast(standing, decidedFor)) ||
      (nested?.(value) ?? []).some((inner) => isDecided(inner, standing)),
  );
}

/** Whether the reward has a condition that depends on other votes. */
export const needsHistory = (reward: Pick<Reward, 'if'>): boolean => dependsOnHistory(reward.if);

export const dependsOnHistory = (written: NestedIf): boolean => isDecided(written, 'rewarded');

/** Whether something is drawn before the reward is granted. */
export const isDrawn = (reward: Pick<Reward, 'if'>): boolean =>
  stepsOf(reward.if).some(({ condition }) => condition.isDrawn);

/** Whether a reward is granted, apart from what is drawn. */
export function judge(reward: Reward, by: Judging): Judged {
  const verdict = judgeIf(reward.if, by);
  if (!verdict.held) return { kind: 'not-held', reason: verdict.reason };
  const misfit = misfitOf(reward, by.vote.recipient.kind);
  if (misfit !== null) return notHeld('recipient-kind', { misfit });
  const judged = unspent(verdict.ways, verdict.because, by);
  // A full limit leaves the occasion for a later vote, so it is looked at before anything is drawn.
  if (judged.kind === 'not-held' || reward.limit === null) return judged;
  const full = fullLimit(reward.limit, by.vote, by.reward);
  return full === null ? judged : notHeld('limit', full);
}

type IfVerdict =
  | { readonly held: true; readonly ways: Ways; readonly because: Facts }
  | { readonly held: false; readonly reason: RewardReason };

/** Judges everything but what is drawn. */
export function judgeIf(written: NestedIf, judging: Judging): IfVerdict {
  const ended = endedBeforeStart(written, judging);
  if (ended !== null) return { held: false, reason: reason('before-start', ended) };
  let because = NO_FACTS;
  let ways: Ways = [[NO_OCCASION]];
  for (const { code, condition, value } of stepsOf(written)) {
    if (condition.isDrawn) continue;
    const verdict = holds(condition, value, judging);
    const { beforeStart } = verdict;
    if (beforeStart !== undefined) return { held: false, reason: reason('before-start', beforeStart) };
    if (!verdict.held) return { held: false, reason: reason(code, verdict.because) };
    because = both(because, verdict.because);
    if (verdict.ways !== undefined) ways = combined(ways, verdict.ways);
  }
  return { held: true, ways, because };
}

/** null: the vote's periods had not ended. */
function endedBeforeStart(written: NestedIf, { vote, reward }: Judging): Facts | null {
  if (vote.day >= reward.startDay) return null;
  for (const { condition, value } of stepsOf(written)) {
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
    if (verdict.held) return { held: true, ways: verdict.ways, sentence: 'holds' };
    const { code, facts = NO_FACTS } = verdict.reason;
    return code === 'before-start'
      ? { held: false, sentence: beforeStartText(facts), beforeStart: facts }
      : { held: false, sentence: notHeldText(code, facts), beforeStart: undefined };
  },
};

const NOTHING_DRAWN = (): number => Number.NaN;

/** Before anything is drawn. It is made for each reward and vote, and passed on as it is: copying it took a tenth of the time. */
export const judgingBy = (
  vote: JudgedVote,
  history: History,
  listed: readonly string[],
  reward: RewardHistory,
): Judging => ({ vote, history, listed, reward, draw: NOTHING_DRAWN, nested: NESTED });

/** What is drawn for an occasion: the first condition that is lost, and the facts of those that were won. */
export function judgeDrawn(
  reward: Reward,
  by: Judging,
  draw: () => number,
): { readonly lost: RewardReason | null; readonly because: Facts } {
  let because = NO_FACTS;
  for (const { code, condition, value } of stepsOf(reward.if)) {
    if (!condition.isDrawn) continue;
    const verdict = condition.holds(value, { ...by, draw });
    if (!verdict.held) return { lost: reason(code, verdict.because), because };
    because = both(because, verdict.because);
  }
  return { lost: null, because };
}

/** A condition that a vote cannot decide does not hold for it. */
const holds = (condition: AnyCondition, value: unknown, judging: Judging): Verdict =>
  condition.decidedFor === undefined || isAtLeast(judging.vote.standing, condition.decidedFor)
    ? condition.holds(value, judging)
    : { held: false, because: UNDECIDED };

/** The first way with an occasion that was not granted yet. Without an occasion there is nothing to spend. */
function unspent(ways: Ways, because: Facts, judging: Judging): Judged {
  const { vote, reward } = judging;
  const needsOccasion = vote.standing !== 'rewarded';
  const payable = ways.map((way) => way.filter(({ name }) => name !== '' || !needsOccasion));
  const open = payable.map((way) =>
    way.filter((each) => each.name === '' || !(each.isTaken || reward.isSpent(each))),
  );
  const occasions = open.find((way) => way.length > 0);
  if (occasions !== undefined) return { kind: 'held', occasions, because };
  const [spent] = payable.find((way) => way.length > 0) ?? [];
  if (spent?.isTaken === true) return notHeld('before-start', reachedBeforeStart(spent.name, judging));
  return notHeld('occasion-spent', { ...because, ...(spent === undefined ? {} : { occasion: spent.name }) });
}

const combined = (before: Ways, after: Ways): Ways =>
  before.flatMap((one) =>
    after.map((other) => one.flatMap((first) => other.map((second) => joined(first, second)))),
  );

const notHeld = (code: RewardCode, facts: Facts): Judged => ({
  kind: 'not-held',
  reason: reason(code, facts),
});

const NO_FACTS: Facts = {};

const both = (first: Facts, second: Facts): Facts => (isEmpty(second) ? first : { ...first, ...second });

const isEmpty = (facts: Facts): boolean => Object.keys(facts).length === 0;

export const reason = (code: RewardCode, facts: Facts): RewardReason =>
  isEmpty(facts) ? { code } : { code, facts };

interface Step {
  readonly code: ConditionName;
  readonly condition: AnyCondition;
  readonly value: unknown;
}

const known = new WeakMap<NestedIf, readonly Step[]>();

/** Computed once for each `if` of a config, because every vote needs it. */
function stepsOf(written: NestedIf): readonly Step[] {
  const before = known.get(written);
  if (before !== undefined) return before;
  const steps = stepsFor(written);
  known.set(written, steps);
  return steps;
}

const stepsFor = (written: NestedIf): readonly Step[] =>
  conditionEntries.flatMap(([code, condition]) => {
    const value = written[code];
    return value === undefined ? [] : [{ code, condition, value }];
  });
