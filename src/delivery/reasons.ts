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
 * Why a command has no reply, in closed lists: the kind of the outcome says what it means for the command, the
 * code is stable for scripts and the trace, the sentence is for the operator.
 */

/** Nothing of the command reached the socket. */
export const notSentReasons: Readonly<Record<NotSentCode, string>> = {
  ...ofKinds('notSent'),
  unreachable: 'nothing takes connections at host and port: is the game server up, with enable-rcon=true?',
  'host-unknown':
    'the name in `host` cannot be resolved to an address: correct it, or write the address itself',
  'login-timeout': 'something takes connections at host and port and does not answer the login',
  'wrong-password':
    'the game server refused the password: compare it with rcon.password in server.properties',
  'closed-at-login':
    'the game server closed the connection in place of answering the login: probably the password',
  'closed-after-login':
    'the game server took the login and closed the connection at once: probably the password',
  'not-rcon':
    'what answers at host and port is not RCON: compare the port with rcon.port in server.properties',
  'list-unanswered':
    'the game server took the login and did not answer a harmless `list`: it may still be starting, or a proxy in between drops idle connections',
  'between-connections': 'the connection broke a moment ago and is not opened again yet',
  'http-unreachable':
    'nothing takes connections at the host and port of its url: is what takes the commands there up?',
  'http-host-unknown': 'the host name of its url cannot be resolved',
  'http-tls-failed':
    'no secure connection came about: compare its url with the certificate that is shown there',
  'http-not-let-in':
    'it does not take our signature (HTTP 401): compare its secret with the one in the config',
  'http-busy': 'it asks to be left alone for now (HTTP 408, 425 or 429)',
  'shut-down': 'Teller was shutting down',
};

/** Teller itself refuses to write it: no server could take it, today or tomorrow. */
export const neverSentReasons: Readonly<Record<NeverSentCode, string>> = {
  'command-too-long': 'it has more than the 1,446 bytes that a game server reads',
  'command-not-one-line': 'it has a line break or a NUL in it',
};

/** The command may have run. */
export const unknownReasons: Readonly<Record<UnknownCode, string>> = {
  ...ofKinds('unknown'),
  timeout: 'no complete reply came in time',
  'no-frame':
    'no reply came, although the game server answered the next question: it probably sends nothing for a command without output (Pumpkin does so). Where it has run, set `"noReply": "delivered"` for this game server',
  closed: 'the connection ended before a complete reply had come',
  'bad-reply': 'what came in reply was not RCON',
  'login-lost': 'the game server answered as if nobody had logged in',
  'http-bad-reply': 'what came in reply was not HTTP',
  'http-server-fault': 'a fault on the other side (HTTP 5xx) came in reply',
  'http-redirect':
    'another address (HTTP 3xx) came in reply, and none is followed: put the one that takes commands into its url',
  'shut-down': 'Teller was shutting down before a complete reply had come',
};

/** The game server answered, and who is online cannot be told from it. */
export const cannotTellReasons: Readonly<Record<CannotTellCode, string>> = {
  ...ofKinds('cannotTell'),
  'list-not-understood':
    'its player list has no form that is known, and `minecraft:execute if entity` says neither yes nor no',
  'list-does-not-add-up':
    'its player list announces another number than it names, and `minecraft:execute if entity` says neither yes nor no',
  'uuid-unknown':
    'its player list shows no UUIDs, so {uuid} in a command cannot be filled in: make `list uuids` work there, or take {uuid} out of the reward',
  'http-tells-nobody':
    'a game server of kind http takes commands and tells nobody’s presence: pay its rewards with `"when": "always"`',
};

/** Why the queue of a game server pauses. */
export const pauseReasons: Readonly<Record<PauseCode, string>> = { ...unknownReasons, ...notSentReasons };

const ofGameServers: Readonly<Record<PauseCode | CannotTellCode, string>> = {
  ...cannotTellReasons,
  ...pauseReasons,
};

/** What a code says to the operator. */
export const sentenceOf = (code: PauseCode | CannotTellCode): string => ofGameServers[code] ?? code;

function ofKinds(outcome: keyof KindReasons): Readonly<Record<KindCode, string>> {
  return Object.assign({}, ...gameServerKinds.map(({ reasons }) => reasons?.[outcome] ?? {}));
}
