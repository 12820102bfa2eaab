import {
  bodyText,
  encodePacket,
  type Packet,
  packetType,
  REFUSED_LOGIN_ID,
  REPLY_PIECE_CHARACTERS,
} from '../../../../protocol/rcon.ts';
import { type Clock, type Moment, momentOf } from '../../../core/clock.ts';
import type { Secret } from '../../../core/secret-value.ts';
import { timeLimit } from '../../../core/time-limit.ts';
import type { NotSentReason, UnknownReason } from './codes.ts';
import type { Arrival, PacketStream } from './packet-stream.ts';

export interface RconTarget {
  readonly host: string;
  readonly port: number;
  readonly password: Secret;
  /** The time limit of each step: connecting, the answer to the login, the first packet of a reply, the rest of it. */
  readonly commandTimeoutMs: number;
  /** [RCON-10] How long to wait for another frame after one that may be continued. */
  readonly quietMs?: number;
  /** [RCON-8] How long to wait for a close after a successful login, and after a connection's first answer. */
  readonly closeWaitMs?: number;
  /** For how long an answer proves that a connection works; Infinity: no answer is needed. */
  readonly provenForMs?: number;
  /** The outcome of a command that gets no reply although the `list` after it gets one. */
  readonly noReply?: 'unknown' | 'delivered';
  /** The login's request id; commands count up from it. */
  readonly firstId?: number;
  readonly clock: Clock;
}

/** Whether a text is certainly a complete reply, so that there is no need to wait for more. */
export type IsWhole = (text: string) => boolean;

export type Answer =
  | { readonly kind: 'reply'; readonly text: string }
  /** No part of it was sent. */
  | { readonly kind: 'not-sent'; readonly reason: NotSentReason }
  /** It may have run [RCON-12]. */
  | { readonly kind: 'unknown'; readonly reason: UnknownReason };

/** Longer than a delayed ACK holds back the second of two small segments: 40 ms on Linux, 200 ms on Windows. */
const QUIET_MS = 250;
export const CLOSE_WAIT_MS = 50;
/** How long to wait for a reply before the server is asked something else, if a missing reply means delivered. */
const SILENCE_MS = 500;
const AFTER_SILENCE_MAX_MS = 1_000;
/** [RCON-10] Well below the smallest piece into which any server splits a reply. */
const MAY_BE_CUT_FROM_BYTES = 1_000;
const FULL_PIECE = { characters: REPLY_PIECE_CHARACTERS, bytes: 2_048 };
const LAST_ID = 0x7fff_ffff;
/** A command that changes nothing. Every game server knows it in some form, and any answer is fine. */
export const PROBE = 'list';

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
    return (await this.stream.next(this.target.closeWaitMs ?? CLOSE_WAIT_MS)).kind === 'ended';
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

  close(): void {
    this.stream.close('closed');
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

  /** [RCON-10] Reads the pieces that follow the first one, within one time limit. */
  private async rest(id: number, pieces: Buffer[], isWhole: IsWhole): Promise<Answer> {
    const { clock, commandTimeoutMs } = this.target;
    let isOverdue = false;
    const cancelLimit = timeLimit(clock, commandTimeoutMs, () => {
      isOverdue = true;
    });
    const answer = await this.restInTime(id, pieces, isWhole, () => isOverdue);
    cancelLimit();
    return answer;
  }

  /** It waits for the end of a frame that has begun. */
  private async restInTime(
    id: number,
    pieces: Buffer[],
    isWhole: IsWhole,
    isOverdue: () => boolean,
  ): Promise<Answer> {
    const { quietMs = QUIET_MS } = this.target;
    while (this.mayGoOn(pieces) && !isWhole(bodyText(pieces))) {
      const next = partOf(id, await this.stream.next(quietMs));
      if (next.kind === 'packet') pieces.push(next.packet.body);
      else if (next.kind === 'ended' && this.isCutShort(pieces)) return unknown(next.reason);
      else if (next.kind === 'ended' || !this.stream.midPacket) break;
      if (isOverdue()) return unknown('timeout');
    }
    if (isOneEmpty(pieces)) this.emptyComesAlone = true;
    return { kind: 'reply', text: bodyText(pieces) };
  }

  private mayGoOn(pieces: readonly Buffer[]): boolean {
    if (isOneEmpty(pieces)) return !this.emptyComesAlone;
    return (pieces.at(-1) as Buffer).length >= MAY_BE_CUT_FROM_BYTES;
  }

  /** Whether a close at this point cuts off a reply: mid-frame, or after a frame of full size, which announces more. */
  private isCutShort(pieces: readonly Buffer[]): boolean {
    const last = pieces.at(-1) as Buffer;
    const isFull = last.length === FULL_PIECE.bytes || last.toString('utf8').length === FULL_PIECE.characters;
    return this.stream.midPacket || isFull;
  }
}

const unknown = (reason: UnknownReason): Answer => ({ kind: 'unknown', reason });

const NEVER_SURE: IsWhole = () => false;

const SILENCE: Arrival = { kind: 'silence' };

/** The answer to a later question is not a part of this reply. */
const partOf = (id: number, arrival: Arrival): Arrival =>
  arrival.kind === 'packet' && arrival.packet.id !== id ? SILENCE : arrival;

const isOneEmpty = (pieces: readonly Buffer[]): boolean => pieces.length === 1 && pieces[0]?.length === 0;

/** [RCON-9] */
const isReply = ({ id, type }: Packet, wanted: number): boolean =>
  (id === wanted && (type === packetType.reply || type === packetType.loginReply)) || id === REFUSED_LOGIN_ID;
