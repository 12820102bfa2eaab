import { forwardedVoteText, readForward } from '../../core/forward.ts';
import { isoTime } from '../../core/instant.ts';
import { printable } from '../../core/printable.ts';
import type { GrantRow } from '../../ledger/ledger.ts';
import { grantReasonSentence, grantTodos } from './grant-reasons.ts';
import type { Ways } from './grant-ways.ts';

/** What became of a forward, in one sentence. */
export function forwardStateText(grant: GrantRow): string {
  const { server, state, changedAt, createdAt } = grant;
  const at = isoTime(changedAt);
  switch (state) {
    case 'delivered':
      return `forwarded to ${server} at ${at}: ${answerText(grant)}`;
    case 'held':
      return `held since ${at}, and not forwarded to ${server} again by itself${whyText(grant)}`;
    case 'refused':
      return `not forwarded to ${server}: refused at ${at}${whyText(grant)}`;
    case 'cancelled':
      return `not forwarded to ${server}: cancelled at ${at}${whyText(grant)}`;
    case 'pending':
    case 'waiting':
      return isBeingSent(grant)
        ? `being forwarded to ${server} at this moment`
        : `to be forwarded to ${server}, since ${isoTime(createdAt)}${attemptsText(grant)}${whyText(grant)}`;
  }
}

const isBeingSent = ({ commands: [command] }: GrantRow): boolean =>
  command !== undefined && command.outcome === null && command.startedAt !== null && command.endedAt === null;

function answerText({ reason, commands: [command] }: GrantRow): string {
  const said = reason ?? command?.reason ?? null;
  if (said !== null) return 'the operator said so';
  return command?.reply ? printable(command.reply) : 'written, which version 1 cannot confirm';
}

const attemptsText = ({ commands: [command] }: GrantRow): string =>
  command === undefined || command.attempts === 0 ? '' : `, ${command.attempts} attempt(s) so far`;

const whyText = ({ reason }: GrantRow): string =>
  reason === null ? '' : `: ${printable(grantReasonSentence(reason))} [${reason.code}]`;

/** What the operator can do about a forward that needs them, or what it waits for; null if it is closed. */
export function forwardTodo(
  { id, server, state, reason, commands: [command] }: GrantRow,
  ways: Ways,
): string | null {
  const named = { id, server, player: 'the player', command: 'it', ways };
  const vote = readForward(command?.command ?? '');
  const which = vote === null ? 'it' : `the ${printable(forwardedVoteText(vote))}`;
  switch (state) {
    case 'delivered':
    case 'cancelled':
      return null;
    case 'pending':
    case 'waiting':
      return `nothing; it is forwarded once Teller is running and ${server} accepts it`;
    case 'refused':
      return `correct what ${server} says about it, then ${ways.pay(id)} forwards it again; or ${ways.cancel(id)}`;
    case 'held':
      if (reason?.code === 'clock-doubt' || reason?.code === 'other-game-server')
        return grantTodos[reason.code](named);
      return `look on ${server} for ${which}: if it is there, ${ways.markPaid(id)}; if not, ${ways.pay(id)} forwards it again`;
  }
}
