import type {
  CommandReason,
  GrantCode,
  GrantReason,
  OwnGrantCode,
  PlainGrantCode,
} from '../../core/grant-reason.ts';
import { isoTime } from '../../core/instant.ts';
import type { OutcomeKind } from '../../core/outcome.ts';
import { gameServerReasons, sentenceOf, unknownReasons } from '../../delivery/outcomes.ts';
import type { Ways } from './grant-ways.ts';

const plainReasons: Readonly<Record<PlainGrantCode, string>> = {
  ...gameServerReasons,
  'restore-doubt': 'it may have been paid before the restore',
  'clock-doubt': 'this machine’s clock was doubtful when the vote came',
  'process-ended': 'Teller stopped while the command was being sent',
  'other-game-server': 'its game server was changed in or removed from the config',
  'name-taken': 'the name belongs to another player now',
  shadow: 'not paid here: `pay` in the config left its vote to the other side',
  expired: 'expired',
  stranger: 'not announced, because its player was never seen on a game server',
  'too-often': 'not announced, because the reward had just been announced as often as `atMost` allows',
  'ran-by-operator': 'the operator said that a command ran',
  'marked-paid': 'marked as paid by the operator',
  'cancelled-by-operator': 'cancelled by the operator',
};

/** A code that this version does not know, or that says nothing without its facts, is shown as it is. */
export const plainSentence = (code: GrantCode): string => plainReasons[code as PlainGrantCode] ?? code;

/** Why a grant is in its state. A game server's reply is included unchanged. */
export function grantReasonSentence(reason: GrantReason): string {
  switch (reason.code) {
    case 'refused':
      return reason.facts.reply;
    case 'player-offline':
      return reason.facts?.reply ?? 'the player is not online';
    case 'by-operator':
      return `the operator has it paid${droppedText(reason.facts?.dropped ?? 0)}`;
    case 'delayed':
      return `not before ${isoTime(reason.facts.until)}, because the reward has a delay`;
    default:
      return plainSentence(reason.code);
  }
}

function droppedText(dropped: number): string {
  if (dropped === 0) return '';
  const commands = dropped === 1 ? '1 command was' : `${dropped} commands were`;
  return `; ${commands} dropped, because the reward no longer has them`;
}

/** `note` in `--json`: the game server's reply, the code for a missing reply, or the sentence. Scripts rely on it. */
export function grantNote(reason: GrantReason | null): string | null {
  if (reason === null) return null;
  return reason.code in gameServerReasons ? reason.code : grantReasonSentence(reason);
}

/** Why a command has no reply. */
export function commandReasonSentence(reason: CommandReason, outcome: OutcomeKind): string {
  switch (reason.code) {
    case 'process-ended':
      return outcome === 'not-sent'
        ? 'Teller stopped, and announcements are not sent later'
        : 'Teller stopped before a reply came';
    case 'expired':
      return 'announcements are not sent later than two minutes after their vote';
    case 'stranger':
    case 'too-often':
      return plainReasons[reason.code];
    case 'ran-by-operator':
      return `the operator said that it ran${beforeText(reason.facts?.before)}`;
    case 'shut-down':
      return outcome === 'unknown' ? unknownReasons[reason.code] : sentenceOf(reason.code);
    default:
      return sentenceOf(reason.code);
  }
}

type Before = NonNullable<Extract<CommandReason, { code: 'ran-by-operator' }>['facts']>['before'];

function beforeText(before: Before | undefined): string {
  if (before === undefined) return '';
  return `; before that: ${commandReasonSentence({ code: before }, 'unknown')} [${before}]`;
}

/** The facts that a to-do sentence names. */
export interface Concerned {
  readonly id: number | string;
  readonly server: string;
  readonly player: string;
  /** The command that may have run. */
  readonly command: string;
  /** How to change the grant. */
  readonly ways: Ways;
}

type ToDo = (concerned: Concerned) => string;

export const lookWhetherItRan: ToDo = ({ id, server, command, ways }) =>
  `check on ${server} whether ${command} ran: if it did, ${ways.ran(id)}; if not, ${ways.pay(id)}`;

export const correctTheReward: ToDo = ({ id, ways }) =>
  `correct the reward in the config, then ${ways.payAnew(id)}; or ${ways.cancel(id)}`;

const nothing: ToDo = () => 'nothing';

/** What the operator can do about a grant, by the reason for its state. */
export const grantTodos: Readonly<Record<OwnGrantCode, ToDo>> = {
  refused: correctTheReward,
  'player-offline': ({ player, server }) => `nothing; it is paid when ${player} is on ${server}`,
  'restore-doubt': ({ id, server, player, ways }) =>
    `check on ${server} whether ${player} received it: if so, ${ways.markPaid(id)}; if not, ${ways.pay(id)}`,
  'clock-doubt': ({ id, ways }) =>
    `check the clock (\`teller clock\`); \`teller clock release\` then pays this and all others held because of it; or ${ways.cancel(id)}`,
  'process-ended': lookWhetherItRan,
  'other-game-server': ({ id, server, ways }) =>
    `${ways.pay(id)} to pay it on ${server} as it is now; otherwise ${ways.cancel(id)}`,
  shadow: nothing,
  delayed: nothing,
  expired: nothing,
  'name-taken': ({ id, player, ways }) =>
    `nothing; it is paid when the UUID that had the name ${player} is seen under another name; or ${ways.cancel(id)}`,
  stranger: nothing,
  'too-often': nothing,
  'by-operator': nothing,
  'ran-by-operator': nothing,
  'marked-paid': nothing,
  'cancelled-by-operator': nothing,
};
