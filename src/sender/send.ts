/**
 * Sends votes to any listener, in either version, one over each connection: at once, or over a link, whose greeting is read before
 * there is a vote. Nothing here rejects, throws or leaves an open socket behind. The caller decides whether to send a failed vote again;
 * `reached` says whether it might then be recorded twice.
 */
import type { KeyObject } from 'node:crypto';
import type { LookupFunction, Socket } from 'node:net';
import { encryptV1Block, isV1PublicKey, V1_TEXT_MAX_BYTES } from '../../protocol/votifier/v1.ts';
import { encodeV2Body, V2_BODY_MAX_BYTES } from '../../protocol/votifier/v2.ts';
import type { WireVote } from '../../protocol/votifier/wire.ts';
import { placeText } from '../core/address.ts';
import type { Cancel, Clock } from '../core/clock.ts';
import { timeLimit } from '../core/time-limit.ts';
import { type Dialed, dial, type NetworkFault } from '../platform/dial.ts';
import {
  Conversation,
  type Ending,
  type Greeted,
  type Message,
  resultOf,
  type SendResult,
  type Step,
  V2_TOO_LONG,
} from './conversation.ts';

/** Where a listener is. */
export interface Place {
  readonly host: string;
  readonly port: number;
}

export type Auth =
  | { readonly version: 'v2'; readonly token: string }
  | { readonly version: 'v1'; readonly publicKey: KeyObject };

/** A listener, and the token or key with which votes are sent to it. */
export type Target = Place & { readonly auth: Auth };

interface SendOptions {
  readonly clock: Clock;
  /** By default the system's; with another, only addresses that it allows are connected to. */
  readonly lookup?: LookupFunction;
  /** For each of the steps that have a limit; by default each has its own. */
  readonly limitMs?: number;
}

/** From the start until the connection is open, name lookup included. */
const CONNECT_MS = 5_000;
/** From the connection until a v1 block is sent without a greeting. */
const V1_GREETING_MS = 3_000;
/** From the start until the exchange ends. */
const WHOLE_MS = 10_000;

/** Sends one vote to one listener, once. */
export async function sendVote(vote: WireVote, target: Target, options: SendOptions): Promise<SendResult> {
  const message = messageOf(vote, target.auth);
  const ending =
    'code' in message ? message : await new Exchange(target, new Conversation(message), options).ended;
  return resultOf(ending, placeText(target.host, target.port));
}

/**
 * A connection whose listener has sent its greeting, and to which nothing was written yet. It closes by itself when the
 * time for the whole exchange is over, or if the listener closes it.
 */
export interface Link {
  /** What the listener greeted with. */
  readonly greeting: Greeted;
  readonly isOpen: boolean;
  /** Sends the one vote that a connection can carry. */
  send(vote: WireVote, auth: Auth): Promise<SendResult>;
  /** Ends the exchange; a vote that was written may have arrived. */
  close(): void;
}

/**
 * Connects to a listener and waits for its greeting, without a vote. So a vote that cannot be sent is not begun, and what
 * listens there can be looked at.
 */
export function openLink(
  place: Place,
  options: SendOptions,
): Promise<
  { readonly kind: 'open'; readonly link: Link } | { readonly kind: 'failed'; readonly result: SendResult }
> {
  const where = placeText(place.host, place.port);
  return new Promise((resolve) => {
    const conversation = new Conversation(null, (greeting) => {
      const link = linkOver(exchange, greeting, where);
      // A listener that refuses a connection may close it together with the greeting: that has to be read first.
      options.clock.nextTurn(() => resolve({ kind: 'open', link }));
    });
    const exchange = new Exchange(place, conversation, options);
    void exchange.ended.then((ending) => resolve({ kind: 'failed', result: resultOf(ending, where) }));
  });
}

const linkOver = (exchange: Exchange, greeting: Greeted, where: string): Link => ({
  greeting,
  get isOpen() {
    return !exchange.isOver;
  },
  async send(vote, auth) {
    const message = messageOf(vote, auth);
    if ('code' in message) exchange.stop();
    else exchange.send(message);
    return resultOf('code' in message ? message : await exchange.ended, where);
  },
  close: () => exchange.stop(),
});

/** Checks the vote and the key before anything is sent. */
function messageOf(vote: WireVote, auth: Auth): Message | Ending {
  const fields = [vote.serviceName, vote.username, vote.address, vote.timestamp];
  if (fields.some((field) => /[\r\n]/.test(field))) return { code: 'line-break' };
  if (auth.version === 'v2') {
    // [V2-3] Without the challenge, which only makes the body longer.
    const body = encodeV2Body({ ...vote, challenge: '' }, auth.token);
    return Buffer.byteLength(body) > V2_BODY_MAX_BYTES ? V2_TOO_LONG : { ...auth, vote };
  }
  if (!isV1PublicKey(auth.publicKey)) return { code: 'key-unusable' };
  const block = encryptV1Block(auth.publicKey, vote);
  if (block !== null) return { version: 'v1', block };
  return { code: 'vote-too-long', detail: `a version 1 block holds ${V1_TEXT_MAX_BYTES} bytes` };
}

/** Connecting includes the lookup of the name, which can take longer than any way to the listener and back. */
const RESET_WAIT_MAX_MS = 1_000;

/** One conversation over one connection. When it has ended, the socket is destroyed and no timer is left. */
class Exchange {
  readonly ended: Promise<Ending>;
  isOver = false;
  /** null until it is connected. */
  private socket: Socket | null = null;
  private readonly startedAt: number;
  private readonly dialing = new AbortController();
  private readonly timers: Cancel[] = [];
  /** How long connecting took, which is at least the way to the listener and back. */
  private connectedMs = 0;
  private writtenAt: number | null = null;
  private fault: Error | null = null;
  private settle: (ending: Ending) => void = () => {};

  constructor(
    place: Place,
    private readonly conversation: Conversation,
    private readonly options: SendOptions,
  ) {
    const { clock, lookup, limitMs = CONNECT_MS } = options;
    this.startedAt = clock.monotonic();
    this.ended = new Promise((resolve) => (this.settle = resolve));
    this.limitWhole();
    const { signal } = this.dialing;
    void dial(place, { clock, limitMs, signal, lookup }).then((dialed) => this.onDialed(dialed));
  }

  /** For a conversation that had no vote yet. It gets the time for the whole exchange again. */
  send(message: Message): void {
    if (this.isOver) return;
    this.cancelTimers();
    this.limitWhole();
    this.take(this.conversation.write(message));
  }

  /** Ends the exchange at once, as its time limit would. */
  stop(): void {
    this.finish({ ...this.conversation.cutOff('time'), over: 'stopped' });
  }

  private onDialed(dialed: Dialed): void {
    if (dialed.kind === 'failed') this.finish(endingBy(dialed.fault));
    else if (this.isOver) dialed.socket.destroy();
    else this.connected(dialed.socket);
  }

  private connected(socket: Socket): void {
    this.socket = socket;
    this.connectedMs = this.options.clock.monotonic() - this.startedAt;
    // After the listener's close, the socket can still say whether it was reset.
    socket.allowHalfOpen = true;
    socket
      .on('data', (chunk: Buffer) => this.take(this.conversation.push(chunk)))
      .on('error', (error) => (this.fault = error))
      .on('end', () => this.onEnd())
      .on('close', () => this.onClose());
    this.startTimer(V1_GREETING_MS, () => this.take(this.conversation.write()));
  }

  private limitWhole(): void {
    this.startTimer(WHOLE_MS, () => {
      if (this.socket === null) this.finish({ code: 'connect-timeout' });
      else this.finish({ ...this.conversation.cutOff('time'), over: 'time-limit' });
    });
  }

  private take(step: Step): void {
    if (step === null) return;
    if (!Buffer.isBuffer(step)) {
      this.finish(step);
      return;
    }
    this.writtenAt = this.options.clock.monotonic();
    this.socket?.write(step, (error) => {
      // There is one write, so nothing has been sent if it fails.
      if (error) this.finish({ code: 'closed-before-vote' });
    });
  }

  /**
   * A listener that closed before our bytes reached it never reads them, and its system answers them with a reset. Until that
   * has had the time to arrive, its close looks like that of a listener that has read them.
   */
  private onEnd(): void {
    const { writtenAt, options } = this;
    const resetBy = (writtenAt ?? 0) + Math.min(2 * this.connectedMs, RESET_WAIT_MAX_MS);
    const leftMs = resetBy - options.clock.monotonic();
    if (writtenAt === null) this.onClose();
    else if (leftMs <= 0) this.closeUnlessReset();
    else this.timers.push(options.clock.after(leftMs, () => this.closeUnlessReset()));
  }

  /** Writing nothing fails after a reset, and sends nothing otherwise. */
  private closeUnlessReset(): void {
    this.socket?.write('', (error) => {
      this.fault ??= error ?? null;
      this.onClose();
    });
  }

  /** What it means depends on the state of the conversation. */
  private onClose(): void {
    const over = this.fault === null ? 'closed' : 'reset';
    this.finish({ ...this.conversation.cutOff('close'), over });
  }

  private startTimer(defaultMs: number, onTimeout: () => void): void {
    const { clock, limitMs = defaultMs } = this.options;
    this.timers.push(timeLimit(clock, limitMs, onTimeout));
  }

  private cancelTimers(): void {
    for (const cancel of this.timers.splice(0)) cancel();
  }

  /** Only the first ending counts; destroying the socket causes another `close` event. */
  private finish(ending: Ending): void {
    if (this.isOver) return;
    this.isOver = true;
    this.cancelTimers();
    this.dialing.abort();
    this.socket?.destroy();
    this.settle(ending);
  }
}

function endingBy({ code, detail }: NetworkFault): Ending {
  // The system gave up, as the time limit would have.
  if (detail === 'ETIMEDOUT') return { code: 'connect-timeout', detail };
  return { code: UNCONNECTED[code] ?? 'unreachable', detail };
}

const UNCONNECTED: Readonly<Partial<Record<NetworkFault['code'], Ending['code']>>> = {
  refused: 'port-refused',
  unresolvable: 'host-unresolvable',
  reset: 'connection-reset',
  timeout: 'connect-timeout',
  'not-allowed': 'address-not-allowed',
  'no-sockets': 'out-of-sockets',
};
