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
  type VoteStanding,
  type Ways,
} from './condition.ts';
import { allChoices, chosen, type Granted, needsOfTemplates, type planGrants } from './grants.ts';
import {
  type Answers,
  type GrantedScope,
  type History,
  type Needs,
  needsFrom,
  RewardHistory,
} from './history.ts';
import {
  conditionsIn,
  type IfVerdict,
  isDecided,
  judgeIf,
  NESTED,
  needsOfIf,
  type RewardReason,
  reason,
} from './judge-if.ts';
import {
  type DrawPurpose,
  type Draws,
  draw,
  type Limit,
  misfitOf,
  type Reward,
  type Rules,
  templatesOf,
} from './reward.ts';

type Plan = typeof planGrants;

/** Where the grants are not wanted: they are a fifth of the work. */
export const planNothing: Plan = () => [];

/** A vote as its rewards see it; null: it says nothing about its player. */
export function judgedVote(
  arrival: JudgedArrival & { readonly rules: Pick<Rules, 'zone'> },
  window: WindowDecision,
): JudgedVote | null {
  const standing = standingOf(window, arrival);
  if (standing === null) return null;
  const { vote, cooldown, rules } = arrival;
  // A vote that is too old takes no window, but its own is the best that is known.
  const nextAt = 'nextAt' in window ? window.nextAt : windowOf(vote.castAt, cooldown).end;
  const { service, site, recipient, castAt } = vote;
  return {
    service,
    site,
    recipient,
    castAt,
    standing,
    day: localDay(castAt, rules.zone),
    zone: rules.zone,
    nextAt,
  };
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
export function needsOf(rules: Rules, vote: Pick<JudgedVote, 'service' | 'site' | 'day' | 'recipient'>) {
  const byKind = knownNeeds.get(rules) ?? new Map<string, Needs>();
  knownNeeds.set(rules, byKind);
  const key = `${vote.day} ${vote.recipient.kind} ${vote.site}\n${vote.service}`;
  const before = byKind.get(key);
  if (before !== undefined) return before;
  if (byKind.size >= KINDS_KEPT) byKind.clear();
  const about = { ...vote, listed: rules.listed[vote.recipient.kind] };
  const needs = needsFrom(
    rules.rewards.flatMap((reward) => {
      const ofIf = needsOfIf(reward.if, about);
      return ofIf === null ? [] : [...ofIf, ...needsOfTemplates(templatesOf(reward), about)];
    }),
  );
  byKind.set(key, needs);
  return needs;
}

/**
 * What a vote earns by these rules, and for every reward that it decides, why it was granted or not. While answers are open, it is not
 * final: judge again with them.
 *
 * @param starts of each reward, the local day on which a running config first contained it.
 */
export function earned(
  vote: JudgedVote,
  rules: Rules,
  draws: Draws,
  history: History,
  starts: { readonly startDay: (reward: string) => number },
  answers: Answers,
  plan: Plan,
): Earned {
  const listed = rules.listed[vote.recipient.kind];
  const outcomes: Outcome[] = [];
  const paid: Reward[] = [];
  for (const reward of rules.rewards) {
    // One that only marks its day decides few conditions.
    if (vote.standing !== 'rewarded' && !isDecided(reward.if, vote.standing)) continue;
    const known = new RewardHistory(reward.name, starts.startDay(reward.name), answers);
    // It is made for each reward and vote, and passed on as it is: copying it took a tenth of the time.
    const judging: Judging = { vote, history, listed, reward: known, draw: NOTHING_DRAWN, nested: NESTED };
    const alone = answers.settle(reward.name, () => judgeAlone(reward, judging));
    const outcome = outcomeOf(reward, judging, amongOthers(reward, alone, paid), draws);
    outcomes.push(outcome);
    if (outcome.isSure && outcome.granted.length > 0) paid.push(reward);
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

interface Outcome {
  readonly reward: Reward;
  readonly granted: readonly Granted[];
  /** Also those whose chance was lost. */
  readonly spent: readonly Occasion[];
  /** Whether it is granted whatever is drawn, or was drawn. */
  readonly isSure: boolean;
  readonly reason: RewardReason;
}

function outcomeOf(reward: Reward, judging: Judging, judged: Judged, draws: Draws): Outcome {
  if (!judged.held) return { reward, granted: [], spent: [], isSure: true, reason: judged.reason };
  const mayLose = conditionsIn(reward.if).some(({ condition }) => condition.isDrawn);
  const drawn = judged.occasions.map((occasion): Drawn => {
    const number = (purpose: DrawPurpose) => () => draw(draws, purpose, reward.name, occasion.name);
    const chance = mayLose ? judgeIf(reward.if, { ...judging, draw: number('chance') }, 'drawn') : WON;
    const choices =
      draws.kind === 'won'
        ? allChoices(reward, occasion.threshold, mayLose)
        : oneChoice(reward, occasion, chance.held, number('oneOf'));
    return { occasion, chance, choices };
  });
  return {
    reward,
    granted: drawn.flatMap(({ occasion, choices }) => choices.map((choice) => ({ occasion, choice }))),
    spent: judged.occasions.filter(({ name }) => name !== ''),
    isSure: draws.kind === 'drawn' || !mayLose || reward.otherwise.length > 0,
    reason: reasonFor(judged.because, drawn, draws),
  };
}

/** What a vote is granted a reward for, if nothing that is drawn prevents it, or why it is not granted. */
type Judged =
  | { readonly held: true; readonly occasions: readonly Occasion[]; readonly because: Facts }
  | { readonly held: false; readonly reason: RewardReason };

const notHeld = (...why: Parameters<typeof reason>): Judged => ({ held: false, reason: reason(...why) });

/** @param paid the rewards before it that the vote is surely paid. */
function amongOthers(reward: Reward, judged: Judged, paid: readonly Reward[]): Judged {
  // What was reached before the start is the reason first, whatever was paid before it.
  if (!judged.held && judged.reason.code === 'before-start') return judged;
  const stopping = paid.find((earlier) => earlier.stop);
  if (stopping !== undefined) return notHeld('stop', { by: stopping.name });
  const { firstOf } = reward;
  const first = firstOf === null ? undefined : paid.find((earlier) => earlier.firstOf === firstOf);
  return first === undefined ? judged : notHeld('first-of', { by: first.name });
}

/** Whether a reward is granted, apart from what is drawn, and whatever the vote was paid before it. */
function judgeAlone(reward: Reward, judging: Judging): Judged {
  const verdict = judgeIf(reward.if, judging);
  if (!verdict.held) return verdict;
  const misfit = misfitOf(reward, judging.vote.recipient.kind);
  if (misfit !== null) return notHeld('recipient-kind', { misfit });
  const judged = unspent(verdict.ways, verdict.because, judging);
  // A full limit leaves the occasion for a later vote, so it is looked at before anything is drawn.
  if (!judged.held || reward.limit === null) return judged;
  const full = fullLimit(reward.limit, judging.vote, judging.reward);
  return full === null ? judged : notHeld('limit', full);
}

/** The first way with an occasion that was not granted yet. Without an occasion there is nothing to spend. */
function unspent(ways: Ways, because: Facts, judging: Judging): Judged {
  const { vote, reward } = judging;
  const needsOccasion = vote.standing !== 'rewarded';
  const payable = ways.map((way) => way.filter(({ name }) => name !== '' || !needsOccasion));
  const open = payable.map((way) =>
    way.filter(
      (each) =>
        each.name === '' || (each.reachedBefore === null && !reward.ask({ about: 'spent', occasion: each })),
    ),
  );
  const occasions = open.find((way) => way.length > 0);
  if (occasions !== undefined) return { held: true, occasions, because };
  const [spent] = payable.find((way) => way.length > 0) ?? [];
  return spent?.reachedBefore === 'start'
    ? notHeld('before-start', reachedBeforeStart(spent.name, judging))
    : notHeld('occasion-spent', { ...because, ...(spent === undefined ? {} : { occasion: spent.name }) });
}

/** null: there is a place for the vote. */
function fullLimit(limit: Limit, vote: JudgedVote, reward: RewardHistory): Facts | null {
  const { per, count, within } = limit;
  const of: GrantedScope['of'] = per === 'player' ? 'recipient' : 'network';
  const days = within === 'ever' || within === '24h' ? undefined : daysOf(within, periodOf(within, vote.day));
  const granted =
    within === '24h'
      ? inFullestSpan(vote, of, reward)
      : reward.ask({ about: 'granted', scope: { of, days } });
  return granted < count ? null : { granted, count, per, within };
}

/** In the fullest span of 24 hours with the vote. Votes exactly 24 hours apart do not share one. */
function inFullestSpan({ castAt }: JudgedVote, of: GrantedScope['of'], reward: RewardHistory): number {
  const span = { start: castAt - DAY_MS + 1, end: castAt + DAY_MS };
  const near = reward.ask({ about: 'cast-times', of, span });
  const starts = [castAt, ...near.filter((start) => start <= castAt)];
  return Math.max(...starts.map((start) => near.filter((at) => at >= start && at < start + DAY_MS).length));
}

/** What was drawn for an occasion. */
interface Drawn {
  readonly occasion: Occasion;
  readonly chance: IfVerdict;
  readonly choices: readonly (Choice | null)[];
}

const WON: IfVerdict = { held: true, ways: [], because: {} };

function oneChoice(
  reward: Reward,
  { threshold }: Occasion,
  isWon: boolean,
  drawn: () => number,
): readonly (Choice | null)[] {
  if (!isWon) return reward.otherwise.length === 0 ? [] : [{ from: 'otherwise' }];
  const choice = chosen(reward, threshold, drawn);
  return choice === undefined ? [] : [choice];
}

function reasonFor(because: Facts, drawn: readonly Drawn[], draws: Draws): RewardReason {
  const granted = drawn.filter(({ choices }) => choices.length > 0);
  const [first = drawn[0]] = granted;
  const chance = first?.chance ?? WON;
  if (granted.length === 0)
    return chance.held ? reason('no-prize', { threshold: first?.occasion.threshold ?? null }) : chance.reason;
  const choices = granted.flatMap((each) => each.choices).filter((choice) => choice !== null);
  const occasions = granted.map(({ occasion }) => occasion.name).filter((name) => name !== '');
  return reason('granted', {
    ...because,
    ...(chance.held ? chance.because : chance.reason.facts),
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
