/**
 * What a vote earns. The facts are read that its rewards need, the vote is judged, and what is asked then of earlier grants is read:
 * occasions that were spent, streaks that were paid, places of limits that are taken, and what was reached when a reward started.
 */
import type { Window } from '../core/cooldown.ts';
import { type Earned, NOTHING_EARNED } from '../core/decide.ts';
import { DAY_MS } from '../core/duration.ts';
import type { ReachedBefore } from '../core/occasion.ts';
import type { Days } from '../core/period.ts';
import { listOf, type Tx } from '../db/db.ts';
import { type JudgedVote, parseOccasion } from '../rewards/condition.ts';
import { earned, needsOf } from '../rewards/decide.ts';
import { planGrants } from '../rewards/grants.ts';
import {
  ALL_DAYS,
  Answers,
  type CountScope,
  type GrantedScope,
  History,
  isOn,
  type Question,
} from '../rewards/history.ts';
import type { Draws, Rules } from '../rewards/reward.ts';
import { knownOf, type Player } from './facts.ts';
import { type KnownReward, rewardsNamed } from './known-rewards.ts';

/**
 * Judges the vote again with each new answer, until nothing more is asked.
 *
 * @param isAdded whether the vote is to be added to the facts; otherwise it is among them, or counts for nothing.
 */
export async function earnedBy(
  tx: Tx,
  player: Player,
  vote: JudgedVote,
  { rules, draws, today }: { readonly rules: Rules; readonly draws: Draws; readonly today: number },
  isAdded: boolean,
  plan?: typeof planGrants,
): Promise<Earned> {
  if (rules.rewards.length === 0) return NOTHING_EARNED;
  const needs = needsOf(rules, vote);
  const added = isAdded
    ? { service: vote.service, day: vote.day, isCounted: vote.standing !== 'marked' }
    : null;
  const history = new History(needs, await knownOf(tx, player, needs, vote.castAt), added);
  const rewards = await rewardsNamed(tx);
  const starts = { startDay: (name: string) => rewards.get(name)?.startDay ?? today };
  for (let answers = new Answers(); ; ) {
    const found = earned(vote, rules, draws, history, starts, answers, plan ?? planGrants);
    if (answers.open.size === 0) return found;
    answers = answers.with(await answersTo(tx, player, [...answers.open.values()]));
  }
}

/** The answers to questions about rewards. */
async function answersTo(tx: Tx, player: Player, questions: readonly Question[]) {
  const rewards = await rewardsNamed(tx);
  const spent = await spentAmong(tx, player, questions, rewards);
  const answers = new Map<Question, unknown>();
  for (const question of questions) {
    const reward = rewards.get(question.reward) ?? null;
    answers.set(
      question,
      question.about === 'spent'
        ? spent.has(`${reward?.rootId} ${question.occasion.name}`)
        : await answer(tx, player, question, reward),
    );
  }
  return answers;
}

/** By the reward's root, which of the occasions were granted, lost or given: to any name of the player or, if they are the network's, to anyone. */
async function spentAmong(
  tx: Tx,
  { playerId }: Player,
  questions: readonly Question[],
  rewards: ReadonlyMap<string, KnownReward>,
): Promise<ReadonlySet<string>> {
  const asked = questions.flatMap((question) => (question.about === 'spent' ? [question] : []));
  if (asked.length === 0) return new Set();
  const rows = await tx.all<{ reward: number; occasion: string }>(
    `SELECT o.reward_id AS reward, o.occasion FROM occasions o
     WHERE o.reward_id IN ${tx.each('$1', 'number')} AND o.occasion IN ${tx.each('$2', 'text')} AND o.occasion <> ''
       AND o.name_id IN (SELECT id FROM names WHERE player_id = $3 UNION ALL SELECT 0)`,
    [
      listOf(asked.map(({ reward }) => rewards.get(reward)?.rootId ?? 0)),
      listOf(asked.map(({ occasion }) => occasion.name)),
      playerId,
    ],
  );
  return new Set(rows.map(({ reward, occasion }) => `${reward} ${occasion}`));
}

/**
 * Whether an occasion was granted, lost or given before, to any name of the player or, if it is the network's, to anyone. What was
 * reached before Teller ran is not among them.
 */
export async function isSpentBy(tx: Tx, { playerId }: Player, rootId: number, occasion: string) {
  const spent = await tx.get(
    `SELECT 1 FROM occasions WHERE reward_id = $1 AND occasion = $2 AND occasion <> '' AND how <> 'imported'
       AND name_id IN (SELECT id FROM names WHERE player_id = $3 UNION ALL SELECT 0) LIMIT 1`,
    [rootId, occasion, playerId],
  );
  return spent !== null;
}

async function answer(
  tx: Tx,
  player: Player,
  question: Exclude<Question, { about: 'spent' }>,
  reward: KnownReward | null,
): Promise<unknown> {
  switch (question.about) {
    case 'streaks':
      return reward === null ? [] : await streaksOf(tx, player, reward, question.per);
    case 'granted':
      return reward === null ? 0 : (await placesTaken(tx, player, reward, question.scope)).length;
    case 'cast-times':
      return reward === null
        ? []
        : (await placesIn(tx, player, reward, question.of, question.span)).map(({ castAt }) => castAt);
    case 'at-start':
      return await countedAtStart(tx, player, question.days, reward);
    case 'reduced':
      return reward !== null && player.voided > 0 && (await lostSince(tx, player, reward)).length > 0;
    case 'again':
      return reward === null ? null : await reachedBefore(tx, player, question.scope, reward);
  }
}

/** The streaks among what was granted or lost. Several occasions can be joined in one name. */
async function streaksOf(tx: Tx, { playerId }: Player, { rootId }: KnownReward, per: string) {
  const rows = await tx.all<{ occasion: string }>(
    `SELECT occasion FROM occasions WHERE player_id = $1 AND reward_id = $2 AND occasion LIKE '%streak %'`,
    [playerId, rootId],
  );
  return rows
    .flatMap(({ occasion }) => parseOccasion(occasion)?.streaks ?? [])
    .filter((reached) => reached.per === per);
}

async function placesTaken(tx: Tx, player: Player, reward: KnownReward, { of, days }: GrantedScope) {
  const span =
    days === undefined
      ? { start: ALL_DAYS.from, end: ALL_DAYS.to }
      : { start: days.from * DAY_MS - DAY_AROUND_MS, end: days.to * DAY_MS + DAY_AROUND_MS };
  return (await placesIn(tx, player, reward, of, span)).filter(({ day }) => isOn(day, days ?? ALL_DAYS));
}

/** The local day of a cast time starts at most this long before it, wherever the time zone is, and ends as long after. */
const DAY_AROUND_MS = 2 * DAY_MS;

/** The votes that were granted it and were cast in a span of time. */
const placesIn = (
  tx: Tx,
  { playerId }: Player,
  { rootId }: KnownReward,
  of: GrantedScope['of'],
  { start, end }: Window,
): Promise<{ castAt: number; day: number }[]> =>
  tx.all(
    `SELECT DISTINCT vote_id, cast_at AS "castAt", day FROM occasions
     WHERE reward_id = $1 AND takes = 1 AND cast_at >= $2 AND cast_at < $3 ${of === 'recipient' ? 'AND player_id = $4' : ''}`,
    of === 'recipient' ? [rootId, start, end, playerId] : [rootId, start, end],
  );

/** A vote that was recorded before a reward started, and voided since; how it had counted. */
interface Lost {
  readonly day: number;
  readonly service: string;
  readonly weight: number;
}

const lostSince = (tx: Tx, { playerId }: Player, { afterVote, afterAction }: KnownReward): Promise<Lost[]> =>
  lost(tx, 'v.id', 'AND a.player_id = $3', [afterVote, afterAction, playerId]);

async function lost(tx: Tx, column: 'v.id' | 'v.received_at', of: string, values: readonly number[]) {
  const rows = await tx.all<{ day: number; service: string; facts: string }>(
    `SELECT v.day, v.service, a.facts FROM actions a JOIN votes v ON v.id = a.vote_id
     WHERE a.kind = 'void' AND ${column} <= $1 AND a.id > $2 ${of}`,
    values,
  );
  return rows.map(({ facts, ...row }) => ({
    ...row,
    weight: (JSON.parse(facts) as { weight: number }).weight,
  }));
}

/** The days as they were when a reward started, also if votes were voided or decided again since. */
async function countedAtStart(tx: Tx, player: Player, days: Days, reward: KnownReward | null) {
  const found = new Map<number, number>();
  const add = (day: number, counted: number): void => void found.set(day, (found.get(day) ?? 0) + counted);
  const { afterVote = Number.MAX_SAFE_INTEGER, afterAction = Number.MAX_SAFE_INTEGER } = reward ?? {};
  const rows = await tx.all<{ day: number; weight: number; isListed: number }>(
    `SELECT v.day, v.weight,
            CASE WHEN EXISTS (SELECT 1 FROM actions a WHERE a.vote_id = v.id AND a.kind = 'list' AND a.id > $3) THEN 1 ELSE 0 END AS "isListed"
     FROM votes v WHERE v.player_id = $1 AND v.weight > 0 AND v.id <= $2`,
    [player.playerId, afterVote, afterAction],
  );
  // Of a vote that was decided again later: it had marked its day, and was not counted yet.
  for (const row of rows) add(row.day, row.weight === 2 && row.isListed === 0 ? 1 : 0);
  if (reward !== null && player.voided > 0)
    for (const { day, weight } of await lostSince(tx, player, reward)) if (weight > 0) add(day, weight - 1);
  return [...found]
    .filter(([day]) => isOn(day, days))
    .map(([day, counted]) => ({ day, counted }))
    .sort((one, other) => one.day - other.day);
}

/**
 * Whether the next vote that counts would only make a count reach what it had reached when the reward started, or when votes were last
 * joined, split or imported: since then, no more votes were added to it than were voided of those before.
 */
async function reachedBefore(
  tx: Tx,
  player: Player,
  scope: CountScope,
  { afterVote, afterAction }: KnownReward,
): Promise<ReachedBefore | null> {
  const isNetworks = scope.of === 'network';
  if (isNetworks ? !(await hasVoided(tx)) : player.voided === 0) return null;
  const { playerId } = player;
  if (await isMadeUpFor(tx, isNetworks ? null : playerId, scope, 'v.id', afterVote, afterAction))
    return 'start';
  if (isNetworks) return null;
  const change = await tx.get<{ id: number; at: number }>(
    `SELECT id, at FROM actions WHERE player_id = $1 AND kind IN ('joined', 'merged', 'split', 'imported')
     ORDER BY id DESC LIMIT 1`,
    [playerId],
  );
  if (change === null) return null;
  return (await isMadeUpFor(tx, playerId, scope, 'v.received_at', change.at, change.id)) ? 'change' : null;
}

/** @param before of the votes before a moment, the last ID or time; the actions after it have a later ID. */
async function isMadeUpFor(
  tx: Tx,
  playerId: number | null,
  { days = ALL_DAYS, services }: CountScope,
  column: 'v.id' | 'v.received_at',
  before: number,
  afterAction: number,
): Promise<boolean> {
  const isIn = ({ day, service, weight }: Lost): boolean =>
    weight === 2 && isOn(day, days) && (services === undefined || services.includes(service));
  const whose = playerId === null ? [] : [playerId];
  const ofWhom = playerId === null ? '' : 'AND a.player_id = $3';
  const gone = (await lost(tx, column, ofWhom, [before, afterAction, ...whose])).filter(isIn).length;
  if (gone === 0) return false;
  const added = await tx.all(
    `SELECT 1 FROM votes v WHERE ${column} > $1 AND v.weight = 2 AND v.day BETWEEN $2 AND $3
       AND ($4 = '' OR v.service IN ${tx.each('$5', 'text')}) ${playerId === null ? '' : 'AND v.player_id = $7'} LIMIT $6 + 0`,
    [
      before,
      days.from,
      days.to,
      services === undefined ? '' : 'some',
      listOf(services ?? []),
      gone,
      ...whose,
    ],
  );
  return added.length < gone;
}

/** Whether the operator has ever voided a vote. */
const hasVoided = (tx: Tx): Promise<boolean> =>
  tx.memo('voided', async () => (await tx.get(`SELECT 1 FROM actions WHERE kind = 'void' LIMIT 1`)) !== null);
