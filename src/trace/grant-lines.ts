import { durationText } from '../core/duration.ts';
import { FORWARD } from '../core/forward.ts';
import type { GrantReason, OwnGrantCode } from '../core/grant-reason.ts';
import { isoTime } from '../core/instant.ts';
import type { OutcomeKind } from '../core/outcome.ts';
import { type Pause, pauseText, resumeText } from '../core/pause.ts';
import { placeText } from '../core/pool.ts';
import { printable } from '../core/printable.ts';
import type { GrantState } from '../core/settlement.ts';
import { COMMAND_BYTES_MAX } from '../core/template-bytes.ts';
import { sentenceOf } from '../delivery/reasons.ts';
import { type ReplyPatterns, saysAbsent } from '../delivery/replies.ts';
import { doubtTodo } from '../delivery/reply-doubt.ts';
import type { CommandRow, GrantRow, QueueState } from '../ledger/ledger.ts';
import { forwardStateText, forwardTodo } from './forward-lines.ts';
import {
  type Concerned,
  commandReasonSentence,
  correctTheReward,
  grantReasonSentence,
  grantTodos,
  lookWhetherItRan,
} from './grant-reasons.ts';
import type { Line } from './line.ts';
import { doubtOf } from './reply-doubts.ts';

/** What the config and the delivering process say about a grant's game server. */
export interface GrantContext {
  readonly patterns: ReplyPatterns;
  /** null if nothing is known. */
  readonly queue: QueueState | null;
  /** The operator's pauses that stop the grant. */
  readonly pauses: readonly Pause[];
}

/** What became of a grant: its state and why, each command with its outcome, and what to do. */
export function grantLines(grant: GrantRow, now: number, context: GrantContext): readonly Line[] {
  const { id, reward, occasion, server, pool, practice, commands } = grant;
  const { patterns, queue } = context;
  const todo = grantTodo(grant, context);
  const toDo = todo === null ? [] : [{ about: 'to do:', text: todo }];
  if (reward === FORWARD) {
    const became = { about: `grant ${id}`, text: forwardStateText(grant) };
    return [
      became,
      ...expiryLine(grant),
      ...operatorPauseLines(grant, context),
      ...pauseLine(grant, queue),
      ...toDo,
    ];
  }
  return [
    {
      about: `grant ${id}`,
      text: `${reward}${occasion === '' ? '' : ` for ${occasion}`} on ${placeText(pool ?? server, practice)}: ${stateText(grant, now)}`,
    },
    ...(grant.redirected === null ? [] : [{ about: 'paid to:', text: redirectedText(grant) }]),
    ...commands.flatMap((command, at) => [
      { about: `${at + 1}.`, text: commandText(command, grant) },
      ...doubtLine(command, server, patterns),
    ]),
    ...expiryLine(grant),
    ...operatorPauseLines(grant, context),
    ...pauseLine(grant, queue),
    ...toDo,
  ];
}

function doubtLine(command: CommandRow, server: string, patterns: ReplyPatterns): readonly Line[] {
  const entry = doubtOf(command, patterns);
  if (entry === null) return [];
  const text = `this reply looks like a failure but counts as delivered; ${doubtTodo(server, entry)}`;
  return [{ about: 'warning:', text }];
}

/** `.BedHead instead of BedHead, as the operator decided at 2026-…` */
export const redirectedText = ({ player, redirected }: GrantRow): string =>
  redirected === null
    ? ''
    : `${player} instead of ${redirected.insteadOf}, as the operator decided at ${isoTime(redirected.at)}`;

/** Whom a waiting grant is probably for, and how to pay them. */
function likelyText({ id, player, likelyPlayer }: GrantRow): string {
  if (likelyPlayer === null) return '';
  return `. If ${player} is ${likelyPlayer}, \`teller grants pay ${id} --player ${shellWord(likelyPlayer)}\` pays them`;
}

/** A shell interprets a prefix such as `*`. */
const shellWord = (name: string): string => (/^[\w.]+$/.test(name) ? name : `'${name}'`);

/** Why the queue of an open grant is paused. */
function pauseLine({ state, server, reward }: GrantRow, queue: QueueState | null): readonly Line[] {
  if (queue?.reason == null || !isInQueue(state)) return [];
  const what =
    reward === FORWARD ? `everything that is forwarded to ${server} has` : `all rewards on ${server} have`;
  const text = `${what} waited since ${isoTime(queue.since)} [${queue.reason}]`;
  return [{ about: 'paused:', text }];
}

/** What the operator has paused, and since when. */
const operatorPauseLines = ({ state }: GrantRow, { pauses }: GrantContext): readonly Line[] =>
  isInQueue(state)
    ? pauses.map((pause) => ({ about: 'paused:', text: printable(pauseText(pause), 300) }))
    : [];

/** Only while it may expire. */
const expiryLine = ({ state, expiresAt, reward }: GrantRow): readonly Line[] =>
  expiresAt === null || !isInQueue(state)
    ? []
    : [
        {
          about: 'expires:',
          text: `${isoTime(expiresAt)}, if ${reward === FORWARD ? 'it has not been forwarded' : 'no command of it has been delivered'} by then`,
        },
      ];

const isInQueue = (state: GrantState): boolean => state === 'pending' || state === 'waiting';

function stateText(grant: GrantRow, now: number): string {
  const { state, changedAt, commands } = grant;
  const since = `since ${isoTime(changedAt)}`;
  const payer = payerOf(grant);
  const why = `${combinedText(grant)}${whyText(grant)}`;
  switch (state) {
    case 'delivered':
      return `${payer === null ? '' : `paid on ${payer}, `}delivered at ${isoTime(changedAt)}${why}`;
    case 'cancelled':
      return `cancelled at ${isoTime(changedAt)}${why}`;
    case 'pending':
      return commands.some(isBeingSent)
        ? 'being sent at this moment'
        : `pending ${since}, ${durationText(now - changedAt)} ago${why}`;
    case 'waiting':
      return `${grant.pool === null ? 'waiting' : `waits for ${grant.server}`} ${since}${why}`;
    default:
      return `${state}${payer === null ? '' : ` on ${payer}`} ${since}${why}`;
  }
}

/** The game server of its pool that pays it; null if it has no pool, or none pays it yet. */
const payerOf = ({ server, pool }: GrantRow): string | null =>
  pool === null || server === pool ? null : server;

/** `, with 6 others` */
const combinedText = ({ combined }: GrantRow): string =>
  combined === null ? '' : `, ${withOthers(combined.others)}`;

/** `with 6 others` */
export const withOthers = (count: number): string => `with ${count} ${count === 1 ? 'other' : 'others'}`;

/** Empty if a command of the grant says the same. */
function whyText({ reason, commands }: GrantRow): string {
  if (reason === null || commands.some((command) => saysSame(command, reason))) return '';
  return `: ${printable(grantReasonSentence(reason))}`;
}

const saysSame = ({ outcome, reply, reason: own }: CommandRow, reason: GrantReason): boolean =>
  outcome !== null &&
  (own?.code === reason.code || (reply !== null && reply === grantReasonSentence(reason)));

/** The ledger has no outcome for a command between its claim and its end. */
const isBeingSent = ({ outcome, startedAt, endedAt }: CommandRow): boolean =>
  outcome === null && startedAt !== null && endedAt === null;

const outcomeTexts: Readonly<Record<OutcomeKind, string>> = {
  delivered: 'delivered',
  refused: 'refused by the game server',
  'player-offline': 'the player was not online',
  'not-sent': 'not sent',
  unknown: 'unknown, may have run',
};

function commandText(row: CommandRow, grant: GrantRow): string {
  const command = printable(row.command, COMMAND_BYTES_MAX);
  if (isBeingSent(row)) return `${command} → being sent`;
  if (row.outcome === null) return `${command} → ${untriedText(row, grant)}`;
  const at = row.endedAt === null ? '' : ` at ${isoTime(row.endedAt)}`;
  return `${command} → ${outcomeTexts[row.outcome]}${at}, ${attemptsText(row)}: ${replyText(row, row.outcome)}`;
}

function untriedText(row: CommandRow, { state, reason }: GrantRow): string {
  if (reason?.code === 'shadow') return 'not run, because the other side pays';
  const isTried = row.attempts > 0;
  if (state === 'delivered' || state === 'cancelled')
    return isTried ? `not run again, after ${attemptsText(row)}` : 'not run';
  return isTried ? `will be tried again, ${attemptsText(row)} so far` : 'not tried yet';
}

const attemptsText = ({ attempts }: CommandRow): string =>
  attempts === 1 ? '1 attempt' : `${attempts} attempts`;

/** What the game server answered, and why there is no reply or why it does not count. */
function replyText(row: CommandRow, outcome: OutcomeKind): string {
  const why = row.reason === null ? null : printable(commandReasonSentence(row.reason, outcome));
  if (row.reply === null && why !== null) return why;
  const answer = answerText(row);
  return why === null ? answer : `${why}; before that: ${answer}`;
}

function answerText({ command, outcome, reply }: CommandRow): string {
  if (reply === null || reply === '') return '(an empty reply: the command was accepted)';
  return outcome === 'delivered' && saysAbsent(reply, command)
    ? `${printable(reply)} (no player was there to see it)`
    : printable(reply);
}

/** What the operator can do about a grant, or what it waits for; null if it is closed. */
export function grantTodo(grant: GrantRow, { queue, pauses }: GrantContext): string | null {
  const [pause] = pauses;
  if (pause !== undefined && isInQueue(grant.state)) return `\`${resumeText(pause)}\` ends the pause`;
  if (queue?.reason != null && isInQueue(grant.state)) {
    return `${sentenceOf(queue.reason)}; Teller keeps trying`;
  }
  return grant.reward === FORWARD ? forwardTodo(grant) : stateTodo(grant);
}

function stateTodo(grant: GrantRow): string | null {
  switch (grant.state) {
    case 'delivered':
    case 'cancelled':
      return null;
    case 'pending':
      return 'nothing; it is paid once Teller is running and the game server accepts commands';
    case 'waiting':
      if (grant.reason?.code === 'awaits-join') return grantTodos['awaits-join'](concernedBy(grant));
      if (grant.reason?.code === 'delayed')
        return `nothing; it is paid after ${isoTime(grant.reason.facts.until)}`;
      if (grant.reason?.code === 'uuid-unknown')
        return `make \`list uuids\` work on ${grant.server}; or take {uuid} out of the reward and \`teller grants cancel ${grant.id}\``;
      if (grant.reason?.code === 'condition-unmet' || grant.reason?.code === 'condition-unclear')
        return grantTodos[grant.reason.code](concernedBy(grant));
      return `nothing; it is paid when ${grant.player ?? 'the player'} is on ${grant.server}${likelyText(grant)}`;
    case 'refused':
      return correctTheReward(concernedBy(grant));
    case 'held':
      return heldTodo(grant);
  }
}

/** A command that may have run matters most, even if the grant is also held for another reason. */
function heldTodo(grant: GrantRow): string {
  const unknown = grant.commands.find(({ outcome }) => outcome === 'unknown');
  if (unknown !== undefined) return lookWhetherItRan(concernedBy(grant, `“${printable(unknown.command)}”`));
  const code = grant.reason?.code ?? 'other-game-server';
  const todo = code in grantTodos ? grantTodos[code as OwnGrantCode] : grantTodos['other-game-server'];
  return todo(concernedBy(grant));
}

const concernedBy = ({ id, server, player }: GrantRow, command = 'the command'): Concerned => ({
  id,
  server,
  player: player ?? 'the recipient',
  command,
});
