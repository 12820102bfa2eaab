import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { SIGNATURE_HEADER, verifySignature } from '../../protocol/webhook/signature.ts';
import type { Random } from '../../src/core/random.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { readBody } from '../../src/platform/request-body.ts';
import type { KillTriggers } from './kill-triggers.ts';
import { ReceivedCommands, type Reply } from './received-commands.ts';

export const RECEIVER_SECRET = 'crash-city-secret';
/** How long Teller waits for an answer. Some answers come later. */
export const RECEIVER_TIMEOUT_MS = 300;
const MAX_HANG_MS = 500;

type Behaviour = 'answer' | 'hang' | 'fault' | 'refuse' | 'close' | 'break-off';

/** The probability of each fault. Teller pauses for a second after most of them, so few fit into one lifetime. */
const CHANCES: readonly (readonly [Behaviour, number])[] = [
  ['hang', 0.1],
  ['fault', 0.05],
  ['refuse', 0.05],
  ['close', 0.05],
  ['break-off', 0.05],
];

const REPLY: Readonly<Record<Behaviour, Reply>> = {
  ...{ answer: 'confirmed', hang: 'confirmed', refuse: 'refused' },
  ...{ fault: 'neither', close: 'neither', 'break-off': 'neither' },
};

/** The game server of kind `http`. It accepts signed commands and counts them; some answers are missing or cut off. */
export class HttpReceiver {
  readonly received = new ReceivedCommands();
  /** Requests that it must not get, in words. */
  readonly faults: string[] = [];
  private readonly ids = new Set<string>();
  private readonly server: Server;
  private areFaultsOff = false;

  private constructor(
    private readonly random: Random,
    private readonly triggers: KillTriggers,
  ) {
    this.server = createServer((request, response) => void this.handle(request, response));
  }

  static async start(random: Random, triggers: KillTriggers): Promise<HttpReceiver> {
    const receiver = new HttpReceiver(random, triggers);
    await new Promise<void>((resolve) => receiver.server.listen(0, '127.0.0.1', resolve));
    return receiver;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/commands`;
  }

  /** From now on it answers every command. */
  stopFaults(): void {
    this.areFaultsOff = true;
  }

  close(): void {
    this.server.closeAllConnections();
    this.server.close();
  }

  private async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await readBody(request);
    if (!Buffer.isBuffer(body)) return; // Teller was killed before it had sent everything.
    const behaviour = this.behaviour();
    this.count(body, request.headers[SIGNATURE_HEADER.toLowerCase()], REPLY[behaviour]);
    this.triggers.fire(behaviour === 'hang' ? 'hang' : 'command');
    await this.answer(response, behaviour);
  }

  private count(body: Buffer, signature: string | string[] | undefined, reply: Reply): void {
    if (typeof signature !== 'string' || !verifySignature(signature, body, RECEIVER_SECRET)) {
      this.faults.push(`a command with a wrong signature was received: ${body}`);
      return;
    }
    const { id, command, server } = JSON.parse(body.toString());
    if (this.ids.has(id)) this.faults.push(`the command ID ${id} was received twice (“${command}”)`);
    if (server !== 'city') this.faults.push(`“${command}” was received for the game server ${server}`);
    this.ids.add(id);
    this.received.add(command, reply);
  }

  private behaviour(): Behaviour {
    if (this.areFaultsOff) return 'answer';
    let left = this.random.next();
    if (this.triggers.isAwaited('hang')) return 'hang';
    for (const [behaviour, chance] of CHANCES) {
      left -= chance;
      if (left < 0) return behaviour;
    }
    return 'answer';
  }

  private async answer(response: ServerResponse, behaviour: Behaviour): Promise<void> {
    switch (behaviour) {
      case 'answer':
        response.end('done');
        return;
      case 'hang':
        await this.pause();
        response.end('done late');
        return;
      case 'fault':
        response.writeHead(500).end('internal error');
        return;
      case 'refuse':
        response.writeHead(422).end('no such user');
        return;
      case 'close':
        response.destroy();
        return;
      case 'break-off':
        response.writeHead(200, { 'content-length': 100 });
        response.write('done', () => response.destroy());
    }
  }

  private pause(): Promise<void> {
    const ms = this.random.next() * MAX_HANG_MS;
    return new Promise((resolve) => systemClock.after(ms, () => resolve()));
  }
}
