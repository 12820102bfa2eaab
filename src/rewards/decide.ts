import type { Choice } from '../core/choice.ts';
import { windowOf } from '../core/cooldown.ts';
import {
  type Decision,
  decideWindow,
  type Earned,
  type JudgedArrival,
  NOTHING_EARNED,
  type WindowDecision,
} from '../core/decide.ts';
import { localDay } from '../core/local-time.ts';
import type { Occasion } from '../core/occasion.ts';
import type { Facts } from '../core/reason.ts';
import type { RewardedVote } from '../core/window.ts';
import type { Arrival } from './arrival.ts';
import { allChoices, chosen } from './choices.ts';
import type { JudgedVote, Judging, VoteStanding } from './condition.ts';
import { type DrawPurpose, type Draws, draw } from './draws.ts';
import { type Granted, planGrants } from './grants.ts';
import { type History, including } from './history.ts';
import {
  isDecidedBy,
  isDrawn,
  judge,
  judgeDrawn,
  judgingBy,
  needsHistory,
  type RewardReason,
  reason,
} from './judge.ts';
import type { Reward, Rules } from './reward.ts';

type Plan = typeof planGrants;

export const planNothing: Plan = () => [];

/**
 * Whether a vote takes its window (rule 3), and what it then earns. Pure; the caller reads the history and stores the
 * decision in one transaction.
 *
 * @param rewarded the recipient's rewarded votes that share the site's windows, since `closeSince`, oldest first.
 * @param before the history without this vote.
 * @param plan makes the grants: `planNothing` where they are not wanted, which is a fifth of the work.
 */
export function decide(
  arrival: Arrival,
  rewarded: readonly RewardedVote[],
  before: History,
  plan: Plan = planGrants,
): Decision {
  const decision = decideWindow(arrival, rewarded);
  const standing = standingOf(decision, arrival);
  if (standing === null) return { ...decision, ...NOTHING_EARNED };
  const { vote, rules, draws } = arrival;
  const day = localDay(vote.castAt, rules.zone);
  const judged = { ...vote, standing, day, zone: rules.zone, nextAt: nextAt(decision, arrival) };
  return { ...decision, ...earnedBy(judged, rules, draws, before, plan) };
}

/** A vote that is too old takes no window, but its own is the best that is known. */
const nextAt = (decision: WindowDecision, { vote, cooldown }: JudgedArrival): number =>
  'nextAt' in decision ? decision.nextAt : windowOf(vote.castAt, cooldown).end;

/** null: the vote says nothing about its player. */
export function standingOf({ kind }: WindowDecision, { countsAll }: JudgedArrival): VoteStanding | null {
  if (kind === 'rewarded') return 'rewarded';
  if (kind === 'cooldown' && countsAll) return 'counted';
  return kind === 'cooldown' || kind === 'unlisted' || kind === 'too-old' ? 'marked' : null;
}

/** What a vote earns by these rules, and for every reward that it decides, why it was granted or not. */
const earnedBy = (
  vote: JudgedVote,
  rules: Rules,
  draws: Draws,
  before: History,
  plan: Plan = planGrants,
): Earned => {
  const { service, day, standing } = vote;
  const history = including({ service, day, isCounted: standing !== 'marked' }, before);
  return earnedIn(history, vote, rules, draws, plan);
};

/** @param history with the vote. */
function earnedIn(
  history: History,
  vote: JudgedVote,
  rules: Rules,
  draws: Draws,
  plan: Plan = planGrants,
): Earned {
  const listed = rules.listed[vote.recipient.kind];
  const outcomes: Outcome[] = [];
  const paid: Outcome[] = [];
  for (const reward of rules.rewards) {
    if (!isDecidedBy(reward, vote)) continue;
    const judging = judgingBy(vote, history, listed, history.reward(reward.name));
    const prevented = passedOver(reward, paid);
    const outcome =
      prevented === null ? outcomeOf(reward, judging, draws) : (beforeStart(reward, judging) ?? prevented);
    outcomes.push(outcome);
    if (outcome.isSure && outcome.granted.length > 0) paid.push(outcome);
  }
  const source = { vote, history, draws, rules };
  return {
    grants: outcomes.flatMap(({ reward, granted }) => granted.flatMap((each) => plan(reward, each, source))),
    spent: outcomes.flatMap(({ reward, spent }) =>
      spent.map((occasion) => ({ reward: reward.name, occasion })),
    ),
    reasons: new Map(outcomes.map(({ reward, reason }) => [reward.name, reason])),
  };
}

/**
 * What a vote earns that is rewarded after it was recorded. What it meant for totals and streaks was decided then, so
 * rewards for those are left out, and it is added to no count.
 *
 * @param history as it is now, with the vote as it was recorded.
 */
export const earnedLate = (vote: JudgedVote, rules: Rules, draws: Draws, history: History): Earned =>
  earnedIn(
    history,
    vote,
    { ...rules, rewards: rules.rewards.filter((reward) => !needsHistory(reward)) },
    draws,
  );

interface Outcome {
  readonly reward: Reward;
  readonly granted: readonly Granted[];
  /** Also those whose chance was lost. */
  readonly spent: readonly Occasion[];
  /** Whether it is granted whatever is drawn, or was drawn. */
  readonly isSure: boolean;
  readonly reason: RewardReason;
}

/** null: none of the rewards before it, which are surely paid, prevents it. */
function passedOver(reward: Reward, paid: readonly Outcome[]): Outcome | null {
  const stopping = paid.find((earlier) => earlier.reward.stop);
  if (stopping !== undefined) return nothing(reward, reason('stop', { by: stopping.reward.name }));
  const { firstOf } = reward;
  const first = paid.find((earlier) => firstOf !== null && earlier.reward.firstOf === firstOf);
  return first === undefined ? null : nothing(reward, reason('first-of', { by: first.reward.name }));
}

/** That is the reason first, whatever was paid before it; null if it is none. */
function beforeStart(reward: Reward, judging: Judging): Outcome | null {
  const judged = judge(reward, judging);
  return judged.kind === 'not-held' && judged.reason.code === 'before-start'
    ? nothing(reward, judged.reason)
    : null;
}

const nothing = (reward: Reward, why: RewardReason): Outcome => ({
  reward,
  granted: [],
  spent: [],
  isSure: true,
  reason: why,
});

function outcomeOf(reward: Reward, judging: Judging, draws: Draws): Outcome {
  const drawFor = (purpose: DrawPurpose, occasion: string) => () =>
    draw(draws, purpose, reward.name, occasion);
  const judged = judge(reward, judging);
  if (judged.kind === 'not-held') return nothing(reward, judged.reason);
  const drawn = judged.occasions.map((occasion): Drawn => {
    const { lost, because } = judgeDrawn(reward, judging, drawFor('chance', occasion.name));
    const choices =
      draws.kind === 'won'
        ? allChoices(reward, occasion.threshold, isDrawn(reward))
        : oneChoice(reward, occasion, lost !== null, drawFor('oneOf', occasion.name));
    return { occasion, lost, because, choices };
  });
  return {
    reward,
    granted: drawn.flatMap(({ occasion, choices }) => choices.map((choice) => ({ occasion, choice }))),
    spent: judged.occasions.filter(({ name }) => name !== ''),
    isSure: draws.kind === 'drawn' || !isDrawn(reward) || reward.otherwise.length > 0,
    reason: reasonFor(judged.because, drawn, draws),
  };
}

/** What was drawn for an occasion. */
interface Drawn {
  readonly occasion: Occasion;
  readonly lost: RewardReason | null;
  readonly because: Facts;
  readonly choices: readonly (Choice | null)[];
}

function oneChoice(
  reward: Reward,
  { threshold }: Occasion,
  isLost: boolean,
  drawn: () => number,
): readonly (Choice | null)[] {
  if (isLost) return reward.otherwise.length === 0 ? [] : [{ from: 'otherwise' }];
  const choice = chosen(reward, threshold, drawn);
  return choice === undefined ? [] : [choice];
}

function reasonFor(because: Facts, drawn: readonly Drawn[], draws: Draws): RewardReason {
  const granted = drawn.filter(({ choices }) => choices.length > 0);
  const [first] = granted;
  if (first === undefined) {
    const { lost = null, occasion } = drawn[0] ?? {};
    return lost ?? reason('no-prize', { threshold: occasion?.threshold ?? null });
  }
  const choices = granted.flatMap((each) => each.choices).filter((choice) => choice !== null);
  return reason('granted', {
    ...because,
    ...(first.lost?.facts ?? first.because),
    ...occasionFacts(granted.map(({ occasion }) => occasion)),
    ...(draws.kind === 'drawn' && choices.length > 0
      ? { choices: choices.map((each) => ({ ...each })) }
      : {}),
  });
}

const occasionFacts = (granted: readonly Occasion[]): Facts => {
  const names = granted.map(({ name }) => name).filter((name) => name !== '');
  return names.length === 0 ? {} : { occasions: names };
};
