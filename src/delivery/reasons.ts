import type {
  CannotTellCode,
  KindCode,
  NeverSentCode,
  NotSentCode,
  PauseCode,
  UnknownCode,
} from '../core/game-server-codes.ts';
import type { KindReasons } from './game-server-kind.ts';
import { gameServerKinds } from './kinds.ts';

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
