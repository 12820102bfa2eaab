import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { encodePacket, type Packet, packetType, REPLY_PIECE_CHARACTERS } from '../../protocol/rcon/packet.ts';
import { RconReader } from '../../protocol/rcon/reader.ts';

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
const listOf = (names: readonly string[]): string =>
  `There are ${names.length} of a max of 100000 players online: ${names
    .map((name, index) => `${name} (00000000-0000-4000-8000-${String(index).padStart(12, '0')})`)
    .join(', ')}`;
