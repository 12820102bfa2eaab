/** Game servers as Teller meets them: real servers on sockets of this machine, which keep what they ran. */
import { createServer } from 'node:net';
import { encodePacket, type Packet, packetType, REFUSED_LOGIN_ID } from '../../protocol/rcon/packet.ts';
import { RconReader } from '../../protocol/rcon/reader.ts';
import { afterFrame } from '../sender/scripted-listener.ts';
import { serve } from './serve.ts';

const PASSWORD = 'a-password-of-this-test';

/**
 * What a game server does with the next command: it runs it and closes without an answer, closes before it runs it, says nothing
 * without running it; or it closes the next connection as soon as it has logged in.
 */
export type Fault = 'run-and-close' | 'close' | 'silent' | 'close-after-login';

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

/** What becomes of a packet: it is answered, it is not, or the connection is closed. */
type Answer = Buffer | 'silence' | 'close';

/** A game server of the kind rcon, with replies like those of Minecraft 1.21. @param settings of its entry. */
export async function rconGame(settings: object = {}): Promise<Game> {
  const ran: string[] = [];
  let players: readonly string[] = [];
  let faults: Fault[] = [];
  const taken = (...those: readonly Fault[]): Fault | undefined =>
    those.includes(faults[0] as Fault) ? faults.shift() : undefined;

  const replyTo = (command: string): string | 'silence' | 'close' => {
    if (/^(?:minecraft:)?list\b/.test(command))
      return `There are ${players.length} of a max of 20 players online: ${players.join(', ')}`;
    const fault = taken('run-and-close', 'close', 'silent');
    if (fault === 'silent') return 'silence';
    if (fault === 'close') return 'close';
    ran.push(command);
    return fault === undefined ? resultOf(command, players) : 'close';
  };
  const answerTo = ({ id, type, body }: Packet): Answer => {
    const text = body.toString('utf8');
    if (type === packetType.login) {
      const answerId = text === PASSWORD ? id : REFUSED_LOGIN_ID;
      return encodePacket({ id: answerId, type: packetType.loginReply, body: '' });
    }
    if (taken('close-after-login') !== undefined) return 'close';
    // What clients send to learn where a reply ends.
    const reply = type === packetType.command ? replyTo(text) : `Unknown request ${type.toString(16)}`;
    const isReply = reply !== 'silence' && reply !== 'close';
    return isReply ? encodePacket({ id, type: packetType.reply, body: reply }) : reply;
  };

  const server = createServer({ noDelay: true }, (socket) => {
    const reader = new RconReader();
    socket.on('data', (chunk: Buffer) => {
      for (const packet of reader.push(chunk).packets) {
        const answer = answerTo(packet);
        if (answer === 'close') socket.destroy();
        else if (answer !== 'silence') socket.write(answer);
      }
    });
  });
  const port = await serve(server);
  const waits = { commandPause: '0ms', joinDelay: '0s', presenceInterval: '1s' };
  return {
    entry: { kind: 'rcon', host: '127.0.0.1', port, password: PASSWORD, ...waits, ...settings },
    ran,
    show: (...next) => {
      players = next;
    },
    fault: (fault, times = 1) => {
      faults = [...faults, ...Array.from({ length: times }, () => fault)];
    },
  };
}

/** What Minecraft says of a few commands; others say nothing. */
function resultOf(command: string, players: readonly string[]): string {
  const [word = '', target = '', item = '', count = '1'] = command.split(' ');
  if (word === 'nonsense') return `Unknown or incomplete command, see below for error${command}<--[HERE]`;
  if (word === 'tellraw' && target === '@a' && players.length === 0) return 'No player was found';
  if (word !== 'give') return '';
  const player = players.find((each) => each.toLowerCase() === target.toLowerCase());
  return player === undefined ? 'No player was found' : `Gave ${count} [${item}] to ${player}`;
}

/** Another Votifier listener, to which votes are forwarded: it confirms each vote and keeps the name of its player. */
export async function votifierGame(): Promise<Pick<Game, 'entry' | 'ran'>> {
  const ran: string[] = [];
  const confirm = afterFrame((socket, frame) => {
    const { payload } = JSON.parse(frame.toString('utf8', 4)) as { payload: string };
    ran.push((JSON.parse(payload) as { username: string }).username);
    socket.end('{"status":"ok"}\r\n');
  });
  const port = await serve(createServer({ noDelay: true }, confirm));
  return { entry: { kind: 'votifier', host: '127.0.0.1', port, token: PASSWORD }, ran };
}
