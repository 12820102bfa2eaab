/**
 * One connection to a game server with RCON: login, commands and their replies, in any dialect. A reply is never taken for that of
 * another command, and a command without a complete reply is never said to have failed: it may have run.
 */
import type { Socket } from 'node:net';
import {
  bodyText,
  encodePacket,
  type Packet,
  packetType,
  RconReader,
  REFUSED_LOGIN_ID,
  REPLY_PIECE_CHARACTERS,
} from '../../../protocol/rcon.ts';
import { type Clock, type Moment, momentOf } from '../../core/clock.ts';
import type { KindCode, NotSentCode, UnknownCode } from '../../core/game-server-codes.ts';
import { interruptible } from '../../core/interruptible.ts';
import type { Secret } from '../../core/secret-value.ts';
import { timeLimit } from '../../core/time-limit.ts';
import { dial } from '../../platform/dial.ts';

export interface RconTarget {
  readonly host: string;
  readonly port: number;
  readonly password: Secret;
  /** The time limit of each step: connecting, the answer to the login, the first packet of a reply, the rest of it. */
  readonly commandTimeoutMs: number;
  /** The outcome of a command that gets no reply although the `list` after it gets one. By default, that it is unknown. */
  readonly noReply?: 'unknown' | 'delivered';
  /** The login's request id; commands count up from it. 1 by default. */
  readonly firstId?: number;
  readonly clock: Clock;
}

type OfOtherKinds = `http-${string}` | KindCode;
export type NotSentReason = Exclude<NotSentCode, OfOtherKinds>;
export type UnknownReason = Exclude<UnknownCode, OfOtherKinds>;

export type Opened =
  | { readonly kind: 'open'; readonly connection: RconConnection }
  | { readonly kind: 'failed'; readonly reason: NotSentReason };

export type Answer =
  | { readonly kind: 'reply'; readonly text: string }
  /** No part of it was sent. */
  | { readonly kind: 'not-sent'; readonly reason: NotSentReason }
  /** It may have run [RCON-12]. */
  | { readonly kind: 'unknown'; readonly reason: UnknownReason };

/** A command that changes nothing. Every game server knows it in some form, and any answer is fine. */
export const PROBE = 'list';

const KEEP_ALIVE_MS = 30_000;
/** [RCON-8] How long to wait for a close after a successful login, and after a connection's first answer. */
const CLOSE_WAIT_MS = 50;
/** How long to wait after an empty packet of type 0. If the server then sends no verdict, it has accepted the login. */
const VERDICT_MS = 1_000;
/** [RCON-10] Longer than a delayed ACK holds back the second of two small segments: 40 ms on Linux, 200 ms on Windows. */
const QUIET_MS = 250;
/** [RCON-10] Well below the smallest piece into which any server splits a reply. */
const MAY_BE_CUT_FROM_BYTES = 1_000;
/** [RCON-10] Where servers cut a reply: vanilla counts characters, others bytes. */
const FULL_PIECES: readonly number[] = [REPLY_PIECE_CHARACTERS, 2_048];
/** How long to wait for a reply before the server is asked something else, if a missing reply means delivered. */
const SILENCE_MS = 500;
const AFTER_SILENCE_MAX_MS = 1_000;
const LAST_ID = 0x7fff_ffff;

/** Connects and logs in. `signal` ends the attempt, and later the connection. */
export async function openRconConnection(target: RconTarget, signal: AbortSignal): Promise<Opened> {
  const { clock, commandTimeoutMs: limitMs } = target;
  const dialed = await dial(target, { clock, limitMs, signal });
  if (dialed.kind === 'failed') {
    const { code } = dialed.fault;
    if (code === 'stopped') return { kind: 'failed', reason: 'shut-down' };
    return { kind: 'failed', reason: code === 'unresolvable' ? 'host-unknown' : 'unreachable' };
  }
  const stream = new PacketStream(dialed.socket.setKeepAlive(true, KEEP_ALIVE_MS), clock, signal);
  const refusal = await login(stream, target);
  if (refusal === null) return { kind: 'open', connection: new RconConnection(stream, target) };
  stream.close('closed');
  return { kind: 'failed', reason: refusal };
}

/**
 * [RCON-8] null: logged in, and a moment later the connection is still open. Source-style servers send an empty reply
 * first, and their verdict up to 150 ms later.
 */
async function login(stream: PacketStream, target: RconTarget): Promise<NotSentReason | null> {
  const id = target.firstId ?? 1;
  stream.expect((packet) => packet.id === id || packet.id === REFUSED_LOGIN_ID);
  stream.write(encodePacket({ id, type: packetType.login, body: target.password.reveal() }));
  let arrival = await stream.next(target.commandTimeoutMs);
  if (arrival.kind === 'silence') return 'login-timeout';
  if (arrival.kind === 'ended') return loginEnd(arrival.reason, 'closed-at-login');
  while (arrival.kind === 'packet') {
    if (arrival.packet.id === REFUSED_LOGIN_ID) return 'wrong-password';
    const isVerdict = arrival.packet.type === packetType.loginReply;
    arrival = await stream.next(isVerdict ? CLOSE_WAIT_MS : VERDICT_MS);
  }
  return arrival.kind === 'ended' ? loginEnd(arrival.reason, 'closed-after-login') : null;
}

const loginEnd = (reason: EndReason, closed: NotSentReason): NotSentReason =>
  (({ closed, 'bad-reply': 'not-rcon', 'shut-down': 'shut-down' }) as const)[reason];

/** Whether a text is certainly a complete reply, so that there is no need to wait for more. */
type IsWhole = (text: string) => boolean;

const NEVER_SURE: IsWhole = () => false;

/**
 * One logged-in connection with at most one command in flight [RCON-7]. It is closed after the first command without a
 * complete reply: a later packet could answer either command.
 */
export class RconConnection {
  private id: number;
  /** [RCON-11] Whether an empty frame of this server is a whole reply; known after the first empty frame. */
  private emptyComesAlone = false;
  private lastAnswerAt: Moment | null = null;

  constructor(
    private readonly stream: PacketStream,
    private readonly target: RconTarget,
  ) {
    this.id = target.firstId ?? 1;
    stream.expectNothing();
  }

  get isOpen(): boolean {
    return this.stream.ended === null;
  }

  /** When the last complete reply came; null before the first one. */
  get answeredAt(): Moment | null {
    return this.lastAnswerAt;
  }

  /** Waits a moment. @returns whether the connection was closed meanwhile. */
  async endsSoon(): Promise<boolean> {
    return (await this.stream.next(CLOSE_WAIT_MS)).kind === 'ended';
  }

  /**
   * Sends a command that changes nothing. The caller waits for the answer before the next call.
   *
   * @param isWhole saves waiting for more after a reply that is certainly complete.
   */
  question(question: string, isWhole: IsWhole = NEVER_SURE): Promise<Answer> {
    return this.ask(question, async (id) =>
      this.reply(id, await this.stream.next(this.target.commandTimeoutMs), isWhole),
    );
  }

  /** Runs one command that passed `judgeRequest`. The caller waits for the answer before the next call. */
  exchange(command: string): Promise<Answer> {
    const { noReply, commandTimeoutMs } = this.target;
    const waitMs = noReply === 'delivered' ? Math.min(SILENCE_MS, commandTimeoutMs) : commandTimeoutMs;
    return this.ask(command, async (id) => {
      const first = await this.stream.next(waitMs);
      const isSilence = first.kind === 'silence' && !this.stream.midPacket;
      return this.reply(id, isSilence ? await this.afterSilence(id) : first);
    });
  }

  close(): void {
    this.stream.close('closed');
  }

  private async ask(command: string, answering: (id: number) => Promise<Answer>): Promise<Answer> {
    if (!this.isOpen) return { kind: 'not-sent', reason: 'between-connections' };
    const id = this.nextId();
    this.stream.expect((packet) => isReply(packet, id));
    // From this line on the command may run [RCON-12].
    this.stream.write(encodePacket({ id, type: packetType.command, body: command }));
    const answer = await answering(id);
    this.stream.expectNothing();
    if (answer.kind === 'unknown') this.stream.close('closed');
    else this.lastAnswerAt = momentOf(this.target.clock);
    return answer;
  }

  private nextId(): number {
    this.id = this.id === LAST_ID ? 1 : this.id + 1;
    return this.id;
  }

  /** @param first the first packet of the reply, or what happened instead. */
  private reply(id: number, first: Arrival | Answer, isWhole = NEVER_SURE): Answer | Promise<Answer> {
    switch (first.kind) {
      case 'silence':
        return unknown('timeout');
      case 'ended':
        return unknown(first.reason);
      case 'packet':
        return first.packet.id === id ? this.rest(id, [first.packet.body], isWhole) : unknown('login-lost');
      default:
        return first;
    }
  }

  /**
   * Some servers send no frame for a command without output. A server that answers the next question but not the
   * command is probably one of them, since servers handle one request after the other.
   *
   * @returns a late packet of the command's reply, or what its silence means.
   */
  private async afterSilence(id: number): Promise<Arrival | Answer> {
    const { noReply, commandTimeoutMs } = this.target;
    const list = this.nextId();
    this.stream.expect((packet) => isReply(packet, id) || isReply(packet, list));
    this.stream.write(encodePacket({ id: list, type: packetType.command, body: PROBE }));
    const waitMs =
      noReply === 'delivered' ? commandTimeoutMs : Math.min(AFTER_SILENCE_MAX_MS, commandTimeoutMs);
    const next = await this.stream.next(waitMs);
    if (next.kind !== 'packet') return next.kind === 'ended' && next.reason === 'shut-down' ? next : SILENCE;
    if (next.packet.id !== list) return next;
    return noReply === 'delivered' ? { kind: 'reply', text: '' } : unknown('no-frame');
  }

  /**
   * [RCON-10] Reads the pieces that follow the first one, within one time limit. A full piece announces another one, which may
   * come seconds later; but a reply that fills its pieces exactly has no end mark, so in the end what has come is judged. After
   * other long pieces, more comes soon or not at all.
   */
  private async rest(id: number, pieces: Buffer[], isWhole: IsWhole): Promise<Answer> {
    const { clock, commandTimeoutMs } = this.target;
    const dueAt = clock.monotonic() + commandTimeoutMs;
    let isOverdue = false;
    const cancelLimit = timeLimit(clock, commandTimeoutMs, () => {
      isOverdue = true;
    });
    try {
      while (this.mayGoOn(pieces, isWhole)) {
        const leftMs = isFull(pieces) ? dueAt - clock.monotonic() : 0;
        const next = partOf(id, await this.stream.next(Math.max(QUIET_MS, leftMs)));
        const isEnd = next.kind === 'ended';
        if (next.kind === 'packet') pieces.push(next.packet.body);
        else if (!this.stream.midPacket && !(isEnd && isFull(pieces))) break;
        else if (isEnd) return unknown(next.reason);
        // Pieces still come, or the end of one is missing.
        if (isOverdue) return unknown('timeout');
      }
    } finally {
      cancelLimit();
    }
    if (isOneEmpty(pieces)) this.emptyComesAlone = true;
    return { kind: 'reply', text: bodyText(pieces) };
  }

  private mayGoOn(pieces: readonly Buffer[], isWhole: IsWhole): boolean {
    if (isOneEmpty(pieces)) return !this.emptyComesAlone;
    return (pieces.at(-1) as Buffer).length >= MAY_BE_CUT_FROM_BYTES && !isWhole(bodyText(pieces));
  }
}

const unknown = (reason: UnknownReason): Answer => ({ kind: 'unknown', reason });

/** Whether the last piece has a size at which servers cut. */
function isFull(pieces: readonly Buffer[]): boolean {
  const last = pieces.at(-1) as Buffer;
  return FULL_PIECES.includes(last.length) || FULL_PIECES.includes(last.toString('utf8').length);
}

const isOneEmpty = (pieces: readonly Buffer[]): boolean => pieces.length === 1 && pieces[0]?.length === 0;

/** [RCON-9] */
const isReply = ({ id, type }: Packet, wanted: number): boolean =>
  (id === wanted && (type === packetType.reply || type === packetType.loginReply)) || id === REFUSED_LOGIN_ID;

/** The answer to a later question is not a part of this reply. */
const partOf = (id: number, arrival: Arrival): Arrival =>
  arrival.kind === 'packet' && arrival.packet.id !== id ? SILENCE : arrival;

type EndReason = 'closed' | 'bad-reply' | 'shut-down';

type Arrival =
  | { readonly kind: 'packet'; readonly packet: Packet }
  /** No packet came in time. */
  | { readonly kind: 'silence' }
  /** No more packets will come. */
  | { readonly kind: 'ended'; readonly reason: EndReason };

const SILENCE: Arrival = { kind: 'silence' };

type Wanted = (packet: Packet) => boolean;

const NONE: Wanted = () => false;

/**
 * The packets of one connection, for one reader, which names the packets that it waits for. Any other packet is late or
 * foreign and is dropped when it comes [RCON-9], so that packets do not pile up between reads.
 */
class PacketStream {
  private readonly reader = new RconReader();
  private wanted: Wanted = NONE;
  private arrived: Packet[] = [];
  private wake: (() => void) | null = null;
  private end: EndReason | null = null;

  /** @param signal ends the stream, as `shut-down`. */
  constructor(
    private readonly socket: Socket,
    private readonly clock: Clock,
    signal: AbortSignal,
  ) {
    const shutDown = () => this.close('shut-down');
    signal.addEventListener('abort', shutDown);
    socket.on('data', (chunk: Buffer) => this.receive(chunk));
    // Before node's own `close`: nothing may be written to a connection that the other side has closed.
    socket.on('end', () => this.close('closed'));
    socket.on('error', () => this.close('closed'));
    socket.on('close', () => {
      signal.removeEventListener('abort', shutDown);
      this.close('closed');
    });
    if (signal.aborted) shutDown();
  }

  get ended(): EndReason | null {
    return this.end;
  }

  /** Whether part of a packet has arrived, but not all of it. */
  get midPacket(): boolean {
    return this.reader.midPacket;
  }

  /** Waits for these packets from now on. */
  expect(wanted: Wanted): void {
    this.wanted = wanted;
    this.arrived = [];
  }

  expectNothing(): void {
    this.expect(NONE);
  }

  /** Sends a request in one write, so that it travels in one segment [RCON-6]. */
  write(bytes: Buffer): void {
    this.socket.write(bytes);
  }

  async next(waitMs: number): Promise<Arrival> {
    if (this.arrived.length === 0 && this.end === null)
      await interruptible<void>({ clock: this.clock, limitMs: waitMs, interrupted: () => {} }, (end) => {
        this.wake = end;
      });
    const packet = this.arrived.shift();
    if (packet !== undefined) return { kind: 'packet', packet };
    return this.end === null ? SILENCE : { kind: 'ended', reason: this.end };
  }

  close(reason: EndReason): void {
    this.end ??= reason;
    this.socket.destroy();
    this.wake?.();
  }

  private receive(chunk: Buffer): void {
    const { packets, state } = this.reader.push(chunk);
    this.arrived.push(...packets.filter(this.wanted));
    if (state.kind === 'refused') this.close('bad-reply');
    else if (this.arrived.length > 0) this.wake?.();
  }
}
