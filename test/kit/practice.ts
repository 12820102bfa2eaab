/** A practice server in the process of the test, and a client that says to it exactly what the test says. */
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { encodePacket, RconReader } from '../../protocol/rcon.ts';
import { temporaryFolder } from '../support/folder.ts';
import { type Around, service } from './service.ts';

export const PASSWORD = 'correct horse';
/** No fault affects the connection of a login with this ID. */
const CONTROL_ID = 20_563;

interface Address {
  readonly host: string;
  readonly port: number;
}

export async function practiceServer(around: Around = {}, log = fileForRecord()) {
  const words = ['practice', '--password', PASSWORD, '--log', log, '--json'];
  const { host, port } = (await service(words, around)).ready.practiceServer as Address;
  const control = await RawClient.loggedIn({ host, port }, CONTROL_ID);
  /** Says something that no fault affects. @returns the reply */
  const say = (command: string) => control.ask(command);
  const record = (): readonly { readonly command: string }[] => {
    const lines = existsSync(log) ? readFileSync(log, 'utf8').split('\n') : [];
    return lines.filter((line) => line !== '').map((line) => JSON.parse(line));
  };
  return {
    ...{ host, port, say, record },
    /** The commands that ran, in order, as its record has them. */
    ran: () => record().map(({ command }) => command),
    join: (player: string) => say(`practice join "${player}"`),
    /** Switches a fault on, until it is cleared or for so many commands or logins. */
    fault: (name: string, times?: number) =>
      say(`practice fault ${name}${times === undefined ? '' : ` for ${times}`}`),
  };
}

export const fileForRecord = (): string => join(temporaryFolder(), 'commands.log');

export interface RawPacket {
  readonly id: number;
  readonly type: number;
  readonly body: string;
}

/** A client that sends exactly what the test says and returns exactly what it receives. */
export class RawClient {
  private readonly reader = new RconReader();
  private readonly packets: RawPacket[] = [];
  private readonly bytes: Buffer[] = [];
  private ended = false;
  private news: () => void = () => {};

  private constructor(private readonly socket: Socket) {
    socket.on('data', (chunk: Buffer) => {
      this.bytes.push(chunk);
      const { packets } = this.reader.push(chunk);
      this.packets.push(...packets.map(({ id, type, body }) => ({ id, type, body: body.toString('utf8') })));
      this.news();
    });
    socket.on('error', () => {});
    socket.on('close', () => {
      this.ended = true;
      this.news();
    });
    onTestFinished(() => {
      socket.destroy();
    });
  }

  static async open({ host, port }: Address): Promise<RawClient> {
    const socket = connect({ host, port, noDelay: true });
    await once(socket, 'connect');
    return new RawClient(socket);
  }

  static async loggedIn(at: Address, id = 1): Promise<RawClient> {
    const raw = await RawClient.open(at);
    raw.send({ id, type: 3, body: PASSWORD });
    await raw.next();
    return raw;
  }

  send(...packets: RawPacket[]): void {
    this.write(Buffer.concat(packets.map(encodePacket)));
  }

  write(bytes: Buffer): void {
    this.socket.write(bytes);
  }

  /** Sends one command. @returns the body of the next packet, or `closed`. */
  async ask(command: string): Promise<string> {
    this.send({ id: 2, type: 2, body: command });
    const reply = await this.next();
    return reply === 'closed' ? reply : reply.body;
  }

  /** The next packet, or `closed`. */
  async next(): Promise<RawPacket | 'closed'> {
    while (this.packets.length === 0 && !this.ended) await this.somethingNew();
    return this.packets.shift() ?? 'closed';
  }

  /** Everything that was received, once it is at least this much or the server has closed. */
  async received(count = Number.POSITIVE_INFINITY): Promise<Buffer> {
    while (Buffer.concat(this.bytes).length < count && !this.ended) await this.somethingNew();
    return Buffer.concat(this.bytes);
  }

  private somethingNew(): Promise<void> {
    return new Promise((resolve) => {
      this.news = resolve;
    });
  }
}
