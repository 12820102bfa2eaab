import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { Duplex } from 'node:stream';
import type { WebSocket } from 'ws';
import { authorizationOf } from '../../protocol/management/client.ts';
import { LIST_METHOD, MESSAGE_MAX_BYTES } from '../../protocol/management/message.ts';
import {
  encodeMethodUnknown,
  encodeNotice,
  encodePlayers,
  type Request,
  readRequests,
} from '../../protocol/management/server.ts';
import { commonJs } from '../core/common-js.ts';
import { listen } from '../platform/listen.ts';
import { uuidOf } from './list.ts';
import type { Shown, World } from './world.ts';

const { WebSocketServer } = commonJs('ws') as typeof import('ws');

export interface ManagementSettings {
  readonly host: string;
  /** 0: any free port. */
  readonly port: number;
  readonly secret: string;
  readonly world: World;
  /** Whether the practice server has crashed and is not back yet. */
  readonly isDown: () => boolean;
}

/** The server management protocol of a practice server. */
export interface PracticeManagement {
  readonly port: number;
  readonly secret: string;
  /** Ends every connection, as a crash does. */
  drop(): void;
  close(): Promise<void>;
}

const CONNECTIONS_MAX = 64;
const UNAUTHORIZED = 'HTTP/1.1 401 Unauthorized\r\nConnection: close\r\nContent-Length: 0\r\n\r\n';

/** Resolves once it listens. @throws Problem `port-in-use`, `port-not-allowed` */
export async function startManagement(settings: ManagementSettings): Promise<PracticeManagement> {
  const { host, port, secret, world, isDown } = settings;
  const server = createServer((_, response) => response.writeHead(404).end());
  server.maxConnections = CONNECTIONS_MAX;
  const sockets = new WebSocketServer({ noServer: true, maxPayload: MESSAGE_MAX_BYTES });
  server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    socket.on('error', () => {});
    if (isDown()) socket.destroy();
    // [MP-1]
    else if (request.headers.authorization !== authorizationOf(secret)) socket.end(UNAUTHORIZED);
    else sockets.handleUpgrade(request, socket, head, (opened) => serve(opened, world));
  });
  world.onPresence = (kind, player) => {
    for (const socket of sockets.clients) socket.send(encodeNotice(kind, shown(player), 'new'), () => {});
  };
  const address = await listen(server, {
    ...{ host, port, key: '--management-port', likelyHolder: 'another practice server' },
  });
  const drop = (): void => {
    for (const socket of sockets.clients) socket.terminate();
  };
  return { port: address.port, secret, drop, close: () => closed(server, drop) };
}

function serve(socket: WebSocket, world: World): void {
  socket.on('error', () => {});
  socket.on('message', (data, isBinary) => {
    if (isBinary) return;
    for (const request of readRequests(String(data))) socket.send(answerTo(request, world), () => {});
  });
}

const answerTo = ({ id, method }: Request, world: World): string =>
  method === LIST_METHOD ? encodePlayers(id, world.online().map(shown)) : encodeMethodUnknown(id, method);

const shown = (player: Shown) => ({ name: player.name, uuid: uuidOf(player) });

async function closed(server: Server, drop: () => void): Promise<void> {
  const ended = once(server, 'close');
  server.close();
  drop();
  server.closeAllConnections();
  await ended;
}
