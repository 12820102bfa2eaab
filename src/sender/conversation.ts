/**
 * The sender's side of one exchange with a listener, in either version: bytes and events in, steps out. It has no socket and no clock.
 */
import { encodeV2Frame, V2_BODY_MAX_BYTES, V2_HEADER_BYTES } from '../../protocol/votifier/v2.ts';
import {
  decodeGreeting,
  decodeReply,
  type Greeting,
  JsonObjectScan,
  type WireVote,
} from '../../protocol/votifier/wire.ts';
import { type Ending, type FailureCode, TAKES_TOKENS } from './result.ts';

/** A vote that can be sent. Version 2 signs it for the challenge of the greeting, which version 1 does not need. */
export type Message =
  | { readonly version: 'v1'; readonly block: Buffer }
  | { readonly version: 'v2'; readonly vote: WireVote; readonly token: string };

export type Greeted = Extract<Greeting, { kind: 'v2' | 'v1-only' }>;

/** What the sender does next. */
export type Step =
  | { readonly kind: 'wait' }
  | { readonly kind: 'write'; readonly bytes: Buffer }
  | { readonly kind: 'end'; readonly ending: Ending };

const WAIT: Step = { kind: 'wait' };

const end = (ending: Ending): Step => ({ kind: 'end', ending });

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

  /** @param message null: `send` will bring it, once there is a greeting. */
  constructor(
    private message: Message | null,
    private readonly onGreeting: (greeting: Greeted) => void = () => {},
  ) {}

  push(chunk: Buffer): Step {
    if (this.received.length <= ANSWER_MAX_BYTES) this.received = Buffer.concat([this.received, chunk]);
    return this.greeting === null ? this.handleGreeting() : this.handleAnswer();
  }

  send(message: Message): Step {
    this.message = message;
    return this.write();
  }

  /** The greeting has not arrived in the time that a v1 block waits for it. */
  greetingOverdue(): Step {
    return this.write();
  }

  /** The listener has closed the connection. */
  closed(): Ending {
    return this.cutOff('closed-without-greeting', 'closed-without-answer');
  }

  /** The time for the whole exchange is over. */
  timedOut(): Ending {
    return this.cutOff('no-greeting', 'no-answer');
  }

  private handleGreeting(): Step {
    const greeting = decodeGreeting(this.received.toString('latin1'));
    if (greeting.kind === 'need-more') return WAIT;
    if (greeting.kind === 'not-votifier') {
      return end({ code: 'not-votifier', detail: looksLike(this.received) });
    }
    this.greeting = greeting;
    // A listener at its limit may have sent a refusal with its greeting; it is read when the connection closes.
    this.received = this.received.subarray(this.received.indexOf('\n') + 1);
    this.onGreeting(greeting);
    return this.write();
  }

  /** Once, and version 2 not without a challenge. */
  private write(): Step {
    const { message, greeting } = this;
    if (message === null || this.isWritten) return WAIT;
    if (message.version === 'v1') return this.written(message.block);
    if (greeting === null) return WAIT;
    if (greeting.kind === 'v1-only') {
      // Versions below 2, such as `1.9`, are old listeners; from 2 on, a listener that this sender does not know.
      const isLater = Number.parseFloat(greeting.version) >= 2;
      return end({ code: isLater ? 'version-unknown' : 'v1-only', detail: printable(greeting.version) });
    }
    const frame = encodeV2Frame({ ...message.vote, challenge: greeting.challenge }, message.token);
    return frame.length - V2_HEADER_BYTES > V2_BODY_MAX_BYTES ? end(V2_TOO_LONG) : this.written(frame);
  }

  private written(bytes: Buffer): Step {
    this.isWritten = true;
    return { kind: 'write', bytes };
  }

  private handleAnswer(): Step {
    const answer = this.isWritten ? readAnswer(this.received) : 'need-more';
    if (answer === 'need-more') return WAIT;
    if (answer !== 'unreadable') return end(answer);
    // No known listener answers a block; if one does, only a real answer counts.
    return this.message?.version === 'v1' ? WAIT : end(unreadable(this.received));
  }

  /** What it means that no more bytes will come. */
  private cutOff(ungreeted: FailureCode, unanswered: FailureCode): Ending {
    const { greeting, received } = this;
    if (!this.isWritten) return { code: greeting === null ? ungreeted : 'closed-before-vote' };
    if (this.message?.version === 'v1') {
      if (greeting === null) return { code: 'sent-ungreeted' };
      return greeting.kind === 'v2' ? { code: 'sent', detail: TAKES_TOKENS } : { code: 'sent' };
    }
    if (received.toString('latin1').trim() === '') return { code: unanswered };
    const answer = readAnswer(received);
    return typeof answer === 'string' ? unreadable(received) : answer;
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
