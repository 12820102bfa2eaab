import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { SIGNATURE_HEADER, verifySignature } from '../../protocol/webhook/signature.ts';
import type { Random } from '../../src/core/random.ts';
import { systemClock } from '../../src/runtime/clock.ts';
import { readBody } from '../../src/runtime/request-body.ts';
import { type Answered, HeardCommands } from './heard.ts';
import type { Moments } from './moments.ts';

export const RECEIVER_SECRET = 'crash-city-secret';
/** How long Teller waits for an answer; some come later. */
export const RECEIVER_PATIENCE_MS = 300;
const HANG_MOST_MS = 500;

type Manner = 'answer' | 'hang' | 'fault' | 'refuse' | 'close' | 'break-off';

/** How likely each misbehaviour is. Teller rests for a second after most of them, so that few fit into one life. */
const CHANCES: readonly (readonly [Manner, number])[] = [
  ['hang', 0.1],
  ['fault', 0.05],
  ['refuse', 0.05],
  ['close', 0.05],
  ['break-off', 0.05],
];

const ANSWERED: Readonly<Record<Manner, Answered>> = {
  ...{ answer: 'confirmed', hang: 'confirmed', refuse: 'refused' },
  ...{ fault: 'neither', close: 'neither', 'break-off': 'neither' },
};

/** The game server of kind `http`: it takes signed commands, keeps each, and now and then leaves it in doubt. */
export class HttpReceiver {
  readonly heard = new HeardCommands();
  /** What must not come. */
  readonly faults: string[] = [];
  private readonly ids = new Set<string>();
  private readonly server: Server;
  private isCalm = false;

  private constructor(
    private readonly random: Random,
    private readonly moments: Moments,
  ) {
    this.server = createServer((request, response) => void this.take(request, response));
  }

  static async start(random: Random, moments: Moments): Promise<HttpReceiver> {
    const receiver = new HttpReceiver(random, moments);
    await new Promise<void>((resolve) => receiver.server.listen(0, '127.0.0.1', resolve));
    return receiver;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/commands`;
  }

  /** From now on it answers everything. */
  calmDown(): void {
    this.isCalm = true;
  }

  close(): void {
    this.server.closeAllConnections();
    this.server.close();
  }

  private async take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await readBody(request);
    if (!Buffer.isBuffer(body)) return; // it died before all of it was written
    const manner = this.manner();
    this.keep(body, request.headers[SIGNATURE_HEADER.toLowerCase()], ANSWERED[manner]);
    this.moments.happened(manner === 'hang' ? 'hang' : 'command');
    await this.answer(response, manner);
  }

  private keep(body: Buffer, signature: string | string[] | undefined, answered: Answered): void {
    if (typeof signature !== 'string' || !verifySignature(signature, body, RECEIVER_SECRET)) {
      this.faults.push(`a command came that is not rightly signed: ${body}`);
      return;
    }
    const { id, command, server } = JSON.parse(body.toString());
    if (this.ids.has(id)) this.faults.push(`the command id ${id} came twice (“${command}”)`);
    if (server !== 'city') this.faults.push(`“${command}” came for the game server ${server}`);
    this.ids.add(id);
    this.heard.add(command, answered);
  }

  private manner(): Manner {
    if (this.isCalm) return 'answer';
    let left = this.random.next();
    if (this.moments.isAwaited('hang')) return 'hang';
    for (const [manner, chance] of CHANCES) {
      left -= chance;
      if (left < 0) return manner;
    }
    return 'answer';
  }

  private async answer(response: ServerResponse, manner: Manner): Promise<void> {
    switch (manner) {
      case 'answer':
        response.end('done');
        return;
      case 'hang':
        await this.pause();
        response.end('done at last');
        return;
      case 'fault':
        response.writeHead(500).end('it fell over');
        return;
      case 'refuse':
        response.writeHead(422).end('nobody of that id');
        return;
      case 'close':
        response.destroy();
        return;
      case 'break-off':
        response.writeHead(200, { 'content-length': 100 });
        response.write('done, and', () => response.destroy());
    }
  }

  private pause(): Promise<void> {
    const ms = this.random.next() * HANG_MOST_MS;
    return new Promise((resolve) => systemClock.after(ms, () => resolve()));
  }
}
