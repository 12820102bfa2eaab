import { durationText } from '../../core/duration.ts';
import { FORWARD } from '../../core/forward.ts';
import type { GrantReason } from '../../core/grant-reason.ts';
import { isoTime } from '../../core/instant.ts';
import type { OutcomeKind } from '../../core/outcome.ts';
import { pauseText } from '../../core/pause.ts';
import { placeText } from '../../core/pool.ts';
import { printable } from '../../core/printable.ts';
import { COMMAND_BYTES_MAX } from '../../core/template-bytes.ts';
import { doubtTodo, type ReplyPatterns, saysAbsent } from '../../delivery/replies.ts';
import type { CommandRow, GrantRow, QueueState } from '../../ledger/ledger.ts';
import { forwardStateText } from './forward-lines.ts';
import { actionText } from './grant-actions.ts';
import { commandReasonSentence, grantReasonSentence } from './grant-reasons.ts';
import { type GrantContext, grantTodo, isInQueue } from './grant-todo.ts';
import type { Line } from './line.ts';
import { doubtOf } from './reply-doubts.ts';

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
      ...waitLine(grant, queue),
      ...actionLines(grant),
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
    ...waitLine(grant, queue),
    ...actionLines(grant),
    ...toDo,
  ];
}

/** Its state and why, where it is said already which reward it is, and on which game server. */
export const grantStateText = (grant: GrantRow, now: number): string =>
  grant.reward === FORWARD ? forwardStateText(grant) : stateText(grant, now);

/** Who changed it by hand. */
const actionLines = ({ actions }: GrantRow): readonly Line[] =>
  actions.map((action) => ({ about: 'operator:', text: actionText(action) }));

function doubtLine(command: CommandRow, server: string, patterns: ReplyPatterns): readonly Line[] {
  const entry = doubtOf(command, patterns);
  if (entry === null) return [];
  const text = `this reply looks like a failure but counts as delivered; ${doubtTodo(server, entry)}`;
  return [{ about: 'warning:', text }];
}

/** `.BedHead instead of BedHead, as the operator decided at 2026-…` */
const redirectedText = ({ player, redirected }: GrantRow): string =>
  redirected === null
    ? ''
    : `${player} instead of ${redirected.insteadOf}, as the operator decided at ${isoTime(redirected.at)}`;

/** Since when and why the game server of an open grant accepts nothing. */
function waitLine({ state, server, reward }: GrantRow, queue: QueueState | null): readonly Line[] {
  if (queue?.reason == null || !isInQueue(state)) return [];
  const what =
    reward === FORWARD ? `everything that is forwarded to ${server} has` : `all rewards on ${server} have`;
  const text = `${what} waited since ${isoTime(queue.since)} [${queue.reason}]`;
  return [{ about: 'waiting:', text }];
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

function stateText(grant: GrantRow, now: number): string {
  const { state, changedAt, commands } = grant;
  const since = `since ${isoTime(changedAt)}`;
  const payer = payerOf(grant);
  const why = whyText(grant);
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

/** Empty if a command of the grant says the same. */
function whyText({ reason, commands }: GrantRow): string {
  if (reason === null || commands.some((command) => saysSame(command, reason))) return '';
  return `: ${printable(grantReasonSentence(reason))}`;
}

const saysSame = ({ outcome, reply, reason: own }: CommandRow, reason: GrantReason): boolean =>
  outcome !== null &&
  (own?.code === reason.code || (reply !== null && reply === grantReasonSentence(reason)));

/** The ledger has no outcome for a command between its claim and its end. */
export const isBeingSent = ({ outcome, startedAt, endedAt }: CommandRow): boolean =>
  outcome === null && startedAt !== null && endedAt === null;

/** How a command ended. */
const outcomeTexts: Readonly<Record<OutcomeKind, string>> = {
  delivered: 'delivered',
  refused: 'refused by the game server',
  'player-offline': 'the player was not online',
  'not-sent': 'not sent',
  unknown: 'unknown, may have run',
};

/** How a command ended. `delivered (unseen)`: the reply is empty, so only the game server's own log or the player can tell. */
const endedText = (outcome: OutcomeKind, reply: string | null): string =>
  `${outcomeTexts[outcome]}${outcome === 'delivered' && reply === '' ? ' (unseen)' : ''}`;

const commandText = (row: CommandRow, grant: GrantRow): string =>
  `${printable(row.command, COMMAND_BYTES_MAX)} → ${outcomeText(row, grant)}`;

/** What is known about the outcome of a command. */
export function outcomeText(row: CommandRow, grant: GrantRow): string {
  if (isBeingSent(row)) return 'being sent';
  if (row.outcome === null) return untriedText(row, grant);
  const at = row.endedAt === null ? '' : ` at ${isoTime(row.endedAt)}`;
  const ended = row.reason === null ? endedText(row.outcome, row.reply) : outcomeTexts[row.outcome];
  return `${ended}${at}, ${attemptsText(row)}: ${replyText(row, row.outcome)}`;
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
  if (reply === null || reply === '') return '(an empty reply: nothing shows what the command did)';
  return outcome === 'delivered' && saysAbsent(reply, command)
    ? `${printable(reply)} (no player was there to see it)`
    : printable(reply);
}
