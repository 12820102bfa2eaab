/** Game servers as Teller meets them: real servers on sockets of this machine, which keep what they ran. */
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';
import { encodePacket, type Packet, packetType, REFUSED_LOGIN_ID } from '../../protocol/rcon/packet.ts';
import { RconReader } from '../../protocol/rcon/reader.ts';

const PASSWORD = 'a-password-of-this-test';

/** What a game server does with the next command: it runs it and closes without an answer, or closes before it runs it. */
export type Fault = 'run-and-close' | 'close';

export interface Game {
  /** Its entry for `gameServers` in a config. */
  readonly entry: object;
  /** The commands that ran, in order, without those that ask who is there. */
  readonly ran: string[];
  /** Who is there from now on. */
  show(...players: readonly string[]): void;
  /** Does this with the next commands that do not ask who is there. */
  fault(fault: Fault, times?: number): void;
}

/** A game server of the kind rcon, with replies like those of Minecraft 1.21. */
export async function rconGame(): Promise<Game> {
  const ran: string[] = [];
  let players: readonly string[] = [];
  let faults: Fault[] = [];
  const sockets = new Set<Socket>();

  /** null: it closes the connection in place of an answer. */
  const run = (command: string): string | null => {
    if (/^list\b/.test(command))
      return `There are ${players.length} of a max of 20 players online: ${players.join(', ')}`;
    if (/^(?:minecraft:)?execute if entity/.test(command)) return 'Test failed';
    const fault = faults.shift();
    if (fault !== 'close') ran.push(command);
    return fault === undefined ? replyTo(command) : null;
  };
  const server = createServer({ noDelay: true }, (socket) => {
    sockets.add(socket);
    socket.on('error', () => {}).on('close', () => sockets.delete(socket));
    const reader = new RconReader();
    socket.on('data', (chunk: Buffer) => {
      for (const packet of reader.push(chunk).packets) {
        const answer = answerTo(packet, run);
        if (answer === null) socket.destroy();
        else socket.write(answer);
      }
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const waits = { commandPause: '0ms', joinDelay: '0s', presenceInterval: '1s' };
  return {
    entry: { kind: 'rcon', host: '127.0.0.1', port, password: PASSWORD, ...waits },
    ran,
    show: (...next) => {
      players = next;
    },
    fault: (fault, times = 1) => {
      faults = [...faults, ...Array.from({ length: times }, () => fault)];
    },
  };
}

/** null: it closes the connection. */
function answerTo({ id, type, body }: Packet, run: (command: string) => string | null): Buffer | null {
  const text = body.toString('utf8');
  if (type === packetType.login) {
    const answerId = text === PASSWORD ? id : REFUSED_LOGIN_ID;
    return encodePacket({ id: answerId, type: packetType.loginReply, body: '' });
  }
  // What clients send to learn where a reply ends.
  const reply = type === packetType.command ? run(text) : `Unknown request ${type.toString(16)}`;
  return reply === null ? null : encodePacket({ id, type: packetType.reply, body: reply });
}

function replyTo(command: string): string {
  const [, player, item, count = '1'] = /^give (\S+) (\S+)(?: (\d+))?$/.exec(command) ?? [];
  return player === undefined ? '' : `Gave ${count} [${item}] to ${player}`;
}
