/**
 * An independent recomputation of what votes earn, for comparison with the engine. It imports nothing from it, reads
 * the whole list of votes again for every question, and stays close to the sentences that it quotes.
 */

import { DAY, localTime, periodOf } from './calendar.ts';
import { decidedBy, firstNotHeld, mentions, type Question, type Ways, waysOf } from './conditions.ts';
import {
  type GrantedVote,
  isSpent,
  type Occasion,
  type Standing,
  type Standings,
  spelling,
  spend,
  startRewards,
} from './standing.ts';
import {
  type Decision,
  isOfSameService,
  isWindowFree,
  type RecordedVote,
  sharesWindows,
  storeWindow,
  windowOf,
} from './votes.ts';
import {
  groupsOf,
  type OracleConfig,
  prizeFor,
  probability,
  type RawLimit,
  type RawReward,
} from './written.ts';

export type { Decision, RecordedVote } from './votes.ts';
export type { OracleConfig, RawFirstOf, RawIf, RawLimit, RawReward } from './written.ts';

export interface VoteEvent {
  readonly kind: 'vote';
  readonly service: string;
  readonly player: string;
  /** In milliseconds since 1970, as settled by rule 4. */
  readonly castAt: number;
  readonly receivedAt: number;
  readonly tooOld?: boolean;
  readonly beforeStart?: boolean;
}

export type OracleEvent =
  | VoteEvent
  /** By the number of the vote among the votes, in order of arrival, from 0. */
  | { readonly kind: 'void'; readonly vote: number }
  /** A reload. */
  | { readonly kind: 'config'; readonly config: OracleConfig; readonly at: number };

export interface History {
  /** When the first config began to run. */
  readonly startedAt: number;
  readonly config: OracleConfig;
  /** In order of arrival. */
  readonly events: readonly OracleEvent[];
}

/**
 * `stop`, `first-of`, `occasion-spent`, `limit`, `lost`; `prizes` where no prize matches and there is nothing else to
 * pay; `not-decided` where such a vote decides nothing that the reward asks for; or the first condition that did not
 * hold, in the table's order.
 */
export type Why = string;

export interface RewardResult {
  readonly name: string;
  readonly granted: readonly Granted[];
  /** Null where something is granted. */
  readonly why: Why | null;
}

export interface VoteResult {
  readonly decision: Decision;
  /** In the config's order; the rewards of a `firstOf` one after the other. */
  readonly rewards: readonly RewardResult[];
}

export interface Recomputed {
  /** For each event; null for a void and a reload. */
  readonly results: readonly (VoteResult | null)[];
  /** The votes at the end, with the windows that they store. */
  readonly votes: readonly RecordedVote[];
}

/** Everything that is known, which `record` and `judge` change. */
export interface State {
  config: OracleConfig;
  readonly votes: RecordedVote[];
  readonly standings: Standings;
  readonly draw: Draw;
}

export function recompute(history: History, draw: Draw): Recomputed {
  const state = begun(history, draw);
  const results = history.events.map((event) => apply(state, event));
  return { results, votes: state.votes };
}

export function begun({ config, startedAt }: Omit<History, 'events'>, draw: Draw): State {
  const state: State = { config, votes: [], standings: new Map(), draw };
  startRewards(state.standings, config, startedAt, []);
  return state;
}

function apply(state: State, event: OracleEvent): VoteResult | null {
  switch (event.kind) {
    case 'vote':
      return judge(state, record(state, event));
    case 'void':
      (state.votes[event.vote] as RecordedVote).voided = true;
      return null;
    case 'config':
      state.config = event.config;
      startRewards(state.standings, event.config, event.at, state.votes);
      return null;
  }
}

export function record({ config, votes }: State, event: VoteEvent): RecordedVote {
  const { service, castAt } = event;
  const player = event.player.toLowerCase();
  const entry = service !== 'default' && Object.hasOwn(config.sites, service) ? service : 'default';
  const unrewarded = event.beforeStart ? 'before-start' : event.tooOld ? 'too-old' : null;
  const vote: RecordedVote = {
    number: votes.length,
    service,
    entry,
    player,
    castAt,
    day: localTime(config.timeZone, castAt).day,
    decision: unrewarded ?? 'rewarded',
    countsAll: (config.sites[entry]?.counts ?? 'rewarded') === 'all',
    window: null,
    voided: false,
  };
  if (unrewarded === null) vote.decision = decide({ config, votes }, vote);
  if (vote.decision === 'rewarded') storeWindow(votes, vote, windowOf(config, entry, castAt));
  votes.push(vote);
  return vote;
}

/** A vote of an unlisted service "whose own window would be free while the shared one is taken is recorded as `unlisted`". */
export function decide({ config, votes }: Pick<State, 'config' | 'votes'>, vote: RecordedVote): Decision {
  if (isWindowFree(votes, config, vote, sharesWindows)) return 'rewarded';
  return isWindowFree(votes, config, vote, isOfSameService) ? 'unlisted' : 'cooldown';
}

export function judge(state: State, vote: RecordedVote): VoteResult {
  const rewards: RewardResult[] = [];
  let isStopped = false;
  for (const group of groupsOf(state.config)) {
    let isFirstFound = false;
    for (const reward of group) {
      const before: Why | null = isFirstFound ? 'first-of' : isStopped ? 'stop' : null;
      const result: RewardResult = before ? without(reward, before) : judgeReward(state, vote, reward);
      rewards.push(result);
      const isGranted: boolean = result.granted.length > 0;
      isFirstFound ||= isGranted;
      isStopped ||= isGranted && reward.stop === true;
    }
  }
  return { decision: vote.decision, rewards };
}

const without = ({ name }: RawReward, why: Why): RewardResult => ({ name, granted: [], why });

/** "A limit is looked at before the chance"; "a full limit keeps the occasion unspent". */
function judgeReward(state: State, vote: RecordedVote, reward: RawReward): RewardResult {
  const standing = state.standings.get(reward.name) as Standing;
  const question: Question = { votes: state.votes, vote, config: state.config, standing };
  const found = occasionsOf(reward, question);
  if (typeof found === 'string') return without(reward, found);
  if (reward.limit && isLimitFull(reward.limit, standing, vote)) return without(reward, 'limit');
  return pay(state, vote, reward, found);
}

/** The unspent occasions that an `if` gives, or why it gives none. */
function occasionsOf(reward: RawReward, question: Question): readonly Occasion[] | Why {
  const { vote, standing } = question;
  const condition = reward.if ?? {};
  const needsOccasion = vote.decision !== 'rewarded';
  if (needsOccasion && !mentions(condition, decidedBy(vote))) return 'not-decided';
  const ways = waysOf(condition, question);
  if (ways.length === 0) return firstNotHeld(condition, question);
  const payable = needsOccasion ? onlyDecided(ways, vote) : ways;
  if (payable.length === 0) return 'not-decided';
  // "The first arm of `any` that holds with an unspent occasion gives it."
  const unspent = payable.map((way) => way.filter((occasion) => !isSpent(standing, vote.player, occasion)));
  return unspent.find((way) => way.length > 0) ?? 'occasion-spent';
}

/** A vote that only marks its day "is paid only for an occasion of one of those" conditions that it decides. */
function onlyDecided(ways: Ways, vote: RecordedVote): Ways {
  const decided: readonly string[] = decidedBy(vote);
  return ways
    .map((way) => way.filter((occasion) => occasion.some(({ key }) => decided.includes(key))))
    .filter((way) => way.length > 0);
}

/** "Several occasions of one vote take one place of a limit." Every occasion is spent, whatever the chance says. */
function pay(
  state: State,
  vote: RecordedVote,
  reward: RawReward,
  occasions: readonly Occasion[],
): RewardResult {
  const standing = state.standings.get(reward.name) as Standing;
  const granted: Granted[] = [];
  let why: Why | null = null;
  for (const occasion of occasions) {
    spend(standing, vote.player, occasion);
    const paid = paidFor(reward, vote.number, occasion, state.draw);
    if (typeof paid === 'string') why ??= paid;
    else granted.push(paid);
  }
  if (granted.length === 0) return { name: reward.name, granted, why };
  standing.granted.push({ player: vote.player, castAt: vote.castAt, day: vote.day });
  return { name: reward.name, granted, why: null };
}

// What is left to decide once an `if` holds: the limit, the chance, the prize and the draw of `oneOf`.

/** Called with the vote's number, the reward, the occasion and what the number is for. */
export type Draw = (vote: number, reward: string, occasion: string, purpose: 'chance' | 'oneOf') => number;

export interface Granted {
  /** '' where no condition gives one. */
  readonly occasion: string;
  /** The name of the drawn entry of `oneOf`. */
  readonly choice: string | null;
  /** The key in `prizes`. */
  readonly prize: string | null;
  /** Whether `otherwise` is paid instead. */
  readonly otherwise: boolean;
}

/** "By cast time: no such span that contains the vote may contain more." */
function isLimitFull(limit: RawLimit, standing: Standing, vote: GrantedVote): boolean {
  const granted = standing.granted.filter(({ player }) => limit.per === 'network' || player === vote.player);
  return spansOf(limit.within, granted, vote).some(
    (contains) => contains(vote) && granted.filter(contains).length + 1 > limit.count,
  );
}

type Span = (granted: GrantedVote) => boolean;

/** "Votes exactly 24 h apart do not share a span of 24 h." The fullest spans of 24 h begin at a vote. */
function spansOf(within: RawLimit['within'], granted: readonly GrantedVote[], vote: GrantedVote): Span[] {
  if (within === 'ever') return [() => true];
  if (within === '24h') {
    return [...granted, vote].map(
      ({ castAt: start }) =>
        ({ castAt }) =>
          start <= castAt && castAt < start + DAY,
    );
  }
  return [({ day }) => periodOf(within, day) === periodOf(within, vote.day)];
}

const isChanceLost = (
  { name, if: condition }: RawReward,
  vote: number,
  occasion: string,
  draw: Draw,
): boolean =>
  condition?.chance !== undefined && draw(vote, name, occasion, 'chance') >= probability(condition.chance);

/** One entry by its weight; "name: its index". */
function chosen({ name, oneOf }: RawReward, vote: number, occasion: string, draw: Draw): string | null {
  if (!oneOf) return null;
  const total = oneOf.reduce((sum, { weight }) => sum + weight, 0);
  const drawn = draw(vote, name, occasion, 'oneOf') * total;
  let sum = 0;
  const index = oneOf.findIndex(({ weight }) => {
    sum += weight;
    return drawn < sum;
  });
  return oneOf[index]?.name ?? String(index);
}

/** "Chosen by the threshold reached." */
function prizeOf({ prizes }: RawReward, occasion: Occasion): string | null {
  const threshold = occasion.find((part) => part.threshold !== null)?.threshold;
  return prizes && threshold != null ? prizeFor(prizes, threshold) : null;
}

/** What one occasion pays, or why it is spent without a payment. */
export function paidFor(
  reward: RawReward,
  vote: number,
  occasion: Occasion,
  draw: Draw,
): Granted | 'lost' | 'prizes' {
  const spelt = spelling(occasion);
  if (isChanceLost(reward, vote, spelt, draw)) {
    if (!reward.otherwise) return 'lost';
    return { occasion: spelt, choice: null, prize: null, otherwise: true };
  }
  const prize = prizeOf(reward, occasion);
  // "`prizes` without a match and without `commands` spends the occasion."
  if (reward.prizes && prize === null && !reward.commands && !reward.oneOf) return 'prizes';
  return { occasion: spelt, choice: chosen(reward, vote, spelt, draw), prize, otherwise: false };
}

/** Everything that is granted, in the order of arrival. A renamed reward is called by its first name. */
export function paymentsOf({ results, votes }: Recomputed) {
  const judged = results.filter((result) => result !== null);
  return judged.flatMap(({ rewards }, number) => {
    const { player, castAt } = votes[number]!;
    return rewards.flatMap(({ name, granted }) => {
      const reward = name.replace(/(-\d+)+$/, '');
      return granted.map(({ occasion }) => ({ reward, number, player, castAt, occasion }));
    });
  });
}
