import {
  type Decision,
  decideWindow,
  type Earned,
  type JudgedArrival,
  NOTHING_EARNED,
  type WindowDecision,
} from '../core/decide.ts';
import type { Facts } from '../core/reason.ts';
import { localDay } from '../core/local-time.ts';
import type { RewardedVote } from '../core/window.ts';
import type { Arrival } from './arrival.ts';
import type { JudgedVote, VoteStanding } from './condition.ts';
import { draw } from './draws.ts';
import { planGrants } from './grants.ts';
import { type History, including } from './history.ts';
import { isDecidedBy, type JudgedBy, judge, judgeDrawn, type RewardReason, reason } from './judge.ts';
import type { Occasion } from '../core/occasion.ts';
import type { Reward, Rules } from './reward.ts';

/**
 * Whether a vote takes its window (rule 3), and what it then earns. Pure; the caller reads the history and stores the
 * decision in one transaction.
 *
 * @param rewarded the recipient's rewarded votes that share the site's windows, since `closeSince`, oldest first.
 * @param before the history without this vote.
 */
export function decide(arrival: Arrival, rewarded: readonly RewardedVote[], before: History): Decision {
  const decision = decideWindow(arrival, rewarded);
  const standing = standingOf(decision, arrival);
  if (standing === null) return { ...decision, ...NOTHING_EARNED };
  const { vote, rules, draws } = arrival;
  const judged = { ...vote, standing, day: localDay(vote.castAt, rules.zone), zone: rules.zone };
  return { ...decision, ...earnedBy(judged, rules, draws, before) };
}

/** null: the vote says nothing about its player. */
export function standingOf({ kind }: WindowDecision, { countsAll }: JudgedArrival): VoteStanding | null {
  if (kind === 'rewarded') return 'rewarded';
  if (kind === 'cooldown' && countsAll) return 'counted';
  return kind === 'cooldown' || kind === 'too-old' ? 'marked' : null;
}

/** What a vote earns by these rules, and for every reward that it decides, why it was granted or not. */
export function earnedBy(vote: JudgedVote, rules: Rules, draws: Arrival['draws'], before: History): Earned {
  const { service, day, standing } = vote;
  const history = including({ service, day, isCounted: standing !== 'marked' }, before);
  const listed = rules.listed[vote.recipient.kind];
  const outcomes: (Outcome & { readonly reward: Reward })[] = [];
  for (const reward of rules.rewards.filter((each) => isDecidedBy(each, vote))) {
    const stopping = outcomes.find((before) => before.reward.stop && before.granted.length > 0);
    const drawn = (occasion: string) => () => draw(draws, 'chance', reward.name, occasion);
    const judging = { vote, history, listed, reward: history.reward(reward.name), draw: drawn('') };
    const outcome = stopping === undefined ? outcomeOf(reward, judging, drawn) : stoppedBy(stopping.reward);
    outcomes.push({ reward, ...outcome });
  }
  return {
    grants: outcomes.flatMap(({ reward, granted }) =>
      granted.flatMap(({ name }) => planGrants(reward, name, vote, rules)),
    ),
    spent: outcomes.flatMap(({ reward, spent }) =>
      spent.map((occasion) => ({ reward: reward.name, occasion })),
    ),
    reasons: new Map(outcomes.map(({ reward, reason }) => [reward.name, reason])),
  };
}

interface Outcome {
  readonly granted: readonly Occasion[];
  /** Also those whose chance was lost. */
  readonly spent: readonly Occasion[];
  readonly reason: RewardReason;
}

const stoppedBy = ({ name }: Reward): Outcome => ({
  granted: [],
  spent: [],
  reason: reason('stop', { by: name }),
});

function outcomeOf(reward: Reward, judging: JudgedBy, drawn: (occasion: string) => () => number): Outcome {
  const judged = judge(reward, judging);
  if (judged.kind === 'not-held') return { granted: [], spent: [], reason: judged.reason };
  const draws = judged.occasions.map((occasion) => ({
    occasion,
    ...judgeDrawn(reward, { ...judging, draw: drawn(occasion.name) }),
  }));
  const won = draws.filter(({ lost }) => lost === null);
  const granted = won.map(({ occasion }) => occasion);
  const lost = draws[0]?.lost ?? null;
  return {
    granted,
    spent: judged.occasions.filter(({ name }) => name !== ''),
    reason:
      granted.length === 0 && lost !== null
        ? lost
        : reason('granted', { ...judged.because, ...won[0]?.because, ...occasionFacts(granted) }),
  };
}

const occasionFacts = (granted: readonly Occasion[]): Facts => {
  const names = granted.map(({ name }) => name).filter((name) => name !== '');
  return names.length === 0 ? {} : { occasions: names };
};
