/**
 * Game servers for the benchmark, in a process of their own. It can also send votes, because only one process can time
 * from a vote to its command. One JSON argument: how many servers. Then it answers `GameServerOrder`s.
 */
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { encodePacket, type Packet, packetType, REPLY_PIECE_CHARACTERS } from '../../protocol/rcon/packet.ts';
import { RconReader } from '../../protocol/rcon/reader.ts';
import { maximum, percentile } from './report.ts';
import { exchange, SERVICES, v2Frame } from './votes.ts';

export type GameServerOrder =
  /** Who is online from now on. */
  | { readonly kind: 'players'; readonly names: readonly string[] }
  /** Forgets the commands that have arrived. */
  | { readonly kind: 'forget' }
  /** Which commands have arrived since then. */
  | { readonly kind: 'commands' }
  /** Sends one vote after the other to this port, each for another of the players, and times their commands. */
  | { readonly kind: 'votes'; readonly port: number; readonly votes: number };

export interface CommandsSeen {
  readonly count: number;
  /** From the first to the last. */
  readonly seconds: number;
}

export interface Latencies {
  readonly medianMs: number;
  readonly p99Ms: number;
  readonly maxMs: number;
  /** Votes whose command did not come. */
  readonly missing: number;
}

/** Between two votes, so that nothing is left of the one before. */
const PAUSE_MS = 50;
const WAIT_MAX_MS = 5_000;

let players: readonly string[] = [];
/** How many votes were timed, so that none of them is for the window of another. */
let timed = 0;
let seen = { count: 0, firstAt: 0, lastAt: 0 };
let onCommand: (command: string) => void = () => {};

const servers = await Promise.all(
  Array.from({ length: Number(process.argv[2]) }, () =>
    startRconServer((command) => {
      const now = performance.now();
      seen = { count: seen.count + 1, firstAt: seen.count === 0 ? now : seen.firstAt, lastAt: now };
      onCommand(command);
    }),
  ),
);

/** @returns milliseconds from the vote's last byte to the command's first; null if no command came. */
async function timeCommand(port: number, vote: number): Promise<number | null> {
  const username = players[vote % players.length] ?? `V${vote}`;
  const serviceName = SERVICES[Math.floor(vote / Math.max(1, players.length)) % SERVICES.length] ?? '';
  const ballot = { serviceName, username, address: '192.0.2.1', timestamp: Date.now() };
  let sentAt = 0;
  const came = new Promise<number>((resolve) => {
    onCommand = (command) => {
      if (command.split(' ')[1] === username) resolve(performance.now());
    };
  });
  void exchange({
    port,
    block: (greeting) => v2Frame(ballot, greeting),
    onWritten: () => {
      sentAt = performance.now();
    },
  });
  const cameAt = await Promise.race([came, pause(WAIT_MAX_MS, null)]);
  return cameAt === null ? null : cameAt - sentAt;
}

async function timeCommands(port: number, votes: number): Promise<Latencies> {
  const times: (number | null)[] = [];
  for (let vote = 0; vote < votes; vote++) {
    times.push(await timeCommand(port, timed++));
    await pause(PAUSE_MS);
  }
  const known = times.filter((time) => time !== null);
  return {
    medianMs: percentile(known, 0.5),
    p99Ms: percentile(known, 0.99),
    maxMs: maximum(known),
    missing: times.length - known.length,
  };
}

const commandsSeen = (): CommandsSeen => ({
  count: seen.count,
  seconds: (seen.lastAt - seen.firstAt) / 1_000,
});

async function obey(order: GameServerOrder): Promise<object> {
  switch (order.kind) {
    case 'players':
      players = order.names;
      for (const server of servers) server.setPlayers(players);
      return {};
    case 'forget':
      seen = { count: 0, firstAt: 0, lastAt: 0 };
      return {};
    case 'commands':
      return commandsSeen();
    case 'votes':
      return timeCommands(order.port, order.votes);
  }
}

process.on('message', (order: GameServerOrder | string) => {
  // Strings are for the probe.
  if (typeof order !== 'string') void obey(order).then((answer) => process.send?.(answer));
});
process.on('SIGTERM', () => process.exit(0));
const ports = servers.map(({ port }) => port);
process.stdout.write(`${JSON.stringify({ msg: 'ready', listener: { port: ports[0] }, ports })}\n`);

/** A game server that answers everything at once. */
export interface RconServer {
  readonly port: number;
  /** Who is online from now on. */
  setPlayers(names: readonly string[]): void;
}

/** @param onCommand called with each command as soon as it has been read. */
export async function startRconServer(onCommand: (command: string) => void): Promise<RconServer> {
  let list = listOf([]);
  const answerTo = (command: string): string => {
    if (/^(?:minecraft:)?list\b/.test(command)) return list;
    onCommand(command);
    return `Gave 1 [Diamond] to ${command.split(' ')[1]}`;
  };
  const server = createServer({ noDelay: true }, (socket) => {
    const reader = new RconReader();
    socket.on('error', () => {});
    socket.on('data', (chunk: Buffer) => {
      for (const packet of reader.push(chunk).packets) answer(socket, packet, answerTo);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    setPlayers: (names) => {
      list = listOf(names);
    },
  };
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
