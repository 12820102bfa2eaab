/**
 * What a vote earns, from values alone: whether each reward is granted, why or why not, for which occasions, and which grants are
 * owed for it.
 */
import type { Choice } from '../core/choice.ts';
import { windowOf } from '../core/cooldown.ts';
import type { Earned, JudgedArrival, WindowDecision } from '../core/decide.ts';
import { DAY_MS } from '../core/duration.ts';
import { localDay } from '../core/local-time.ts';
import type { Occasion } from '../core/occasion.ts';
import { daysOf, periodOf } from '../core/period.ts';
import type { Facts } from '../core/reason.ts';
import type { Recipient } from '../core/vote.ts';
import {
  type JudgedVote,
  type Judging,
  reachedBeforeStart,
  type VoteKind,
  type VoteStanding,
  type Ways,
} from './condition.ts';
import {
  bothFacts,
  conditionsIn,
  isDecided,
  judgeIf,
  NESTED,
  needsOfIf,
  type RewardReason,
  reason,
} from './conditions.ts';
import { type DrawPurpose, type Draws, draw } from './draws.ts';
import { allChoices, chosen, type Granted, needsOfTemplates, type planGrants } from './grants.ts';
import {
  type Answers,
  type GrantedScope,
  type History,
  type Needs,
  needsFrom,
  RewardHistory,
} from './history.ts';
import { type Arrival, type Limit, misfitOf, type Reward, type Rules, templatesOf } from './reward.ts';

type Plan = typeof planGrants;

/** Where the grants are not wanted: they are a fifth of the work. */
export const planNothing: Plan = () => [];

/** A vote as its rewards see it; null: it says nothing about its player. */
export function judgedVote(
  arrival: JudgedArrival & Pick<Arrival, 'rules'>,
  window: WindowDecision,
): JudgedVote | null {
  const standing = standingOf(window, arrival);
  if (standing === null) return null;
  const { vote, cooldown, rules } = arrival;
  // A vote that is too old takes no window, but its own is the best that is known.
  const nextAt = 'nextAt' in window ? window.nextAt : windowOf(vote.castAt, cooldown).end;
  return { ...vote, standing, day: localDay(vote.castAt, rules.zone), zone: rules.zone, nextAt };
}

/** null: the vote says nothing about its player. */
export function standingOf({ kind }: WindowDecision, { countsAll }: JudgedArrival): VoteStanding | null {
  if (kind === 'rewarded') return 'rewarded';
  if (kind === 'cooldown' && countsAll) return 'counted';
  return kind === 'cooldown' || kind === 'unlisted' || kind === 'too-old' ? 'marked' : null;
}

const knownNeeds = new WeakMap<Rules, Map<string, Needs>>();
/** Of one config on one day there are about as many kinds as sites. */
const KINDS_KEPT = 500;

/** The facts that the rewards of a config need for votes like this one. */
export function needsOf(
  rules: Rules,
  vote: Pick<JudgedVote, 'service' | 'site' | 'day' | 'recipient'>,
): Needs {
  const byKind = knownNeeds.get(rules) ?? new Map<string, Needs>();
  knownNeeds.set(rules, byKind);
  const key = `${vote.day} ${vote.recipient.kind} ${vote.site}\n${vote.service}`;
  const before = byKind.get(key);
  if (before !== undefined) return before;
  if (byKind.size >= KINDS_KEPT) byKind.clear();
  const about = { ...vote, listed: rules.listed[vote.recipient.kind] };
  const needs = needsFrom(rules.rewards.flatMap((reward) => needsOfReward(reward, about)));
  byKind.set(key, needs);
  return needs;
}

const needsOfReward = (reward: Reward, about: VoteKind) => {
  const isPossible = conditionsIn(reward.if).every(
    ({ condition, value }) => condition.mayHold?.(value, about) !== false,
  );
  return isPossible ? [...needsOfIf(reward.if, about), ...needsOfTemplates(templatesOf(reward), about)] : [];
};

interface Starts {
  /** The local day on which a running config first contained the reward. */
  startDay(reward: string): number;
}

/**
 * What a vote earns by these rules, and for every reward that it decides, why it was granted or not. While answers are open, it is not
 * final: judge again with them.
 */
export function earned(
  vote: JudgedVote,
  rules: Rules,
  draws: Draws,
  history: History,
  starts: Starts,
  answers: Answers,
  plan: Plan,
): Earned {
  const listed = rules.listed[vote.recipient.kind];
  const outcomes: Outcome[] = [];
  const paid: Outcome[] = [];
  for (const reward of rules.rewards) {
    if (!isDecidedBy(reward, vote)) continue;
    const known = new RewardHistory(reward.name, starts.startDay(reward.name), answers);
    // It is made for each reward and vote, and passed on as it is: copying it took a tenth of the time.
    const judging: Judging = { vote, history, listed, reward: known, draw: NOTHING_DRAWN, nested: NESTED };
    const prevented = passedOver(reward, paid);
    const outcome =
      prevented === null ? outcomeOf(reward, judging, draws) : (beforeStart(reward, judging) ?? prevented);
    outcomes.push(outcome);
    if (outcome.isSure && outcome.granted.length > 0) paid.push(outcome);
  }
  const source = { vote, history, draws, rules };
  return {
    // While a question is open, something that is not owed may seem to be.
    grants:
      answers.open.size > 0
        ? []
        : outcomes.flatMap(({ reward, granted }) => granted.flatMap((each) => plan(reward, each, source))),
    spent: outcomes.flatMap(({ reward, spent }) =>
      spent.map((occasion) => ({ reward: reward.name, occasion })),
    ),
    reasons: new Map(outcomes.map((outcome) => [outcome.reward.name, outcome.reason])),
  };
}

const NOTHING_DRAWN = (): number => Number.NaN;

/** Whether a reward says anything about a vote: one that only marks its day decides few conditions. */
const isDecidedBy = (reward: Pick<Reward, 'if'>, { standing }: Pick<JudgedVote, 'standing'>): boolean =>
  standing === 'rewarded' || isDecided(reward.if, standing);

/** Whether the reward has a condition that depends on other votes. */
export const needsHistory = (reward: Pick<Reward, 'if'>): boolean => isDecided(reward.if, 'rewarded');

/** Whether something is drawn before the reward is granted. */
const isDrawn = (reward: Pick<Reward, 'if'>): boolean =>
  conditionsIn(reward.if).some(({ condition }) => condition.isDrawn);

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

/** What a vote is granted a reward for, if nothing that is drawn prevents it, or why it is not granted. */
type Judged =
  | { readonly kind: 'held'; readonly occasions: readonly Occasion[]; readonly because: Facts }
  | { readonly kind: 'not-held'; readonly reason: RewardReason };

/** Whether a reward is granted, apart from what is drawn. */
function judge(reward: Reward, by: Judging): Judged {
  const verdict = judgeIf(reward.if, by);
  if (!verdict.held) return { kind: 'not-held', reason: verdict.reason };
  const misfit = misfitOf(reward, by.vote.recipient.kind);
  if (misfit !== null) return { kind: 'not-held', reason: reason('recipient-kind', { misfit }) };
  const judged = unspent(verdict.ways, verdict.because, by);
  // A full limit leaves the occasion for a later vote, so it is looked at before anything is drawn.
  if (judged.kind === 'not-held' || reward.limit === null) return judged;
  const full = fullLimit(reward.limit, by.vote, by.reward);
  return full === null ? judged : { kind: 'not-held', reason: reason('limit', full) };
}

/** The first way with an occasion that was not granted yet. Without an occasion there is nothing to spend. */
function unspent(ways: Ways, because: Facts, judging: Judging): Judged {
  const { vote, reward } = judging;
  const needsOccasion = vote.standing !== 'rewarded';
  const payable = ways.map((way) => way.filter(({ name }) => name !== '' || !needsOccasion));
  const open = payable.map((way) =>
    way.filter((each) => each.name === '' || (each.reachedBefore === null && !reward.isSpent(each))),
  );
  const occasions = open.find((way) => way.length > 0);
  if (occasions !== undefined) return { kind: 'held', occasions, because };
  const [spent] = payable.find((way) => way.length > 0) ?? [];
  const why =
    spent?.reachedBefore === 'start'
      ? reason('before-start', reachedBeforeStart(spent.name, judging))
      : reason('occasion-spent', { ...because, ...(spent === undefined ? {} : { occasion: spent.name }) });
  return { kind: 'not-held', reason: why };
}

/** null: there is a place for the vote. */
function fullLimit(limit: Limit, vote: JudgedVote, reward: RewardHistory): Facts | null {
  const { per, count, within } = limit;
  const of: GrantedScope['of'] = per === 'player' ? 'recipient' : 'network';
  const days =
    within === 'ever' || within === '24h' ? {} : { days: daysOf(within, periodOf(within, vote.day)) };
  const granted = within === '24h' ? inFullestSpan(vote, of, reward) : reward.countGranted({ of, ...days });
  return granted < count ? null : { granted, count, per, within };
}

/** In the fullest span of 24 hours with the vote. Votes exactly 24 hours apart do not share one. */
function inFullestSpan({ castAt }: JudgedVote, of: GrantedScope['of'], reward: RewardHistory): number {
  const near = reward.castTimesGranted(of, { start: castAt - DAY_MS + 1, end: castAt + DAY_MS });
  const starts = [castAt, ...near.filter((start) => start <= castAt)];
  return Math.max(...starts.map((start) => near.filter((at) => at >= start && at < start + DAY_MS).length));
}

/** What is drawn for an occasion: the first condition that is lost, and the facts of those that were won. */
function judgeDrawn(
  reward: Reward,
  by: Judging,
  drawn: () => number,
): { readonly lost: RewardReason | null; readonly because: Facts } {
  let because: Facts = {};
  for (const { code, condition, value } of conditionsIn(reward.if)) {
    if (!condition.isDrawn) continue;
    const verdict = condition.holds(value, { ...by, draw: drawn });
    if (!verdict.held) return { lost: reason(code, verdict.because), because };
    because = bothFacts(because, verdict.because);
  }
  return { lost: null, because };
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
  const occasions = granted.map(({ occasion }) => occasion.name).filter((name) => name !== '');
  return reason('granted', {
    ...because,
    ...(first.lost?.facts ?? first.because),
    ...(occasions.length === 0 ? {} : { occasions }),
    ...(draws.kind === 'drawn' && choices.length > 0
      ? { choices: choices.map((each) => ({ ...each })) }
      : {}),
  });
}

/** Without a vote: of a recipient, on a day whose figures are wanted. */
export const voteOf = (recipient: Recipient, day: number, now: number, zone: string): JudgedVote => ({
  ...{ recipient, service: '', site: '', castAt: now, nextAt: now, day, zone },
  standing: 'rewarded',
});

/** The facts that a reward needs that is given without a vote, on such a day. */
export const historyOfGivenNeeds = (reward: Reward, vote: JudgedVote, rules: Rules): Needs =>
  needsFrom(needsOfTemplates(templatesOf(reward), { ...vote, listed: rules.listed[vote.recipient.kind] }));
