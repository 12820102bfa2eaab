/**
 * What surrounds a compared build, on real sockets: game servers with RCON, the API of a listing, and senders of votes. It is
 * written from the protocols alone, without the codecs of `protocol/`, so that a codec that is written again is compared too.
 */
import { constants, createHmac, createPublicKey, publicEncrypt } from 'node:crypto';
import { once } from 'node:events';
import { createServer as createHttpServer } from 'node:http';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

export const TOKEN = 'a-token-of-the-comparison';
export const WRONG_TOKEN = 'another-token';
export const WEBHOOK_SECRET = 'whsec_of-the-comparison';
export const API_TOKEN = 'vl_of-the-comparison';
export const RCON_PASSWORD = 'of the comparison';
export const LISTING_ID = '2f7b0a3e-5f0c-4c1c-9d1d-0c7a4f6f1a11';

/** A player as a game server lists them. */
export interface Shown {
  readonly name: string;
  readonly uuid: string;
}

/** `lose`: it runs the command and closes without a reply. `refuse`: it does not know the command. `away`: the player has just left. `hang up`: it closes at once. */
export type Fault = 'lose' | 'refuse' | 'away' | 'hang up';

const REPLIES = {
  lose: null,
  refuse: 'Unknown or incomplete command, see below for error',
  away: 'No player was found',
  'hang up': null,
} as const satisfies Record<Fault, string | null>;

export interface Failing {
  readonly kind: Fault;
  readonly player: string;
  /** Only commands of this reward: in which order several are paid may differ. */
  readonly reward: string;
  times: number;
}

const NO_FAULT: Failing = { kind: 'lose', player: '', reward: '', times: 0 };

/** The reward that a command of the configs says it is for. */
export const rewardIn = (command: string): string =>
  (command.split(' ')[command.startsWith('give ') ? 2 : 1] ?? '').replace(/-.*/, '');

/** A command that a game server ran, and when, in wall time of the build. */
export interface Ran {
  readonly at: number;
  readonly command: string;
  readonly reply: string | null;
}

const WHO = /^\/?(?:minecraft:)?list( uuids)?$/;

/** A game server with RCON that lists who it is told, refuses to give items to others, and keeps what it ran. */
export class GameServer {
  port = 0;
  players: readonly Shown[] = [];
  ran: Ran[] = [];
  /** How often something came: connections, questions and commands. */
  traffic = 0;
  private fault: Failing = NO_FAULT;
  private readonly sockets = new Set<Socket>();
  private readonly server = createServer({ noDelay: true }, (socket) => this.serve(socket));

  constructor(private readonly now: () => number) {}

  async open(): Promise<void> {
    this.server.listen(0, '127.0.0.1');
    await once(this.server, 'listening');
    this.port = (this.server.address() as AddressInfo).port;
  }

  close(): void {
    for (const socket of this.sockets) socket.destroy();
    this.server.close();
  }

  /** For another history. */
  startOver(): void {
    this.players = [];
    this.ran = [];
    this.fault = NO_FAULT;
  }

  /** The next commands of a reward for a player fail, or the next connections. */
  fail(fault: Failing): void {
    this.fault = { ...fault };
    if (fault.kind === 'hang up') for (const socket of this.sockets) socket.destroy();
  }

  private serve(socket: Socket): void {
    this.traffic += 1;
    this.sockets.add(socket);
    socket.on('error', () => {});
    socket.on('close', () => this.sockets.delete(socket));
    if (this.fault.kind === 'hang up' && this.fault.times > 0) {
      this.fault.times -= 1;
      socket.destroy();
      return;
    }
    let held = Buffer.alloc(0);
    socket.on('data', (piece: Buffer) => {
      held = Buffer.concat([held, piece]);
      while (held.length >= 4 && held.length >= 4 + held.readInt32LE(0)) {
        const end = 4 + held.readInt32LE(0);
        this.take(socket, held.readInt32LE(4), held.readInt32LE(8), held.toString('utf8', 12, end - 2));
        held = held.subarray(end);
      }
    });
  }

  private take(socket: Socket, id: number, type: number, body: string): void {
    this.traffic += 1;
    const question = WHO.exec(body);
    if (type === 3) write(socket, body === RCON_PASSWORD ? id : -1, 2, '');
    else if (type !== 2) write(socket, id, 0, `Unknown request ${type.toString(16)}`);
    else if (question !== null) write(socket, id, 0, this.list(question[1] !== undefined));
    else {
      const reply = this.run(body);
      this.ran.push({ at: this.now(), command: body, reply });
      if (reply === null) socket.destroy();
      else write(socket, id, 0, reply);
    }
  }

  private list(withUuids: boolean): string {
    const shown = this.players.map(({ name, uuid }) => (withUuids ? `${name} (${uuid})` : name));
    return `There are ${shown.length} of a max of 20 players online: ${shown.join(', ')}`;
  }

  /** @returns null: no reply comes. */
  private run(command: string): string | null {
    const { kind, player, reward } = this.fault;
    const isMeant = command.split(' ').includes(player) && rewardIn(command) === reward;
    const isFailing = kind !== 'hang up' && isMeant;
    if (isFailing && this.fault.times > 0) {
      this.fault.times -= 1;
      return REPLIES[kind];
    }
    const [verb, name = '', what] = command.split(' ');
    if (verb !== 'give') return '';
    const isHere = this.players.some((player) => player.name === name);
    return isHere ? `Gave 1 [${what}] to ${name}` : REPLIES.away;
  }
}

function write(socket: Socket, id: number, type: number, body: string): void {
  const bytes = Buffer.from(body);
  const packet = Buffer.alloc(14 + bytes.length);
  packet.writeInt32LE(10 + bytes.length, 0);
  packet.writeInt32LE(id, 4);
  packet.writeInt32LE(type, 8);
  bytes.copy(packet, 12);
  socket.write(packet);
}

/** A vote as its listing knows it. */
export interface ListedVote {
  readonly id: string;
  readonly userId: string;
  readonly player: string;
  readonly castAt: number;
}

/** The developer API of a listing: its votes, newest first, at most 100 of the time that is asked for. */
export class ListingApi {
  port = 0;
  votes: ListedVote[] = [];
  isUp = true;
  traffic = 0;
  private readonly server = createHttpServer((request, response) => {
    this.traffic += 1;
    response.sendDate = false;
    response.setHeader('Date', new Date(this.now()).toUTCString());
    response.setHeader('Content-Type', 'application/json');
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://localhost');
    const isAllowed = request.headers.authorization === `Bearer ${API_TOKEN}`;
    response.statusCode = !this.isUp ? 503 : isAllowed && pathname === '/api/v1/webhooks/votes' ? 200 : 404;
    response.end(JSON.stringify(response.statusCode === 200 ? this.found(searchParams) : {}));
  });

  constructor(private readonly now: () => number) {}

  async open(): Promise<void> {
    this.server.listen(0, '127.0.0.1');
    await once(this.server, 'listening');
    this.port = (this.server.address() as AddressInfo).port;
  }

  close(): void {
    this.server.closeAllConnections();
    this.server.close();
  }

  private found(asked: URLSearchParams): readonly object[] {
    const from = Date.parse(asked.get('startDate') ?? '1970-01-01');
    const until = Date.parse(asked.get('endDate') ?? '9999-01-01');
    return this.votes
      .filter(({ castAt }) => castAt >= from && castAt <= until)
      .sort((a, b) => b.castAt - a.castAt || (a.id < b.id ? 1 : -1))
      .slice(0, Number(asked.get('limit') ?? 50))
      .map(({ id, userId, player, castAt }) => ({
        ...{ id, userId, votedAt: new Date(castAt).toISOString() },
        metadata: { playerName: player },
      }));
  }
}

/** A vote as it is sent to the listener. */
export interface SentVote {
  readonly service: string;
  readonly player: string;
  readonly timestamp: string;
}

const ADDRESS = '192.0.2.7';

/** Version 2. @returns what the listener answers. */
export async function sendV2(
  port: number,
  { service, player, timestamp }: SentVote,
  token: string,
): Promise<string> {
  const socket = connect({ host: '127.0.0.1', port, noDelay: true });
  let received = '';
  socket.setEncoding('utf8');
  for await (const piece of socket as AsyncIterable<string>) {
    const isGreeted = received.includes('\n');
    received += piece;
    if (isGreeted || !received.includes('\n')) continue;
    const challenge = received.split('\n')[0]?.split(' ')[2] ?? '';
    const payload = JSON.stringify({
      serviceName: service,
      username: player,
      address: ADDRESS,
      timestamp,
      challenge,
    });
    const signature = createHmac('sha256', token).update(payload).digest('base64');
    const body = Buffer.from(JSON.stringify({ payload, signature }));
    const head = Buffer.from([0x73, 0x3a, body.length >> 8, body.length & 255]);
    socket.write(Buffer.concat([head, body]));
  }
  return received.slice(received.indexOf('\n') + 1).trim();
}

/** Version 1. @param publicKey as its file has it: base64. @returns what came after the greeting, before the listener closed. */
export async function sendV1(
  port: number,
  { service, player, timestamp }: SentVote,
  publicKey: string,
): Promise<string> {
  const text = `VOTE\n${service}\n${player}\n${ADDRESS}\n${timestamp}\n`;
  const key = createPublicKey({ key: Buffer.from(publicKey, 'base64'), format: 'der', type: 'spki' });
  const block = publicEncrypt({ key, padding: constants.RSA_PKCS1_PADDING }, Buffer.from(text));
  const socket = connect({ host: '127.0.0.1', port, noDelay: true });
  let received = '';
  socket.setEncoding('utf8');
  for await (const piece of socket as AsyncIterable<string>) {
    if (received === '') socket.write(block);
    received += piece;
  }
  return received.slice(received.indexOf('\n') + 1).trim();
}

/** The signed webhook of a Minecraft listing. @returns the status of the answer. */
export async function postVote(url: string, vote: ListedVote, now: number): Promise<string> {
  const iso = (at: number): string => new Date(at).toISOString();
  const { id, userId, player, castAt } = vote;
  const data = {
    ...{ listingId: LISTING_ID, listingType: 'game', userId, votedAt: iso(castAt) },
    ...{ nextVoteAt: iso(castAt + 86_400_000), weight: 1, game: 'minecraft', playerName: player },
  };
  const body = JSON.stringify({
    event: 'vote.created',
    version: 1,
    eventId: id,
    timestamp: iso(now),
    test: false,
    data,
  });
  const signature = `sha256=${createHmac('sha256', WEBHOOK_SECRET).update(body).digest('hex')}`;
  const headers = { 'Content-Type': 'application/json', 'X-Webhook-Signature': signature };
  const { status } = await fetch(url, { method: 'POST', headers, body });
  return String(status);
}
