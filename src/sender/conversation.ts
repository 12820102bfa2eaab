/**
 * The sender's side of one exchange with a listener, in either version: bytes and events in, steps out, and how it ended: a code of a
 * closed list, whether the vote arrived, and a sentence that says what happened and what to check. It has no socket and no clock.
 */
import { encodeV2Frame, V2_BODY_MAX_BYTES, V2_HEADER_BYTES } from '../../protocol/votifier/v2.ts';
import {
  decodeGreeting,
  decodeReply,
  type Greeting,
  JsonObjectScan,
  type WireVote,
} from '../../protocol/votifier/wire.ts';

/** A vote that can be sent. Version 2 signs it for the challenge of the greeting, which version 1 does not need. */
export type Message =
  | { readonly version: 'v1'; readonly block: Buffer }
  | { readonly version: 'v2'; readonly vote: WireVote; readonly token: string };

export type Greeted = Extract<Greeting, { kind: 'v2' | 'v1-only' }>;

/** What the sender does next: it writes these bytes, or the exchange has ended; null: it waits. */
export type Step = Buffer | Ending | null;

export const V2_TOO_LONG: Ending = {
  code: 'vote-too-long',
  detail: `a version 2 message holds ${V2_BODY_MAX_BYTES} bytes`,
};

/** Far more than any known reply; we stop reading a listener that sends more. */
const ANSWER_MAX_BYTES = 4096;

/**
 * A greeting, then one vote, then by version 2 a reply, and by version 1 nothing [V1-6].
 *
 * A v1 block does not depend on the greeting, so it is also sent if no greeting comes for a while: a listener that
 * serves one connection at a time greets late, and reads the block when our turn comes. Waiting for the greeting first
 * has two reasons: a server that sends something else is not a Votifier, and a port that closes at once has not read
 * anything. Both are certain only if nothing has been written yet.
 */
export class Conversation {
  private received: Buffer = Buffer.alloc(0);
  private greeting: Greeted | null = null;
  private isWritten = false;

  /** @param message null: `write` will bring it, once there is a greeting. */
  constructor(
    private message: Message | null,
    private readonly onGreeting: (greeting: Greeted) => void = () => {},
  ) {}

  push(chunk: Buffer): Step {
    if (this.received.length <= ANSWER_MAX_BYTES) this.received = Buffer.concat([this.received, chunk]);
    return this.greeting === null ? this.handleGreeting() : this.handleAnswer();
  }

  /**
   * Once, and version 2 not without a challenge. Call this with a vote for which there was a greeting already, or when the greeting
   * has not arrived in the time that a v1 block waits for it.
   */
  write(message = this.message): Step {
    this.message = message;
    const { greeting } = this;
    if (message === null || this.isWritten) return null;
    if (message.version === 'v1') {
      this.isWritten = true;
      return message.block;
    }
    if (greeting === null) return null;
    if (greeting.kind === 'v1-only') {
      // Versions below 2, such as `1.9`, are old listeners; from 2 on, a listener that this sender does not know.
      const isLater = Number.parseFloat(greeting.version) >= 2;
      return { code: isLater ? 'version-unknown' : 'v1-only', detail: printable(greeting.version) };
    }
    const frame = encodeV2Frame({ ...message.vote, challenge: greeting.challenge }, message.token);
    if (frame.length - V2_HEADER_BYTES > V2_BODY_MAX_BYTES) return V2_TOO_LONG;
    this.isWritten = true;
    return frame;
  }

  /** What it means that no more bytes will come: the listener has closed the connection, or the time for the exchange is over. */
  cutOff(by: 'close' | 'time'): Ending {
    const { greeting, received } = this;
    if (!this.isWritten) {
      if (greeting !== null) return { code: 'closed-before-vote' };
      return { code: by === 'close' ? 'closed-without-greeting' : 'no-greeting' };
    }
    if (this.message?.version === 'v1') {
      if (greeting === null) return { code: 'sent-ungreeted' };
      return greeting.kind === 'v2' ? { code: 'sent', detail: TAKES_TOKENS } : { code: 'sent' };
    }
    if (received.toString('latin1').trim() === '')
      return { code: by === 'close' ? 'closed-without-answer' : 'no-answer' };
    const answer = readAnswer(received);
    return typeof answer === 'string' ? unreadable(received) : answer;
  }

  private handleGreeting(): Step {
    const greeting = decodeGreeting(this.received.toString('latin1'));
    if (greeting.kind === 'need-more') return null;
    if (greeting.kind === 'not-votifier') return { code: greeting.kind, detail: looksLike(this.received) };
    this.greeting = greeting;
    // A listener at its limit may have sent a refusal with its greeting; it is read when the connection closes.
    this.received = this.received.subarray(this.received.indexOf('\n') + 1);
    this.onGreeting(greeting);
    return this.write();
  }

  private handleAnswer(): Step {
    const answer = this.isWritten ? readAnswer(this.received) : 'need-more';
    if (answer === 'need-more') return null;
    if (answer !== 'unreadable') return answer;
    // No known listener answers a block; if one does, only a real answer counts.
    return this.message?.version === 'v1' ? null : unreadable(this.received);
  }
}

const OPEN_BRACE = 0x7b;
const WHITE_SPACE: ReadonlySet<number> = new Set([0x20, 0x09, 0x0d, 0x0a]);

/** Messages that all listeners use exactly [V2-15], and our own causes. */
const REFUSALS: readonly (readonly [FailureCode, RegExp])[] = [
  ['wrong-token', /Signature is not valid|InvalidSignature/i],
  ['unknown-service', /Unknown service|UnknownService/i],
  ['challenge-refused', /Challenge is not valid|InvalidChallenge/i],
  ['name-too-long', /Username too long/i],
];

/**
 * [V2-16] What the reply in these bytes, which may still be incomplete, means for the vote. The listener's message is kept;
 * anything after the closing brace is ignored.
 */
function readAnswer(received: Buffer): Ending | 'need-more' | 'unreadable' {
  const unfinished = received.length > ANSWER_MAX_BYTES ? 'unreadable' : 'need-more';
  const start = received.findIndex((byte) => !WHITE_SPACE.has(byte));
  if (start < 0) return unfinished;
  if (received[start] !== OPEN_BRACE) return 'unreadable';
  const close = new JsonObjectScan(start).read(received);
  if (close === null) return unfinished;
  const reply = decodeReply(received.toString('utf8', start, close));
  if (reply.kind === 'ok') return { code: 'accepted' };
  if (reply.kind === 'unreadable') return 'unreadable';
  const known = REFUSALS.find(([, words]) => words.test(`${reply.cause} ${reply.message}`));
  const said = printable(reply.message) || printable(reply.cause) || 'an error without a reason';
  return { code: known?.[0] ?? 'error-reply', detail: said };
}

const unreadable = (received: Buffer): Ending => ({
  code: 'unreadable-reply',
  detail: `it begins "${printable(received.toString('utf8', 0, 40))}"`,
});

const PRINTABLE_MAX_CHARACTERS = 200;

/** Makes text from the other side safe to show: one line, no control characters, limited length. */
const printable = (text: string): string =>
  Array.from(text.replace(/[\p{C}\p{Z}]+/gu, ' ').trim())
    .slice(0, PRINTABLE_MAX_CHARACTERS)
    .join('');

const SHAPES: readonly (readonly [string, RegExp])[] = [
  ['a web server (HTTP)', /^(?:HTTP\/|<!doctype|<html)/i],
  ['an SSH server', /^SSH-/],
  // biome-ignore lint/suspicious/noControlCharactersInRegex: a TLS alert begins 15 03, a handshake 16 03
  ['a TLS port', /^[\x15\x16]\x03/],
  // The kick packet of old versions, or the text component in that of newer ones.
  ['a Minecraft game server', /^\xff\0|\{"(?:translate|text)":/],
  ['a mail or FTP server', /^(?:220|421|554)[ -]/],
  // Three bytes of length, packet 0, then protocol 10 or an error.
  ['a MySQL server', /^.{3}\0[\n\xff]/s],
];

/** Recognizes a server that is not a Votifier by its first bytes. */
function looksLike(received: Buffer): string {
  const start = received.toString('latin1', 0, 256);
  const known = SHAPES.find(([, shape]) => shape.test(start))?.[0];
  if (known !== undefined) return known;
  const words = printable(start.slice(0, 40));
  return words === '' ? 'something unknown' : `something unknown that begins "${words}"`;
}

/** The facts in a sentence. */
export interface SendFacts {
  /** The listener as a person writes it, `host:port`. */
  readonly where: string;
  /** The other side's message, what it looks like, or the operating system's name of the error; may be empty. */
  readonly detail: string;
}

type Sentences = Readonly<Record<string, (facts: SendFacts) => string>>;

/** Detail of a v1 vote to a listener whose greeting offers version 2. */
const TAKES_TOKENS = 'takes tokens';

/** Version 1 can never say more than `sent` [V1-6]. */
const successes = {
  accepted: ({ where }) => `Accepted: ${where} answered ok.`,
  sent: ({ where, detail }) =>
    detail === TAKES_TOKENS
      ? `Sent to ${where} (protocol version 1 cannot confirm that it arrived). This listener also accepts tokens, and confirms votes that are sent with one (version 2).`
      : `Sent to ${where} (protocol version 1 cannot confirm that it arrived).`,
  'sent-ungreeted': ({ where }) =>
    `Sent to ${where}, which sent no greeting: it may not be a Votifier (and protocol version 1 cannot confirm that the vote arrived).`,
} as const satisfies Sentences;

/** The vote does not count there, because it was never written or because the listener said so; in the order of an exchange. */
const notCounted = {
  'line-break': () =>
    'A field of the vote contains a line break, which would start the next field. The vote was not sent.',
  'key-unusable': () =>
    'The public key is not an RSA key of 2048 bits, the only kind that protocol version 1 allows.',
  'vote-too-long': ({ detail }) =>
    `The fields of the vote are too long together: ${detail}. The vote was not sent.`,
  'host-unresolvable': ({ where, detail }) =>
    `The host name of ${where} cannot be resolved (${detail}): check its spelling and its DNS record.`,
  'address-not-allowed': ({ where, detail }) =>
    `${where} is not an address that votes may be sent to: ${detail}.`,
  'port-refused': ({ where }) =>
    `Nothing listens at ${where} (connection refused): is the listener running, and is this its port?`,
  unreachable: ({ where, detail }) =>
    `${where} cannot be reached (${detail}): check the address and firewalls.`,
  'connection-reset': ({ where }) =>
    `${where} reset the connection at once: is this the listener’s port, and does it allow this address?`,
  'out-of-sockets': ({ detail }) => `This machine has no free sockets (${detail}): send fewer votes at once.`,
  'connect-timeout': ({ where }) =>
    `${where} did not accept the connection in time: check the address, and whether a firewall drops packets.`,
  'closed-without-greeting': ({ where }) =>
    `${where} closed the connection without a Votifier greeting: is this the listener’s port, and does it allow this address?`,
  'no-greeting': ({ where }) =>
    `${where} sent no Votifier greeting in time: is this the listener’s port, and not the game’s?`,
  'not-votifier': ({ where, detail }) => `${where} is not a Votifier listener: it looks like ${detail}.`,
  'v1-only': ({ where, detail }) =>
    `${where} supports only protocol version 1 (its greeting says version ${detail}), which does not use tokens: use its public key.`,
  'version-unknown': ({ where, detail }) =>
    `The greeting of ${where} says protocol version ${detail}, but this sender supports versions 1 and 2: use --public-key if the listener still accepts version 1, or update Teller.`,
  'closed-before-vote': ({ where }) => `${where} closed the connection before the vote could be written.`,
  'wrong-token': ({ where, detail }) =>
    `The token is not the one that ${where} expects. It answered: ${detail}`,
  'unknown-service': ({ where, detail }) =>
    `${where} has no token for this service name. It answered: ${detail}`,
  'challenge-refused': ({ where, detail }) =>
    `${where} did not accept its own challenge: something in between may be changing it. It answered: ${detail}`,
  'name-too-long': ({ where, detail }) =>
    `${where} takes no player name of this length. It answered: ${detail}`,
  'error-reply': ({ where, detail }) => `${where} refused the vote. It answered: ${detail}`,
} as const satisfies Sentences;

/** The vote was written but no usable answer came, so it may count. */
const unanswered = {
  'unreadable-reply': ({ where, detail }) =>
    `The answer of ${where} is not a Votifier reply (${detail}): the vote may or may not have been recorded.`,
  'closed-without-answer': ({ where }) =>
    `${where} closed the connection without an answer: the vote may or may not have been recorded. Some listeners do this if the token is wrong: compare the token, and check the listener’s log.`,
  'no-answer': ({ where }) => `${where} did not answer in time: the vote may or may not have been recorded.`,
} as const satisfies Sentences;

/** By code, everything that sending can come to. */
export const sendSentences = { ...successes, ...notCounted, ...unanswered };

export type FailureCode = keyof typeof notCounted | keyof typeof unanswered;

/** How sending ended, before it becomes a sentence. */
export interface Ending {
  readonly code: keyof typeof sendSentences;
  readonly detail?: string;
  /** What ended an exchange that the conversation itself did not end. */
  readonly over?: Over | undefined;
}

type Over = 'closed' | 'reset' | 'time-limit' | 'stopped';

export type SendResult = SendFacts & {
  /** Whether the vote arrived. If it may have, sending it again may have it recorded twice. */
  readonly reached: 'yes' | 'no' | 'unknown';
  readonly sentence: string;
  /** undefined if the conversation was complete, or never began. */
  readonly over?: Over | undefined;
} & (
    | { readonly kind: 'accepted'; readonly code: 'accepted' }
    | { readonly kind: 'sent'; readonly code: 'sent' | 'sent-ungreeted' }
    | { readonly kind: 'failed'; readonly code: FailureCode }
  );

export function resultOf({ code, detail = '', over }: Ending, where: string): SendResult {
  const facts = { where, detail };
  const told = { ...facts, reached: reachedBy(code), sentence: sendSentences[code](facts), over };
  if (code === 'accepted') return { kind: code, code, ...told };
  if (code === 'sent' || code === 'sent-ungreeted') return { kind: 'sent', code, ...told };
  return { kind: 'failed', code, ...told };
}

export function reachedBy(code: Ending['code']): SendResult['reached'] {
  if (code === 'accepted') return 'yes';
  return code in notCounted ? 'no' : 'unknown';
}
