import { connect, type Socket } from 'node:net';
import { encodePacket, packetType, REFUSED_LOGIN_ID } from '../../../../protocol/rcon.ts';
import { type Interruption, interruptible } from '../../../core/interruptible.ts';
import { isUnresolvable } from '../../../platform/connecting.ts';
import type { NotSentReason } from './codes.ts';
import { CLOSE_WAIT_MS, RconConnection, type RconTarget } from './connection.ts';
import { type EndReason, PacketStream } from './packet-stream.ts';

export type Opened =
  | { readonly kind: 'open'; readonly connection: RconConnection }
  | { readonly kind: 'failed'; readonly reason: NotSentReason };

/** How long to wait after an empty packet of type 0. If the server then sends no verdict, it has accepted the login. */
const VERDICT_MS = 1_000;
const KEEP_ALIVE_MS = 30_000;

/** Connects and logs in. `signal` ends the attempt, and later the connection. */
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

/** Does not use node's `connect({ signal })`, which leaves a listener behind for each socket (20.20.2). */
async function reach(target: RconTarget, signal: AbortSignal): Promise<Reached> {
  const { host, port, commandTimeoutMs: limitMs, clock } = target;
  const keptAlive = { noDelay: true, keepAlive: true, keepAliveInitialDelay: KEEP_ALIVE_MS };
  const socket = connect({ host, port, ...keptAlive });
  const interrupted = (by: Interruption): Reached => failed(by === 'abort' ? 'shut-down' : 'unreachable');
  const reached = await interruptible<Reached>({ clock, limitMs, signal, interrupted }, (end) => {
    socket.once('connect', () => end({ kind: 'open', socket }));
    // This listener stays: without it, an error before the stream listens would crash the process.
    socket.on('error', ({ code }: NodeJS.ErrnoException) =>
      end(failed(isUnresolvable(code) ? 'host-unknown' : 'unreachable')),
    );
  });
  if (reached.kind === 'failed') socket.destroy();
  return reached;
}

const failed = (reason: NotSentReason): Reached => ({ kind: 'failed', reason });

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
    arrival = await stream.next(isVerdict ? (target.closeWaitMs ?? CLOSE_WAIT_MS) : VERDICT_MS);
  }
  return arrival.kind === 'ended' ? loginEnd(arrival.reason, 'closed-after-login') : null;
}

const loginEnd = (reason: EndReason, closed: NotSentReason): NotSentReason =>
  (({ closed, 'bad-reply': 'not-rcon', 'shut-down': 'shut-down' }) as const)[reason];
