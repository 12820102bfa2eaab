/**
 * What both versions put on the wire and what either side reads there: the greeting, a vote's fields and its claimed time, the
 * reply, the end of a JSON object, and the names of other protocols. Pure: text and bytes in, values out, and the reverse.
 */
import { type Refusal, type RefusalCode, refusalEntry } from './refusals.ts';

/** Characters of a challenge: 26 of 5 bits each, 130 bits in all [G-2]. */
export const CHALLENGE_BYTES = 26;

const ALPHABET = '0123456789abcdefghijklmnopqrstuv';

/** [G-2] A challenge from `CHALLENGE_BYTES` random bytes; five bits of each are used. */
export function challengeFrom(random: Buffer): string {
  let challenge = '';
  for (const byte of random) challenge += ALPHABET[byte & 31];
  return challenge;
}

/** [G-1] One `\n`, no `\r`, three parts, at most 64 bytes. */
export const encodeGreeting = (challenge: string): string => `VOTIFIER 2 ${challenge}\n`;

export type Greeting =
  | { readonly kind: 'v2'; readonly challenge: string }
  /** A listener that supports version 1 only: `VOTIFIER 1.9` and similar. */
  | { readonly kind: 'v1-only'; readonly version: string }
  | { readonly kind: 'need-more' }
  | { readonly kind: 'not-votifier' };

const GREETING_MAX_CHARACTERS = 256;

/** [G-4] Reads a listener's first line, for senders; accepts `\r\n` and a fourth part. */
export function decodeGreeting(received: string): Greeting {
  const end = received.indexOf('\n');
  const line = (end < 0 ? received : received.slice(0, end)).trimEnd();
  if (!'VOTIFIER '.startsWith(line.slice(0, 9)) || received.length > GREETING_MAX_CHARACTERS) {
    return { kind: 'not-votifier' };
  }
  if (end < 0) return { kind: 'need-more' };
  const [word, version, challenge] = line.split(' ');
  if (word !== 'VOTIFIER' || version === undefined) return { kind: 'not-votifier' };
  if (version !== '2') return { kind: 'v1-only', version };
  return challenge ? { kind: 'v2', challenge } : { kind: 'not-votifier' };
}

/** The fields of a vote as they were sent, in either version, before anything is checked. */
export interface WireVote {
  readonly serviceName: string;
  readonly username: string;
  /** The voter's address as the site states it; may be empty. */
  readonly address: string;
  /** As sent: milliseconds, seconds, fractions, or free text [T-1]. */
  readonly timestamp: string;
}

/** When the vote was cast, as the site states it. */
export interface ClaimedTime {
  /** Milliseconds since the Unix epoch. */
  readonly at: number;
  /** Many senders only send whole seconds; such times are compared in seconds [T-4]. */
  readonly precision: 'ms' | 's';
}

const EARLIEST_MS = Date.UTC(2000, 0, 1);
const LATEST_MS = Date.UTC(2100, 0, 1);
const NUMBER = /^(\d{1,16})(?:\.(\d+))?$/;
const DATE = /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d:\d\d(?:\.\d{1,9})?) ?(Z|[+-]\d\d:?\d\d)$/;

/** [T-1]…[T-4] The claimed time in a timestamp field; null if it cannot be read with certainty. */
export function claimedTime(timestamp: string): ClaimedTime | null {
  const text = timestamp.trim();
  const at = fromNumber(text) ?? fromDate(text);
  return at === null ? null : { at, precision: at % 1000 === 0 ? 's' : 'ms' };
}

/**
 * [T-2] A number cannot be both: seconds in this century are below every millisecond in it. The fraction is read as
 * digits, because a binary fraction of a second times 1,000 is often a millisecond short.
 */
function fromNumber(text: string): number | null {
  const [matched, whole, fraction = ''] = NUMBER.exec(text) ?? [];
  if (matched === undefined) return null;
  const asMs = Number(whole);
  if (isPlausible(asMs)) return asMs;
  const asSeconds = asMs * 1000 + Number(fraction.slice(0, 3).padEnd(3, '0'));
  return isPlausible(asSeconds) ? asSeconds : null;
}

/** [T-3] Only with a zone: without one, the time would be a guess. */
function fromDate(text: string): number | null {
  const [matched, day = '', time, zone] = DATE.exec(text) ?? [];
  if (matched === undefined || !isDay(day)) return null;
  const ms = Date.parse(`${day}T${time}${zone?.replace(/^([+-]\d\d):?(\d\d)$/, '$1:$2')}`);
  return isPlausible(ms) ? ms : null;
}

/** Date.parse reads 30 February as 2 March. */
function isDay(day: string): boolean {
  const midnight = new Date(`${day}T00:00:00Z`);
  return !Number.isNaN(midnight.getTime()) && midnight.toISOString().startsWith(day);
}

const isPlausible = (ms: number): boolean => ms >= EARLIEST_MS && ms < LATEST_MS;

/** [V2-14] Clients read once, so a reply is one write of fewer bytes than this. */
const REPLY_MAX_BYTES = 255;

/** [V2-13] */
export const OK_REPLY = '{"status":"ok"}\r\n';

/** [V2-14] The reply to a v2 sender; null: the connection is closed without one. */
export function encodeErrorReply(refusal: Refusal): string | null {
  const { hears } = refusalEntry(refusal.code);
  if (hears === undefined) return null;
  const replyWith = (error: string): string =>
    `${JSON.stringify({ status: 'error', cause: hears.cause, error })}\r\n`;
  if (refusal.code !== 'v2-unknown-service') return replyWith(hears.message);
  // [V2-15] The name as received, shortened until the whole reply fits. First it is cut to what could fit at all: trying
  // every length of a name of 16,384 characters took a second, and any sender can send one.
  const name = Array.from((refusal.service ?? '').slice(0, REPLY_MAX_BYTES));
  const withName = (): string => replyWith(`${hears.message} '${name.join('')}'`);
  while (Buffer.byteLength(withName()) > REPLY_MAX_BYTES) name.pop();
  return withName();
}

type Reply =
  | { readonly kind: 'ok' }
  | { readonly kind: 'error'; readonly cause: string; readonly message: string }
  | { readonly kind: 'unreadable' };

/** [V2-16] Reads a listener's reply, for senders: one JSON object, with or without a line end. */
export function decodeReply(text: string): Reply {
  const { status, cause, error, errorMessage } = (parseJson(text) ?? {}) as Record<string, unknown>;
  if (status === 'ok') return { kind: 'ok' };
  if (status !== 'error') return { kind: 'unreadable' };
  return { kind: 'error', cause: textOf(cause), message: textOf(error ?? errorMessage) };
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

/** undefined: it is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPENERS: ReadonlySet<number> = new Set([0x5b, 0x7b]);
const CLOSERS: ReadonlySet<number> = new Set([0x5d, 0x7d]);

/**
 * Finds the end of a JSON object in bytes that may still be arriving. It only counts brackets outside strings; the
 * parser decides whether the text is JSON. Each byte is read once, in whatever pieces they arrive.
 */
export class JsonObjectScan {
  private at: number;
  private depth = 0;
  private inString = false;
  private escaped = false;

  /** @param start the offset of the opening brace. */
  constructor(start: number) {
    this.at = start;
  }

  /** @returns the offset just past the closing brace; null while the object is open. */
  read(bytes: Buffer): number | null {
    for (; this.at < bytes.length; this.at++) {
      const byte = bytes[this.at] as number;
      if (this.inString) this.insideString(byte);
      else if (byte === QUOTE) this.inString = true;
      else if (OPENERS.has(byte)) this.depth++;
      else if (CLOSERS.has(byte) && --this.depth === 0) return this.at + 1;
    }
    return null;
  }

  private insideString(byte: number): void {
    if (this.escaped) this.escaped = false;
    else if (byte === BACKSLASH) this.escaped = true;
    else if (byte === QUOTE) this.inString = false;
  }
}

export type JunkCode = Extract<RefusalCode, 'http' | 'tls' | 'ssh' | 'proxy-header'>;

const SHAPES: readonly (readonly [JunkCode, RegExp])[] = [
  ['http', /^(?:GET|HEAD|POST|PUT|DELETE|CONNECT|OPTIONS|TRACE|PATCH|PRI) /],
  ['ssh', /^SSH-/],
  // biome-ignore lint/suspicious/noControlCharactersInRegex: a TLS record of type handshake begins 16 03
  ['tls', /^\x16\x03/],
  ['proxy-header', /^(?:PROXY (?:TCP4|TCP6|UNKNOWN)|\r\n\r\n\0\r\nQUIT\n)/],
];

/**
 * Names other protocols that reach an open port, by their first bytes. It only names what was already refused and
 * never decides, because a v1 block may begin with any bytes.
 */
export function nameJunk(received: Buffer): JunkCode | null {
  const start = received.toString('latin1', 0, 16);
  return SHAPES.find(([, shape]) => shape.test(start))?.[0] ?? null;
}
