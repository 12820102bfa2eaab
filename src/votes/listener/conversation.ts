import { createHash } from 'node:crypto';
import type { Socket } from 'node:net';
import { CHALLENGE_BYTES, challengeFrom, encodeGreeting } from '../../../protocol/votifier/greeting.ts';
import { type ReaderResult, VotifierReader } from '../../../protocol/votifier/reader.ts';
import { type Refusal, type RefusalCode, refused } from '../../../protocol/votifier/refusals.ts';
import { encodeErrorReply, OK_REPLY } from '../../../protocol/votifier/reply.ts';
import { decodeV1Text } from '../../../protocol/votifier/v1.ts';
import { decodeV2Body } from '../../../protocol/votifier/v2.ts';
import { plainAddress } from '../../core/address.ts';
import type { Cancel, Clock } from '../../core/clock.ts';
import type { OpenConnection } from '../../core/open-connections.ts';
import { asciiJson } from '../../core/printable.ts';
import type { Random } from '../../core/random.ts';
import { timeLimit } from '../../core/time-limit.ts';
import type { Decryption } from './decryption.ts';
import { ProxyStep } from './proxy-step.ts';
import type { ReceivedVote, RefusalCounter, VoteIntake } from './vote-intake.ts';

export interface ConversationParts {
  readonly intake: VoteIntake;
  readonly refusals: RefusalCounter;
  /** null: without a private key, v1 is refused. */
  readonly decryption: Decryption | null;
  readonly protocols: readonly ('v1' | 'v2')[];
  readonly proxyProtocol: 'off' | 'required';
  /** Whose PROXY headers are believed, by the peer's address. */
  readonly isTrustedProxy: ((address: string) => boolean) | null;
  readonly deadlineMs: number;
  readonly clock: Clock;
  readonly random: Random;
}

/** What the listener has to know about a conversation. */
export interface ConversationObserver {
  onAddress(change: () => void): void;
  onDeciding(): void;
  onAnswered(): void;
  onClosed(): void;
}

/** How long an answered connection may stay open for the sender to read the answer and close. */
const LINGER_MS = 1_000;

/** How many characters of a sender's text are quoted in the log. */
const QUOTED_CHARACTERS = 64;

type Judged = { readonly kind: 'vote'; readonly vote: ReceivedVote } | Refusal;

/**
 * After a failed write, a socket drops what it reads, which may be a vote [G-3]. A sender that cannot be written to is
 * gone, and reading shows that too.
 */
function ignoreFailedWrites(socket: Socket): void {
  const write = socket._write.bind(socket);
  socket._write = (chunk, encoding, done) => write(chunk, encoding, () => done());
}

/** In ASCII, so that a byte order mark and look-alikes are visible. */
const quoted = (firstLine: string): string =>
  `its first line: ${asciiJson(firstLine.slice(0, QUOTED_CHARACTERS))}${firstLine.length > QUOTED_CHARACTERS ? '…' : ''}`;

/**
 * One connection from greeting to close, in one of four stages: `reading` until a whole message or a refusal,
 * `decrypting` while a v1 block waits for its text, `deciding` while the vote is being stored, `settled` once it is
 * answered and only has to be closed.
 */
export class Conversation implements OpenConnection {
  readonly openedAt: number;
  address: string;
  private readonly reader = new VotifierReader();
  private readonly challenge: string;
  private stage: 'reading' | 'decrypting' | 'deciding' | 'settled' = 'reading';
  /** null if no PROXY header is required, and once it is complete. */
  private proxyStep: ProxyStep | null;
  private cancelDeadline: Cancel;
  private cancelDecryption: Cancel = () => {};
  private isGreeted = false;

  constructor(
    private readonly socket: Socket,
    private readonly parts: ConversationParts,
    private readonly observer: ConversationObserver,
  ) {
    this.openedAt = parts.clock.monotonic();
    this.address = plainAddress(socket.remoteAddress ?? '');
    socket.on('error', () => {}); // `close` follows and is handled.
    this.challenge = challengeFrom(parts.random.bytes(CHALLENGE_BYTES));
    const isRequired = parts.proxyProtocol === 'required';
    this.proxyStep = isRequired ? new ProxyStep(parts.isTrustedProxy?.(this.address) !== false) : null;
    this.cancelDeadline = timeLimit(parts.clock, parts.deadlineMs, () => this.giveUp('deadline'));
  }

  /**
   * Reads before it greets [G-3]: a v1 sender may write and reset before its connection is accepted. What has arrived
   * is read within two turns of the event loop, before a write can fail; `ignoreFailedWrites` covers a reset in
   * between.
   */
  start(): void {
    const { socket, parts } = this;
    socket.on('data', (chunk) => this.receive(chunk));
    socket.on('end', () => this.finishReading());
    socket.on('close', () => {
      this.finishReading();
      this.cancelDeadline();
      // A vote that is being stored no longer needs its sender; a closing listener waits for the vote.
      if (this.stage === 'settled') this.observer.onClosed();
    });
    parts.clock.nextTurn(() => parts.clock.nextTurn(() => this.greet()));
  }

  /** Call this when the listener is at its limit and this connection has to make room. */
  evict(): void {
    this.giveUp('crowded');
  }

  /**
   * Call this when the process stops: finishes a vote that is being stored; a sender without a vote has `graceMs` left.
   */
  wrapUp(graceMs: number): void {
    if (this.stage !== 'reading') return;
    this.cancelDeadline();
    this.cancelDeadline = timeLimit(this.parts.clock, graceMs, () => this.giveUp('deadline'));
  }

  private greet(): void {
    if (this.isGreeted || !this.socket.writable) return;
    this.isGreeted = true;
    ignoreFailedWrites(this.socket);
    this.socket.write(encodeGreeting(this.challenge));
  }

  private receive(chunk: Buffer): void {
    if (this.stage !== 'reading') return;
    const rest = this.proxyStep === null ? chunk : this.withoutProxyHeader(this.proxyStep, chunk);
    if (rest !== null && rest.length > 0) this.handle(this.reader.push(rest));
  }

  /** @returns what follows the PROXY header, or null while there is none. */
  private withoutProxyHeader(step: ProxyStep, chunk: Buffer): Buffer | null {
    const result = step.push(chunk);
    if (result.kind === 'refused') this.refuse(result);
    if (result.kind !== 'passed') return null;
    this.proxyStep = null;
    const { address, rest } = result;
    if (address !== null) this.observer.onAddress(() => (this.address = plainAddress(address)));
    return rest;
  }

  private finishReading(): void {
    if (this.stage !== 'reading') return;
    this.handle(this.proxyStep?.isCut ? refused('proxy-malformed') : this.reader.end());
  }

  private handle(result: ReaderResult): void {
    if (result.kind === 'need-more') return;
    if (result.kind === 'refused') this.conclude(result);
    else if (result.kind === 'v1-block') this.receiveV1(result.block);
    else if (this.parts.protocols.includes('v2')) this.conclude(this.judgeV2(result.body));
    else this.conclude(this.named(refused('v2-off')));
  }

  private conclude(judged: Judged): void {
    if (judged.kind === 'refused') this.refuse(judged);
    else void this.decide(judged.vote);
  }

  private receiveV1(block: Buffer): void {
    const { decryption, protocols } = this.parts;
    if (decryption === null || !protocols.includes('v1')) this.conclude(this.named(refused('v1-off')));
    else this.decrypt(block, decryption);
  }

  /** The time that this takes is ours, so it has no deadline. The connection can be evicted: it may hold no vote. */
  private decrypt(block: Buffer, decryption: Decryption): void {
    this.stage = 'decrypting';
    this.cancelDeadline();
    this.cancelDecryption = decryption.decrypt(block, (text) => {
      if (this.stage === 'decrypting') this.conclude(this.judgeV1(block, text));
    });
  }

  private judgeV1(block: Buffer, text: string): Judged {
    const decoded = decodeV1Text(text);
    if (decoded.kind === 'refused') return decoded.code === 'v1-bad-block' ? this.named(decoded) : decoded;
    const blockDigest = createHash('sha256').update(block).digest();
    return { kind: 'vote', vote: this.received('listener-v1', decoded.vote, text, blockDigest) };
  }

  private judgeV2(body: string): Judged {
    const decoded = decodeV2Body(body, this.challenge, (service) => this.parts.intake.tokenOf(service));
    if (decoded.kind === 'refused') return decoded;
    return { kind: 'vote', vote: this.received('listener-v2', decoded.vote, decoded.payload, null) };
  }

  /** Bytes that are not a v1 vote may be a protocol that we know by name. */
  private named(refusal: Refusal): Refusal {
    const junk = this.reader.junk();
    return junk === null ? refusal : refused(junk);
  }

  private received(
    channel: ReceivedVote['channel'],
    wire: ReceivedVote['wire'],
    text: string,
    blockDigest: Buffer | null,
  ): ReceivedVote {
    return { channel, wire, text, address: this.address, receivedAt: this.parts.clock.now(), blockDigest };
  }

  /** Store, then answer (rule 1): `accept` resolves when the vote is on disk. */
  private async decide(vote: ReceivedVote): Promise<void> {
    this.stage = 'deciding';
    this.observer.onDeciding();
    const code = await this.parts.intake.accept(vote);
    if (code === null) this.settle(vote.channel === 'listener-v2' ? OK_REPLY : null);
    else this.refuse(refused(code, vote.wire.serviceName), vote.channel === 'listener-v2');
  }

  private refuse(refusal: Refusal, isAnswered = true): void {
    const { code, service = null, firstLine } = refusal;
    this.parts.refusals.count(code, service, this.address, firstLine === undefined ? '' : quoted(firstLine));
    this.settle(isAnswered ? encodeErrorReply(refusal) : null);
  }

  /** One write, then our side is closed; the sender has a second to read and to close its own. */
  private settle(reply: string | null): void {
    this.stage = 'settled';
    this.cancelDeadline();
    if (this.socket.destroyed) {
      this.observer.onClosed();
      return;
    }
    this.observer.onAnswered();
    this.greet(); // [G-3] A sender that writes first may be done before the greeting was sent.
    this.cancelDeadline = this.parts.clock.after(LINGER_MS, () => this.socket.destroy());
    if (reply === null) this.socket.end();
    else this.socket.end(reply);
  }

  private giveUp(code: Extract<RefusalCode, 'deadline' | 'crowded'>): void {
    if (this.stage === 'deciding') return;
    this.cancelDeadline();
    this.cancelDecryption();
    if (this.stage !== 'settled') {
      this.stage = 'settled';
      this.parts.refusals.count(this.reader.junk() ?? code, null, this.address);
    }
    if (this.socket.destroyed) this.observer.onClosed();
    else this.socket.destroy();
  }
}
