import { type Finding, ok, problem, warning } from '../core/finding.ts';
import type { CannotTellCode, PauseCode } from '../core/game-server-codes.ts';
import type { Presence } from './game-server.ts';
import type { CheckParts } from './game-server-kind.ts';

/** What was asked, and what the answer is needed for. */
export interface Answered extends Pick<CheckParts, 'needsUuids' | 'sentenceOf'> {
  /** Its name and address. */
  readonly where: string;
}

/** What the answer of a game server about who is online says to the operator. */
export function presenceFinding(asked: Answered, presence: Presence): Finding {
  const { where, needsUuids } = asked;
  switch (presence.kind) {
    case 'known': {
      // An empty list does not show whether the server shows UUIDs.
      if (needsUuids && presence.names.length > 0 && presence.uuids === undefined) return withoutUuids(asked);
      const online = presence.names.length === 1 ? '1 player' : `${presence.names.length} players`;
      return ok('game-server', `${where} accepts the login and reports who is online: ${online}`);
    }
    case 'asked':
      return oneByOne(where);
    case 'cannot-tell':
      return cannotTell(asked, presence.reason);
    case 'unreachable':
      return unreachable(asked, presence.reason);
  }
}

const withoutUuids = ({ where, sentenceOf }: Answered): Finding =>
  warning(
    'uuid-unknown',
    `${where} accepts the login and reports who is online, but ${sentenceOf('uuid-unknown')}`,
    'commands with {uuid} wait there until then',
  );

/** It answers about one player, although its list of players is not understood. */
export const oneByOne = (where: string): Finding =>
  ok(
    'presence-one-by-one',
    `${where} accepts the login; Teller does not understand its player list, so it asks for each player`,
  );

const cannotTell = ({ where, sentenceOf }: Answered, reason: CannotTellCode): Finding =>
  warning(
    reason,
    `${where} answers, but cannot report who is online: ${sentenceOf(reason)}; rewards with "when": "online" wait forever`,
    // A reason that only one kind has says itself what to do.
    reason.includes('.')
      ? null
      : 'remove the plugin that changes `list` there, or give its rewards "when": "always"',
  );

export function unreachable(
  { where, sentenceOf }: Pick<Answered, 'where' | 'sentenceOf'>,
  reason: PauseCode,
): Finding {
  const isAbsent = reason === 'unreachable' || reason === 'not-rcon' || reason === 'login-timeout';
  const toDo = isAbsent
    ? 'a proxy (Velocity, BungeeCord) has no RCON; enter the game servers behind it instead'
    : null;
  return problem(reason, `${where}: ${sentenceOf(reason)}`, toDo);
}
