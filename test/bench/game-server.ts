/**
 * Game servers for the benchmark, in its own process, which can also send votes: only one process can time from a vote to its
 * command.
 */
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import {
  encodePacket,
  type Packet,
  packetType,
  RconReader,
  REPLY_PIECE_CHARACTERS,
} from '../../protocol/rcon.ts';
import { exchange, SERVICES, v2Frame } from './votes.ts';

/** A game server that answers everything at once. */
export interface RconServer {
  readonly port: number;
  /** Who is online from now on. */
  show(names: readonly string[]): void;
  /** When each command came, in monotonic time. Whoever empties it starts over. */
  readonly cameAt: number[];
  /** Called with each command as soon as it has been read. */
  onCommand: (command: string) => void;
  close(): void;
}

export async function startRconServer(): Promise<RconServer> {
  let list = listOf([]);
  const cameAt: number[] = [];
  const sockets = new Set<Socket>();
  const answerTo = (command: string): string => {
    if (/^(?:minecraft:)?list\b/.test(command)) return list;
    cameAt.push(performance.now());
    self.onCommand(command);
    return `Gave 1 [Diamond] to ${command.split(' ')[1]}`;
  };
  const server = createServer({ noDelay: true }, (socket) => {
    const reader = new RconReader();
    sockets.add(socket);
    socket.on('error', () => {}).on('close', () => sockets.delete(socket));
    socket.on('data', (chunk: Buffer) => {
      for (const packet of reader.push(chunk).packets) answer(socket, packet, answerTo);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const self: RconServer = {
    port: (server.address() as AddressInfo).port,
    cameAt,
    onCommand: () => {},
    show: (names) => {
      list = listOf(names);
    },
    close: () => {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
  return self;
}

function answer(socket: Socket, { id, type, body }: Packet, answerTo: (command: string) => string): void {
  if (type === packetType.login) {
    socket.write(encodePacket({ id, type: packetType.loginReply, body: '' }));
    return;
  }
  const reply = answerTo(body.toString('utf8'));
  for (let from = 0; from === 0 || from < reply.length; from += REPLY_PIECE_CHARACTERS) {
    const piece = reply.slice(from, from + REPLY_PIECE_CHARACTERS);
    socket.write(encodePacket({ id, type: packetType.reply, body: piece }));
  }
}

/** As `list uuids` shows them. */
function listOf(names: readonly string[]): string {
  const shown = names.map(
    (name, index) => `${name} (00000000-0000-4000-8000-${String(index).padStart(12, '0')})`,
  );
  return `There are ${names.length} of a max of 100000 players online: ${shown.join(', ')}`;
}

/** Between two votes, so that nothing is left of the one before. */
const PAUSE_MS = 50;
const WAIT_MAX_MS = 5_000;

/**
 * Sends one vote after the other to a Teller, each for another of the players or for a new one, and times its command.
 *
 * @param from the number of the first one; no two with the same number may be sent to one Teller.
 * @returns milliseconds from each vote's last byte to its command's first; null if no command came.
 */
export async function timeCommands(
  server: RconServer,
  port: number,
  players: readonly string[],
  from: number,
  to: number,
): Promise<(number | null)[]> {
  const times: (number | null)[] = [];
  for (let vote = from; vote < to; vote++) {
    const username = players[vote % players.length] ?? `V${vote}`;
    const serviceName = SERVICES[Math.floor(vote / Math.max(1, players.length)) % SERVICES.length] ?? '';
    const ballot = { serviceName, username, address: '192.0.2.1', timestamp: Date.now() };
    let sentAt = 0;
    const came = new Promise<number>((resolve) => {
      server.onCommand = (command) => {
        if (command.split(' ')[1] === username) resolve(performance.now());
      };
    });
    const onWritten = (): void => {
      sentAt = performance.now();
    };
    void exchange({ port, block: (greeting) => v2Frame(ballot, greeting), onWritten });
    const cameAt = await Promise.race([came, pause(WAIT_MAX_MS, null)]);
    times.push(cameAt === null ? null : cameAt - sentAt);
    await pause(PAUSE_MS);
  }
  return times;
}
