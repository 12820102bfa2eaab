import { connect, type Socket } from 'node:net';
import {
  bodyText,
  encodePacket,
  type Packet,
  packetType,
  REFUSED_LOGIN_ID,
  REPLY_PIECE_CHARACTERS,
} from '../../protocol/rcon/packet.ts';
import type { Secret } from '../config/config.ts';
import type { Clock } from '../core/clock.ts';
import { isUnresolvable } from '../runtime/connecting.ts';
import { type EndReason, PacketStream } from './packet-stream.ts';
import type { NotSentReason, UnknownReason } from './reasons.ts';

export interface RconTarget {
  readonly host: string;
  readonly port: number;
  readonly password: Secret;
  /** For each step: connecting, the login's answer, the beginning of a reply, the rest of it. */
  readonly commandTimeoutMs: number;
  /** [RCON-10] How long after a frame that may be continued another one is waited for. */
  readonly quietMs?: number;
  /** [RCON-8] How long after a good login, and after a connection's first answer, a close is waited for. */
  readonly loginSettleMs?: number;
  /** For how long an answer proves a connection; Infinity: it is never asked for one. */
  readonly provenForMs?: number;
  /** The login's request id; commands count up from it. */
  readonly firstId?: number;
  readonly clock: Clock;
}

export type Answer =
  | { readonly kind: 'reply'; readonly text: string }
  /** Certainly nothing of it was written. */
  | { readonly kind: 'not-sent'; readonly reason: NotSentReason }
  /** It may have run [RCON-12]. */
  | { readonly kind: 'unknown'; readonly reason: UnknownReason };

export type Opened =
  | { readonly kind: 'open'; readonly connection: RconConnection }
  | { readonly kind: 'failed'; readonly reason: NotSentReason };

/** Longer than a delayed ACK holds back the second of two small segments: 40 ms on Linux, 200 ms on Windows. */
const QUIET_MS = 250;
const LOGIN_SETTLE_MS = 50;
/** After an empty packet of type 0. A server that sends no verdict after it has accepted the login. */
const VERDICT_MS = 1_000;
const KEEP_ALIVE_MS = 30_000;
/** [RCON-10] Well below the smallest piece that any server cuts. */
const MAY_BE_CUT_FROM_BYTES = 1_000;
const FULL_PIECE = { characters: REPLY_PIECE_CHARACTERS, bytes: 2_048 };
const LAST_ID = 0x7fff_ffff;

/** Connects and logs in. `signal` ends it at any time, before as after. */
export async function openRconConnection(target: RconTarget, signal: AbortSignal): Promise<Opened> {
  const reached = await reach(target, signal);
  if (reached.kind === 'failed') return reached;
  const stream = new PacketStream(reached.socket, target.clock, signal);
  const refusal = await login(stream, target);
  if (refusal === null) return { kind: 'open', connection: new RconConnection(stream, target) };
  stream.close('closed');
  return { kind: 'failed', reason: refusal };
}

type Reached =
  | { readonly kind: 'open'; readonly socket: Socket }
  | { readonly kind: 'failed'; readonly reason: NotSentReason };

/** Listens to `signal` itself: node's `connect({ signal })` leaves a listener behind for each socket (20.20.2). */
function reach({ host, port, commandTimeoutMs, clock }: RconTarget, signal: AbortSignal): Promise<Reached> {
  return new Promise((resolve) => {
    const keptAlive = { noDelay: true, keepAlive: true, keepAliveInitialDelay: KEEP_ALIVE_MS };
    const socket = connect({ host, port, ...keptAlive });
    const end = (reached: Reached): void => {
      giveUp();
      signal.removeEventListener('abort', shutDown);
      if (reached.kind === 'failed') socket.destroy();
      resolve(reached);
    };
    const fail = (reason: NotSentReason): void => end({ kind: 'failed', reason });
    const shutDown = (): void => fail('shut-down');
    const giveUp = clock.after(commandTimeoutMs, () => fail('unreachable'));
    signal.addEventListener('abort', shutDown);
    socket.once('connect', () => end({ kind: 'open', socket }));
    // It stays: an error that comes before the stream listens would end the process.
    socket.on('error', ({ code }: NodeJS.ErrnoException) =>
      fail(isUnresolvable(code) ? 'host-unknown' : 'unreachable'),
    );
    if (signal.aborted) shutDown();
  });
}

/**
 * [RCON-8] null: logged in, and a moment later the connection is still there. Source-style servers send an empty
 * reply first, and their verdict up to 150 ms later.
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
    arrival = await stream.next(isVerdict ? (target.loginSettleMs ?? LOGIN_SETTLE_MS) : VERDICT_MS);
  }
  return arrival.kind === 'ended' ? loginEnd(arrival.reason, 'closed-after-login') : null;
}

const loginEnd = (reason: EndReason, closed: NotSentReason): NotSentReason =>
  (({ closed, 'bad-reply': 'not-rcon', 'shut-down': 'shut-down' }) as const)[reason];

/**
 * One logged-in connection with at most one command in flight [RCON-7]. It ends for good with the first command that
 * has no complete reply: what comes after could be the answer to either.
 */
export class RconConnection {
  private readonly stream: PacketStream;
  private readonly target: RconTarget;
  private id: number;
  /** [RCON-11] Learnt from the first one: empty frames of this server have no companion. */
  private emptyStandsAlone = false;
  private lastAnswerAt: number | null = null;

  constructor(stream: PacketStream, target: RconTarget) {
    this.stream = stream;
    this.target = target;
    this.id = target.firstId ?? 1;
    stream.expectNothing();
  }

  get isOpen(): boolean {
    return this.stream.ended === null;
  }

  /** Monotonic time of the last complete reply; null before the first. */
  get answeredAt(): number | null {
    return this.lastAnswerAt;
  }

  /** Whether the other side closes it within a moment. */
  async isLeft(): Promise<boolean> {
    return (await this.stream.next(this.target.loginSettleMs ?? LOGIN_SETTLE_MS)).kind === 'ended';
  }

  /** Runs one command that passed `judgeRequest`. The caller waits for the answer before the next. */
  async exchange(command: string): Promise<Answer> {
    if (!this.isOpen) return { kind: 'not-sent', reason: 'between-connections' };
    this.id = this.id === LAST_ID ? 1 : this.id + 1;
    const { id } = this;
    this.stream.expect((packet) => isReply(packet, id));
    // From this line on the command may run, whatever happens [RCON-12].
    this.stream.write(encodePacket({ id, type: packetType.command, body: command }));
    const answer = await this.reply();
    this.stream.expectNothing();
    if (answer.kind === 'unknown') this.close();
    else this.lastAnswerAt = this.target.clock.monotonic();
    return answer;
  }

  close(): void {
    this.stream.close('closed');
  }

  private async reply(): Promise<Answer> {
    const first = await this.stream.next(this.target.commandTimeoutMs);
    if (first.kind === 'silence') return unknown('timeout');
    if (first.kind === 'ended') return unknown(first.reason);
    if (first.packet.id === REFUSED_LOGIN_ID) return unknown('login-lost');
    return this.rest([first.packet.body]);
  }

  /** [RCON-10] The pieces that follow the first one. A frame that has begun is waited for, quiet or not. */
  private async rest(pieces: Buffer[]): Promise<Answer> {
    const { clock, commandTimeoutMs, quietMs } = this.target;
    const deadline = clock.monotonic() + commandTimeoutMs;
    while (this.mayGoOn(pieces)) {
      const next = await this.stream.next(quietMs ?? QUIET_MS);
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

const isOneEmpty = (pieces: readonly Buffer[]): boolean => pieces.length === 1 && pieces[0]?.length === 0;

/** [RCON-9] */
const isReply = ({ id, type }: Packet, wanted: number): boolean =>
  (id === wanted && (type === packetType.reply || type === packetType.loginReply)) || id === REFUSED_LOGIN_ID;
