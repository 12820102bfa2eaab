import { createServer, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';
import { encodePacket } from '../../protocol/rcon/packet.ts';
import { RconReader } from '../../protocol/rcon/reader.ts';
import { Secret } from '../../src/config/config.ts';
import type { GameServer } from '../../src/delivery/game-server.ts';
import { type RconSettings, rconGameServer } from '../../src/delivery/kinds/rcon/game-server.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { systemRandom } from '../../src/platform/random.ts';
import {
  type PracticeServer,
  type PracticeSettings,
  startPracticeServer,
} from '../../src/practice/server.ts';
import { PASSWORD, RawClient, type RawPacket } from '../kit/practice.ts';
import { serve } from '../kit/serve.ts';
import { silentLog } from './log.ts';

export { PASSWORD, RawClient };

/** A practice server on a free port, closed when the test ends. */
export async function practice(settings: Partial<PracticeSettings> = {}): Promise<PracticeServer> {
  const tools = { clock: systemClock, random: systemRandom, log: silentLog };
  const server = await startPracticeServer({ password: PASSWORD, ...tools, ...settings });
  onTestFinished(() => server.close());
  return server;
}

/** Our client for it, or for another address; with short timeouts, and without a `list` before commands. */
export function client(at: { host: string; port: number }, settings: Partial<RconSettings> = {}): GameServer {
  const waits = { commandPauseMs: 0, commandTimeoutMs: 2_000, quietMs: 60, closeWaitMs: 20 };
  const impatient = { unknownCommandPauseMs: 0 };
  const unasked = { provenForMs: Number.POSITIVE_INFINITY };
  const patterns = { refusedReplies: [], offlineReplies: [], deliveredReplies: [] };
  const tools = { clock: systemClock, random: systemRandom };
  const { host, port } = at;
  const given = {
    host,
    port,
    password: new Secret(PASSWORD),
    ...waits,
    ...unasked,
    ...impatient,
    ...patterns,
    ...tools,
    ...settings,
  };
  const server = rconGameServer(given);
  onTestFinished(() => server.close());
  return server;
}

type Script = (packet: RawPacket, socket: Socket, connection: number) => void;

/** A game server that answers each packet, including logins, as the test says. */
export async function scripted(
  script: Script,
  host = '127.0.0.1',
): Promise<{ host: string; port: number; connections(): number }> {
  let connections = 0;
  const server = createServer({ noDelay: true }, (socket) => {
    connections += 1;
    const connection = connections;
    const reader = new RconReader();
    socket.on('data', (chunk: Buffer) => {
      for (const { id, type, body } of reader.push(chunk).packets) {
        script({ id, type, body: body.toString('utf8') }, socket, connection);
      }
    });
  });
  return { host, port: await serve(server, host), connections: () => connections };
}

/** Sends one packet from a script. */
export const answer = (socket: Socket, id: number, body: string, type = 0): void => {
  socket.write(encodePacket({ id, type, body }));
};
