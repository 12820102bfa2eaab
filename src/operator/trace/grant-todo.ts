import { FORWARD } from '../../core/forward.ts';
import type { OwnGrantCode } from '../../core/grant-reason.ts';
import { isoTime } from '../../core/instant.ts';
import { type Pause, resumeText } from '../../core/pause.ts';
import { printable } from '../../core/printable.ts';
import type { GrantState } from '../../core/settlement.ts';
import { sentenceOf } from '../../delivery/outcomes.ts';
import type { ReplyPatterns } from '../../delivery/replies.ts';
import type { GrantRow, QueueState } from '../../ledger/ledger.ts';
import { forwardTodo } from './forward-lines.ts';
import { type Concerned, correctTheReward, grantTodos, lookWhetherItRan } from './grant-reasons.ts';
import { commandWays, type Ways } from './grant-ways.ts';
import type { TracedGrant } from './vote-trace.ts';

/** In a trace with the player who is probably meant. */
type Asked = GrantRow & Partial<Pick<TracedGrant, 'likelyPlayer'>>;

/** What the config and the delivering process say about a grant's game server. */
export interface GrantContext {
  readonly patterns: ReplyPatterns;
  /** null if nothing is known. */
  readonly queue: QueueState | null;
  /** The operator's pauses that stop the grant. */
  readonly pauses: readonly Pause[];
  /** By default, commands. */
  readonly ways?: Ways;
}

/** What the operator can do about a grant, or what it waits for; null if it is closed. */
export function grantTodo(grant: Asked, { queue, pauses, ways = commandWays }: GrantContext): string | null {
  const [pause] = pauses;
  if (pause !== undefined && isInQueue(grant.state)) return `\`${resumeText(pause)}\` ends the pause`;
  if (queue?.reason != null && isInQueue(grant.state)) {
    return `${sentenceOf(queue.reason)}; Teller keeps trying`;
  }
  return grant.reward === FORWARD ? forwardTodo(grant, ways) : stateTodo(grant, ways);
}

function stateTodo(grant: Asked, ways: Ways): string | null {
  switch (grant.state) {
    case 'delivered':
    case 'cancelled':
      return null;
    case 'pending':
      return 'nothing; it is paid once Teller is running and the game server accepts commands';
    case 'waiting':
      if (grant.reason?.code === 'delayed')
        return `nothing; it is paid after ${isoTime(grant.reason.facts.until)}`;
      if (grant.reason?.code === 'uuid-unknown')
        return `make \`list uuids\` work on ${grant.server}; or take {uuid} out of the reward and \`teller grants cancel ${grant.id}\``;
      return `nothing; it is paid when ${grant.player ?? 'the player'} is on ${grant.server}${likelyText(grant, ways)}`;
    case 'refused':
      return correctTheReward(concernedBy(grant, ways));
    case 'held':
      return heldTodo(grant, ways);
  }
}

/** A command that may have run matters most, even if the grant is also held for another reason. */
function heldTodo(grant: GrantRow, ways: Ways): string {
  const unknown = grant.commands.find(({ outcome }) => outcome === 'unknown');
  if (unknown !== undefined)
    return lookWhetherItRan(concernedBy(grant, ways, `“${printable(unknown.command)}”`));
  const code = grant.reason?.code ?? 'other-game-server';
  const todo = code in grantTodos ? grantTodos[code as OwnGrantCode] : grantTodos['other-game-server'];
  return todo(concernedBy(grant, ways));
}

const concernedBy = ({ id, server, player }: GrantRow, ways: Ways, command = 'the command'): Concerned => ({
  id,
  server,
  player: player ?? 'the recipient',
  command,
  ways,
});

/** Whom a waiting grant is probably for, and how to pay them. */
function likelyText({ id, player, likelyPlayer = null }: Asked, ways: Ways): string {
  if (likelyPlayer === null) return '';
  return `. If ${player} is ${likelyPlayer}, ${ways.payAnother(id, likelyPlayer)} pays them`;
}

export const isInQueue = (state: GrantState): boolean => state === 'pending' || state === 'waiting';
