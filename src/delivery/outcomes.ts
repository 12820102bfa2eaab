/**
 * What the operator is told of commands and forwards: the sentence of each code for which there is no reply, and the log line of each
 * outcome.
 */
import { FORWARD, forwardedVoteText, readForward } from '../core/forward.ts';
import type {
  CannotTellCode,
  KindCode,
  NeverSentCode,
  NotSentCode,
  PauseCode,
  UnknownCode,
} from '../core/game-server-codes.ts';
import type { Log } from '../core/log.ts';
import { type Outcome, replyOf } from '../core/outcome.ts';
import { printable } from '../core/printable.ts';
import { COMMAND_BYTES_MAX } from '../core/template-bytes.ts';
import type { OpenGrant } from '../ledger/ledger.ts';
import type { KindReasons } from './game-server.ts';
import { gameServerKinds } from './kinds.ts';
import { doubtTodo } from './replies.ts';

/**
 * Why a command has no reply. The tables are closed. Each table is for one outcome; the codes are stable for scripts
 * and the trace, and the sentences are for the operator.
 */

/** No part of the command reached the socket. */
export const notSentReasons: Readonly<Record<NotSentCode, string>> = {
  ...ofKinds('notSent'),
  unreachable:
    'cannot connect to its host and port; check that the game server is running, with enable-rcon=true in server.properties',
  'host-unknown': 'the name in `host` cannot be resolved; correct it, or use the IP address',
  'login-timeout':
    'its host and port accept connections, but nothing answers the RCON login; compare the port with rcon.port in server.properties',
  'wrong-password':
    'the game server refused the password; compare it with rcon.password in server.properties',
  'closed-at-login':
    'the game server closed the connection instead of answering the login; the password is probably wrong',
  'closed-after-login':
    'the game server accepted the login and closed the connection at once; the password is probably wrong',
  'not-rcon':
    'the answer from its host and port is not RCON; compare the port with rcon.port in server.properties',
  'list-unanswered':
    'the game server accepted the login, but did not answer a harmless `list`; it may still be starting, or a proxy in between drops idle connections',
  'between-connections': 'the connection broke a moment ago; Teller reconnects soon',
  'http-unreachable':
    'cannot connect to the host and port of its url; check that the program that runs the commands is up',
  'http-host-unknown': 'the host name in its url cannot be resolved; correct it',
  'http-tls-failed': 'TLS handshake failed; check that the certificate there is valid for its url',
  'http-not-let-in': 'it rejected the signature (HTTP 401); compare its secret with the one in the config',
  'http-busy': 'it asked Teller to try again later (HTTP 408, 425 or 429)',
  'shut-down': 'Teller was shutting down',
};

/** Teller itself refuses to send the command, because no server can ever accept it. */
export const neverSentReasons: Readonly<Record<NeverSentCode, string>> = {
  ...ofKinds('neverSent'),
  'command-too-long': 'it is longer than the 1,446 bytes that a game server reads; shorten it',
  'command-not-one-line': 'it contains a line break or a NUL; remove it',
};

/** The command may have run. */
export const unknownReasons: Readonly<Record<UnknownCode, string>> = {
  ...ofKinds('unknown'),
  timeout: 'no complete reply came in time',
  'no-frame':
    'no reply came, but the game server answered the next question; it probably sends nothing for a command without output (Pumpkin does this). If the command ran, set `"noReply": "delivered"` for this game server',
  closed: 'the connection was closed before the reply was complete',
  'bad-reply': 'the reply was not RCON',
  'login-lost': 'the game server answered as if Teller were not logged in',
  'http-bad-reply': 'the reply was not HTTP',
  'http-server-fault': 'the reply was a server error (HTTP 5xx)',
  'http-redirect':
    'the reply was a redirect (HTTP 3xx), which Teller does not follow; put the final address into its url',
  'shut-down': 'Teller shut down before the reply was complete',
};

/** The game server answered, but its answer does not show who is online. */
export const cannotTellReasons: Readonly<Record<CannotTellCode, string>> = {
  ...ofKinds('cannotTell'),
  'list-not-understood':
    'its player list has no known format, and `minecraft:execute if entity` answers neither yes nor no',
  'list-does-not-add-up':
    'its player list gives another number of players than it names, names one twice, or has what cannot be a name or a UUID of its own, and `minecraft:execute if entity` is not understood either',
  'uuid-unknown':
    'its player list shows no UUIDs, so {uuid} in a command cannot be filled in; make `list uuids` work there, or remove {uuid} from the reward',
  'http-tells-nobody':
    'a game server of kind http cannot report who is online; give its rewards `"when": "always"`',
};

/** All of these. `shut-down` is in two tables; here it means that nothing was sent. */
export const gameServerReasons: Readonly<Record<PauseCode | NeverSentCode | CannotTellCode, string>> = {
  ...unknownReasons,
  ...neverSentReasons,
  ...cannotTellReasons,
  ...notSentReasons,
};

/** The operator's sentence for a code. A code that this version does not know is shown as it is. */
export const sentenceOf = (code: keyof typeof gameServerReasons): string => gameServerReasons[code] ?? code;

function ofKinds(outcome: keyof KindReasons): Readonly<Record<KindCode, string>> {
  return Object.assign({}, ...gameServerKinds.map(({ reasons }) => reasons?.[outcome] ?? {}));
}

/**
 * Logs how a command or a forward ended and what the operator has to do about it, if anything. Replies and spellings of names come
 * from a game server, so they are made printable first.
 */
export function logOutcome(
  log: Log,
  server: string,
  grant: OpenGrant,
  command: string,
  outcome: Outcome,
): void {
  const vote = grant.reward === FORWARD ? readForward(command) : null;
  if (vote !== null) {
    logForward(log, server, grant, `the ${printable(forwardedVoteText(vote), 200)}`, outcome);
    return;
  }
  const { id } = grant;
  const line = printable(command, COMMAND_BYTES_MAX);
  const reply = printable(replyOf(outcome) ?? '') || '(no output)';
  const fields = { grant: id, reward: grant.reward, server, command, code: outcome.kind };
  switch (outcome.kind) {
    case 'delivered': {
      log.info(fields, `${printable(grant.player ?? grant.recipientKey)}: ${line} → ${reply}`);
      if (outcome.doubt === undefined) break;
      const doubt = `the reply to “${line}” looks like a failure, but counts as delivered; ${doubtTodo(server, outcome.doubt)}`;
      log.warn({ ...fields, code: 'reply-doubtful' }, `grant ${id}: ${doubt}`);
      break;
    }
    case 'refused': {
      const sentence =
        outcome.reason === undefined
          ? `${server} refused “${line}”: ${reply}`
          : `“${line}” was not sent to ${server}: ${neverSentText(outcome.reason)}`;
      log.warn(fields, `grant ${id}: ${sentence}`);
      break;
    }
    case 'player-offline':
      log.info(fields, `grant ${id} waits for its player: ${reply}`);
      break;
    case 'unknown': {
      const why = unknownReasons[outcome.reason] ?? outcome.reason;
      const sentence = grant.safeToRunTwice
        ? `grant ${id}: no answer to “${line}” (${why}); it is safe to run twice, so Teller runs it again`
        : `grant ${id} is held: “${line}” may have run (${why}); look on the game server, then use \`teller grants ran ${id}\` if it ran, or \`teller grants pay ${id}\` if it did not`;
      log.warn(fields, sentence);
      break;
    }
    case 'not-sent':
      log.debug(fields, `grant ${id}: not sent: ${sentenceOf(outcome.reason)}`);
      break;
  }
}

/** @param which the vote, for people. */
function logForward(
  log: Log,
  server: string,
  { id, reward }: OpenGrant,
  which: string,
  outcome: Outcome,
): void {
  const fields = { grant: id, reward, server, code: outcome.kind };
  switch (outcome.kind) {
    case 'delivered': {
      const answer = printable(outcome.reply) || 'written, which version 1 cannot confirm';
      log.info(fields, `forwarded to ${server}: ${which} → ${answer}`);
      break;
    }
    case 'not-sent':
      log.debug(fields, `grant ${id}: not forwarded to ${server}: ${sentenceOf(outcome.reason)}`);
      break;
    case 'refused':
    case 'player-offline': {
      const why =
        'reason' in outcome && outcome.reason !== undefined
          ? neverSentText(outcome.reason)
          : printable(outcome.reply ?? '');
      log.warn(fields, `grant ${id}: ${which} was not forwarded to ${server}: ${why}`);
      break;
    }
    case 'unknown': {
      const todo = `look there, then use \`teller grants mark-paid ${id}\` if it is there, or \`teller grants pay ${id}\` if not`;
      const why = `${which} may have arrived at ${server} (${unknownReasons[outcome.reason]})`;
      log.warn(fields, `grant ${id} is held: ${why}; ${todo}`);
      break;
    }
  }
}

const neverSentText = (reason: NeverSentCode): string => `${neverSentReasons[reason]} [${reason}]`;
