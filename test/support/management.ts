import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { onTestFinished } from 'vitest';
import { type WebSocket, WebSocketServer } from 'ws';
import { LIST_METHOD, type NoticeKind, type NoticeNaming } from '../../protocol/management/message.ts';
import type { ManagementPlayer } from '../../protocol/management/players.ts';
import {
  encodeMethodUnknown,
  encodeNotice,
  encodePlayers,
  type Request,
  readRequests,
} from '../../protocol/management/server.ts';
import type { SelfSigned } from './certificate.ts';

export const MANAGEMENT_SECRET = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMN';

/** Answers one request instead of the server. */
export type Script = (request: Request, socket: WebSocket) => void;

export const methodUnknown: Script = ({ id, method }, socket) => socket.send(encodeMethodUnknown(id, method));

/** A game server's management protocol on a free port. The test says who is online, and may script its answers. */
export class ManagementServer {
  players: ManagementPlayer[] = [];
  script: Script | null = null;
  naming: NoticeNaming = 'new';
  /** What was asked, in order. */
  readonly methods: string[] = [];
  private readonly sockets = new Set<WebSocket>();
  private readonly websockets = new WebSocketServer({ noServer: true });
  private waiting: (() => void)[] = [];

  constructor(
    private readonly server: Server,
    private readonly scheme: 'ws' | 'wss',
  ) {
    server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
      socket.on('error', () => {});
      if (request.headers.authorization !== `Bearer ${MANAGEMENT_SECRET}`) {
        socket.end('HTTP/1.1 401 Unauthorized\r\nContent-Length: 0\r\n\r\n');
        return;
      }
      this.websockets.handleUpgrade(request, socket, head, (opened) => this.serve(opened));
    });
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  get url(): string {
    return `${this.scheme}://127.0.0.1:${this.port}`;
  }

  /** Resolves when this has been asked so many times in all. */
  async asked(count: number): Promise<void> {
    while (this.methods.length < count) await new Promise<void>((resolve) => this.waiting.push(resolve));
  }

  join(player: ManagementPlayer): void {
    this.players = [...this.players.filter(({ name }) => name !== player.name), player];
    this.tell('joined', player);
  }

  leave(player: ManagementPlayer): void {
    this.players = this.players.filter(({ name }) => name !== player.name);
    this.tell('left', player);
  }

  tell(kind: NoticeKind, player: ManagementPlayer): void {
    this.send(encodeNotice(kind, player, this.naming));
  }

  send(text: string): void {
    for (const socket of this.sockets) socket.send(text);
  }

  /** Ends every connection. */
  drop(): void {
    for (const socket of this.sockets) socket.terminate();
  }

  close(): void {
    this.drop();
    this.server.close();
    this.server.closeAllConnections();
  }

  private serve(socket: WebSocket): void {
    this.sockets.add(socket);
    socket.on('error', () => {});
    socket.on('close', () => this.sockets.delete(socket));
    socket.on('message', (data) => {
      for (const request of readRequests(String(data))) this.answer(request, socket);
    });
  }

  private answer(request: Request, socket: WebSocket): void {
    if (this.script !== null) this.script(request, socket);
    else if (request.method === LIST_METHOD) socket.send(encodePlayers(request.id, this.players));
    else methodUnknown(request, socket);
    this.methods.push(request.method);
    for (const wake of this.waiting.splice(0)) wake();
  }
}

/** Closed when the test ends. */
export async function managementServer(tls?: SelfSigned): Promise<ManagementServer> {
  const plain = tls === undefined ? createServer() : createTlsServer({ key: tls.key, cert: tls.cert });
  plain.on('request', (_, response) => response.writeHead(404).end());
  const server = new ManagementServer(plain, tls === undefined ? 'ws' : 'wss');
  plain.listen(0, '127.0.0.1');
  await once(plain, 'listening');
  onTestFinished(() => server.close());
  return server;
}

export const STEVE = { name: 'Steve', uuid: '069a79f4-44e9-4726-a5be-fca90e38aaf5' };
export const BEDROCK = { name: '.Bedrock', uuid: '00000000-0000-0000-0009-01f64f65c7c3' };
