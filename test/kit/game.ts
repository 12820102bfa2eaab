/** Game servers with RCON as Teller meets them: real servers on sockets of this machine, which keep what they ran. */
import { createServer, type Socket } from 'node:net';
import { encodePacket, type Packet, packetType, RconReader, REFUSED_LOGIN_ID } from '../../protocol/rcon.ts';
import { serve } from './serve.ts';

const PASSWORD = 'a-password-of-this-test';

/**
 * What a game server does with a command: it closes or says nothing, before it runs it or after that; it sends a reply or half of
 * one and closes, or a packet with an impossible length; or it refuses it, or does not know it, which plugins say while a server stops. Or it closes
 * the next connection as soon as it has accepted the login.
 */
export type Fault =
  | 'close'
  | 'silent'
  | 'run-and-close'
  | 'run-and-silent'
  | 'half-reply'
  | 'reply-and-close'
  | 'garbage-length'
  | 'unknown-command'
  | 'refuse'
  | 'close-after-login';

/** How a game server differs from vanilla, which has replies of type 0 in pieces of 4,096 characters. */
export type Dialect =
  /** Replies have type 2 and end with an empty packet; an unknown type of request closes the connection. */
  | 'type-2-replies'
  /** Bytes, also in the middle of a character. */
  | 'pieces-of-2048'
  /** A reply is one packet of any size, and a third request in one read is lost. */
  | 'one-frame'
  /** A read that is not exactly one packet of at most 1,460 bytes closes the connection. */
  | 'reads-once'
  /** A packet for the request before comes before each reply. */
  | 'late-frame'
  | 'empty-frame-first'
  /** A command without output gets no reply. */
  | 'no-empty-frames'
  | 'wrong-password-closes';

export interface Game {
  /** Its entry for `gameServers` in a config. */
  readonly entry: object;
  /** The commands that ran, in order, without those that ask who is there. */
  readonly ran: string[];
  /** Who is there from now on: `Steve`, or `Steve (UUID)`. */
  show(...players: readonly string[]): void;
  /** Does this with the next commands that do not ask who is there. */
  fault(fault: Fault, times?: number): void;
}

type Said = string | Fault | undefined;
type Script = (packet: Packet & { readonly text: string }, socket: Socket, connection: number) => unknown;

export type RconGame = Awaited<ReturnType<typeof rconGame>>;

const QUESTION = /^(?:minecraft:)?(?:list\b|execute if entity )/;

/**
 * A game server of the kind rcon, with replies like those of Minecraft 1.21.
 *
 * @param settings of its entry.
 * @param replies see `reply`.
 */
export async function rconGame(
  settings: object = {},
  replies: (command: string) => Said | Promise<Said> = () => undefined,
) {
  const [ran, asked]: [string[], string[]] = [[], []];
  const spoken = new Set<Dialect>();
  let players: readonly string[] = [];
  let faults: Fault[] = [];
  let connections = 0;
  let open = 0;
  let says = replies;
  let script: Script = () => false;
  let paced: Paced = (packets, socket) => void socket.write(Buffer.concat(packets));

  const runs = async (command: string): Promise<Said> => {
    const own = await says(command);
    const isLogin = faults[0] === 'close-after-login';
    const said = own ?? (isLogin ? undefined : faults.shift()) ?? resultOf(command, players);
    if (!/^(?:close|silent|refuse|unknown-command)$/.test(said)) ran.push(command);
    return said;
  };
  const answers = async (command: string): Promise<Said> => {
    if (!QUESTION.test(command)) return runs(command);
    asked.push(command);
    return (await says(command)) ?? answerOf(command, players);
  };
  const logIn = ({ id, text }: { id: number; text: string }, socket: Socket): void => {
    const isRight = text === PASSWORD;
    if (!isRight && spoken.has('wrong-password-closes')) return void socket.end();
    socket.write(
      encodePacket({ id: isRight ? id : REFUSED_LOGIN_ID, type: packetType.loginReply, body: '' }),
    );
    if (faults[0] !== 'close-after-login') return;
    faults.shift();
    socket.end();
  };
  const handle = async (packet: Packet, socket: Socket, connection: number): Promise<void> => {
    const { id, type } = packet;
    const text = packet.body.toString('utf8');
    if (script({ ...packet, text }, socket, connection) !== false) return;
    if (type === packetType.login) return logIn({ id, text }, socket);
    const isCommand = type === packetType.command;
    if (!isCommand && spoken.has('type-2-replies')) return void socket.end();
    const said = isCommand ? await answers(text) : `Unknown request ${type.toString(16)}`;
    say(said, id, socket, spoken, paced);
  };

  const server = createServer({ noDelay: true }, (socket) => {
    connections += 1;
    open += 1;
    socket.on('close', () => (open -= 1));
    const connection = connections;
    const reader = new RconReader();
    socket.on('data', (chunk: Buffer) => {
      const isWhole = chunk.length <= 1_460 && chunk.length === chunk.readInt32LE(0) + 4;
      if (spoken.has('reads-once') && !isWhole) return void socket.destroy();
      const { packets } = reader.push(chunk);
      for (const packet of packets.slice(0, spoken.has('one-frame') ? 2 : packets.length))
        void handle(packet, socket, connection);
    });
  });
  const port = await serve(server);
  const waits = { commandPause: '0ms', joinDelay: '0s', presenceInterval: '1s' };
  return {
    entry: { kind: 'rcon', host: '127.0.0.1', port, password: PASSWORD, ...waits, ...settings } as object,
    ran,
    /** What it was asked about who is there, in order. */
    asked,
    /** How many connections it has accepted. */
    connections: () => connections,
    /** How many of them are still open. */
    open: () => open,
    show: (...next: readonly string[]): void => {
      players = next;
    },
    fault: (fault: Fault, times = 1): void => {
      faults = [...faults, ...Array.from({ length: times }, () => fault)];
    },
    /** Speaks like this from now on. */
    speak: (...dialects: readonly Dialect[]): void => {
      for (const dialect of dialects) spoken.add(dialect);
    },
    /** Writes each packet of a reply so long after the one before, or does this with the packets. */
    pace: (how: number | Paced, clock?: { after(ms: number, then: () => void): unknown }): void => {
      paced = typeof how === 'function' ? how : (packets, socket) => spaced(packets, socket, how, clock);
    },
    /** Replies like this from now on, to questions too, or does that; undefined: as it does by itself. */
    reply: (to: typeof replies): void => {
      says = to;
    },
    /** Calls this for each packet from now on, also for a login; unless it returns false, that was all. */
    script: (next: Script): void => {
      script = next;
    },
  };
}

const isSilence = (said: string): boolean => said === 'silent' || said === 'run-and-silent';
const UNKNOWN_COMMAND = 'Unknown command. Type "/help" for help.';
const nameIn = (player: string): string => player.replace(/ \(.*/, '');

/** Who is there, as vanilla says it: with UUIDs if it is asked for them. */
function answerOf(question: string, players: readonly string[]): string {
  const [, who] = /if entity "?(.*?)"?$/.exec(question) ?? [];
  if (who !== undefined) return players.map(nameIn).includes(who) ? 'Test passed, count: 1' : 'Test failed';
  const shown = question.endsWith(' uuids') ? players : players.map(nameIn);
  return `There are ${players.length} of a max of 20 players online: ${shown.join(', ')}`;
}

/** What Minecraft says of a few commands; others say nothing. */
function resultOf(command: string, players: readonly string[]): string {
  const [word = '', target = '', item = '', count = '1'] = command.split(' ');
  if (word === 'nonsense') return `Unknown or incomplete command, see below for error${command}<--[HERE]`;
  if (word === 'tellraw' && target === '@a' && players.length === 0) return 'No player was found';
  if (word === 'bank') return `[Bank] ${target} has no account here`;
  if (word !== 'give') return '';
  const player = players.map(nameIn).find((each) => each.toLowerCase() === target.toLowerCase());
  return player === undefined ? 'No player was found' : `Gave ${count} [${item}] to ${player}`;
}

type Paced = (packets: readonly Buffer[], socket: Socket) => void;

/** The first packet at once, and each other one after a gap. */
function spaced(
  [first, ...rest]: readonly Buffer[],
  socket: Socket,
  gapMs: number,
  clock: { after(ms: number, then: () => void): unknown } | undefined,
): void {
  if (first === undefined || socket.destroyed) return;
  socket.write(first);
  clock?.after(gapMs, () => spaced(rest, socket, gapMs, clock));
}

/** Sends a reply, or does what is done in place of it. */
function say(said: Said, id: number, socket: Socket, spoken: ReadonlySet<Dialect>, paced: Paced): void {
  const framed = (text: string): Buffer => Buffer.concat(packetsOf(id, text, spoken));
  if (said === 'close' || said === 'run-and-close') socket.end();
  else if (said === 'half-reply') socket.end(framed('Gave 1 [Diamond]').subarray(0, 20));
  else if (said === 'reply-and-close') socket.end(framed('Done'));
  else if (said === 'garbage-length') socket.write(garbage(id));
  else if (said === 'refuse') socket.write(framed("Unknown item 'minecraft:dimond'"));
  else if (said === 'unknown-command') socket.write(framed(UNKNOWN_COMMAND));
  else if (said === undefined || isSilence(said)) return;
  else if (said !== '' || !spoken.has('no-empty-frames')) paced(packetsOf(id, said, spoken), socket);
}

/** The packets of a reply. */
function packetsOf(id: number, text: string, spoken: ReadonlySet<Dialect>): Buffer[] {
  const type = spoken.has('type-2-replies') ? packetType.loginReply : packetType.reply;
  const characters = cut(text.length, 4_096, (from, to) => Buffer.from(text.slice(from, to)));
  const bytes = Buffer.from(text);
  const bodies = spoken.has('pieces-of-2048')
    ? cut(bytes.length, 2_048, (from, to) => bytes.subarray(from, to))
    : spoken.has('one-frame')
      ? [bytes]
      : characters;
  const empty = Buffer.alloc(0);
  if (spoken.has('empty-frame-first')) bodies.unshift(empty);
  if (spoken.has('type-2-replies')) bodies.push(empty);
  const packets = bodies.map((body) => encodePacket({ id, type, body }));
  if (spoken.has('late-frame')) packets.unshift(encodePacket({ id: id - 1, type, body: 'a late reply' }));
  return packets;
}

/** At least one piece: an empty reply is an empty packet. */
const cut = (length: number, size: number, piece: (from: number, to: number) => Buffer): Buffer[] =>
  Array.from({ length: Math.max(1, Math.ceil(length / size)) }, (_, at) => piece(at * size, (at + 1) * size));

/** [RCON-3] An empty packet with a length field of −4, as some real servers send. */
function garbage(id: number): Buffer {
  const packet = encodePacket({ id, type: packetType.reply, body: '' });
  packet.writeInt32LE(-4, 0);
  return packet;
}
