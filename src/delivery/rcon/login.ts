import { connect, type Socket } from 'node:net';
import { encodePacket, packetType, REFUSED_LOGIN_ID } from '../../../protocol/rcon/packet.ts';
import { isUnresolvable } from '../../runtime/connecting.ts';
import type { NotSentReason } from './codes.ts';
import { CLOSE_WAIT_MS, RconConnection, type RconTarget } from './connection.ts';
import { type EndReason, PacketStream } from './packet-stream.ts';

export type Opened =
  | { readonly kind: 'open'; readonly connection: RconConnection }
  | { readonly kind: 'failed'; readonly reason: NotSentReason };

/** After an empty packet of type 0. A server that sends no verdict after it has accepted the login. */
const VERDICT_MS = 1_000;
const KEEP_ALIVE_MS = 30_000;

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
    arrival = await stream.next(isVerdict ? (target.closeWaitMs ?? CLOSE_WAIT_MS) : VERDICT_MS);
  }
  return arrival.kind === 'ended' ? loginEnd(arrival.reason, 'closed-after-login') : null;
}

const loginEnd = (reason: EndReason, closed: NotSentReason): NotSentReason =>
  (({ closed, 'bad-reply': 'not-rcon', 'shut-down': 'shut-down' }) as const)[reason];
