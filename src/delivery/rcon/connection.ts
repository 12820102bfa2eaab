import {
  bodyText,
  encodePacket,
  type Packet,
  packetType,
  REFUSED_LOGIN_ID,
  REPLY_PIECE_CHARACTERS,
} from '../../../protocol/rcon/packet.ts';
import type { Secret } from '../../config/secret-value.ts';
import { type Clock, type Moment, momentOf } from '../../core/clock.ts';
import type { NotSentReason, UnknownReason } from './codes.ts';
import type { Arrival, PacketStream } from './packet-stream.ts';

export interface RconTarget {
  readonly host: string;
  readonly port: number;
  readonly password: Secret;
  /** For each step: connecting, the login's answer, the beginning of a reply, the rest of it. */
  readonly commandTimeoutMs: number;
  /** [RCON-10] How long after a frame that may be continued another one is waited for. */
  readonly quietMs?: number;
  /** [RCON-8] How long after a good login, and after a connection's first answer, a close is waited for. */
  readonly closeWaitMs?: number;
  /** For how long an answer proves a connection; Infinity: it is never asked for one. */
  readonly provenForMs?: number;
  /** What it means that a command gets no reply although the `list` after it does. */
  readonly noReply?: 'unknown' | 'delivered';
  /** The login's request id; commands count up from it. */
  readonly firstId?: number;
  readonly clock: Clock;
}

/** Whether a text is a complete reply. */
export type IsWhole = (text: string) => boolean;

export type Answer =
  | { readonly kind: 'reply'; readonly text: string }
  /** Certainly nothing of it was written. */
  | { readonly kind: 'not-sent'; readonly reason: NotSentReason }
  /** It may have run [RCON-12]. */
  | { readonly kind: 'unknown'; readonly reason: UnknownReason };

/** Longer than a delayed ACK holds back the second of two small segments: 40 ms on Linux, 200 ms on Windows. */
const QUIET_MS = 250;
export const CLOSE_WAIT_MS = 50;
/** How long a command's reply is waited for where no reply is one, before the server is asked for something else. */
const SILENCE_MS = 500;
const AFTER_SILENCE_MAX_MS = 1_000;
/** [RCON-10] Well below the smallest piece that any server cuts. */
const MAY_BE_CUT_FROM_BYTES = 1_000;
const FULL_PIECE = { characters: REPLY_PIECE_CHARACTERS, bytes: 2_048 };
const LAST_ID = 0x7fff_ffff;
/** Every game server knows it in some form; whatever is answered will do. */
export const HARMLESS = 'list';

/**
 * One logged-in connection with at most one command in flight [RCON-7]. It ends for good with the first command that
 * has no complete reply: what comes after could be the answer to either.
 */
export class RconConnection {
  private id: number;
  /** [RCON-11] Learnt from the first one: empty frames of this server have no companion. */
  private emptyStandsAlone = false;
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

  /** When the last complete reply came; null before the first. */
  get answeredAt(): Moment | null {
    return this.lastAnswerAt;
  }

  /** Whether the other side closes it within a moment. */
  async isLeft(): Promise<boolean> {
    return (await this.stream.next(this.target.closeWaitMs ?? CLOSE_WAIT_MS)).kind === 'ended';
  }

  /**
   * Asks for something that changes nothing. The caller waits for the answer before the next.
   *
   * @param isWhole says of a text that nothing can follow it, which saves waiting for more.
   */
  question(question: string, isWhole: IsWhole = NEVER_SURE): Promise<Answer> {
    return this.ask(question, async (id) =>
      this.reply(id, await this.stream.next(this.target.commandTimeoutMs), isWhole),
    );
  }

  /** Runs one command that passed `judgeRequest`. The caller waits for the answer before the next. */
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
    // From this line on the command may run, whatever happens [RCON-12].
    this.stream.write(encodePacket({ id, type: packetType.command, body: command }));
    const answer = await answering(id);
    this.stream.expectNothing();
    if (answer.kind === 'unknown') this.close();
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

  /** @param first the first packet of the reply, or what came in its place. */
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
   * Some servers send no frame for a command without output. One that answers the next question, and the command not,
   * is probably such a server: it takes one request after the other.
   *
   * @returns what came for the command after all, or what its silence means.
   */
  private async afterSilence(id: number): Promise<Arrival | Answer> {
    const { noReply, commandTimeoutMs } = this.target;
    const list = this.nextId();
    this.stream.expect((packet) => isReply(packet, id) || isReply(packet, list));
    this.stream.write(encodePacket({ id: list, type: packetType.command, body: HARMLESS }));
    const waitMs =
      noReply === 'delivered' ? commandTimeoutMs : Math.min(AFTER_SILENCE_MAX_MS, commandTimeoutMs);
    const next = await this.stream.next(waitMs);
    if (next.kind !== 'packet') return next.kind === 'ended' && next.reason === 'shut-down' ? next : SILENCE;
    if (next.packet.id !== list) return next;
    return noReply === 'delivered' ? { kind: 'reply', text: '' } : unknown('no-frame');
  }

  /** [RCON-10] The pieces that follow the first one. A frame that has begun is waited for, quiet or not. */
  private async rest(id: number, pieces: Buffer[], isWhole: IsWhole): Promise<Answer> {
    const { clock, commandTimeoutMs, quietMs } = this.target;
    const deadline = clock.monotonic() + commandTimeoutMs;
    while (this.mayGoOn(pieces) && !isWhole(bodyText(pieces))) {
      const next = partOf(id, await this.stream.next(quietMs ?? QUIET_MS));
      if (next.kind === 'packet') pieces.push(next.packet.body);
      else if (next.kind === 'ended' && this.isCutShort(pieces)) return unknown(next.reason);
      else if (next.kind === 'ended' || !this.stream.midPacket) break;
      if (clock.monotonic() >= deadline) return unknown('timeout');
    }
    if (isOneEmpty(pieces)) this.emptyStandsAlone = true;
    return { kind: 'reply', text: bodyText(pieces) };
  }

  private mayGoOn(pieces: readonly Buffer[]): boolean {
    if (isOneEmpty(pieces)) return !this.emptyStandsAlone;
    return (pieces.at(-1) as Buffer).length >= MAY_BE_CUT_FROM_BYTES;
  }

  /** Whether a connection that ends here has ended within a reply: in a frame, or after one that is filled up. */
  private isCutShort(pieces: readonly Buffer[]): boolean {
    const last = pieces.at(-1) as Buffer;
    const isFull = last.length === FULL_PIECE.bytes || last.toString('utf8').length === FULL_PIECE.characters;
    return this.stream.midPacket || isFull;
  }
}

const unknown = (reason: UnknownReason): Answer => ({ kind: 'unknown', reason });

const NEVER_SURE: IsWhole = () => false;

const SILENCE: Arrival = { kind: 'silence' };

/** The answer to what was asked after it is no part of a reply. */
const partOf = (id: number, arrival: Arrival): Arrival =>
  arrival.kind === 'packet' && arrival.packet.id !== id ? SILENCE : arrival;

const isOneEmpty = (pieces: readonly Buffer[]): boolean => pieces.length === 1 && pieces[0]?.length === 0;

/** [RCON-9] */
const isReply = ({ id, type }: Packet, wanted: number): boolean =>
  (id === wanted && (type === packetType.reply || type === packetType.loginReply)) || id === REFUSED_LOGIN_ID;
