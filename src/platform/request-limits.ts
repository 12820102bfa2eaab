import type { IncomingMessage, Server, ServerOptions, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Cancel, Clock } from '../core/clock.ts';
import { afterOneMoreRead, timeLimit } from '../core/time-limit.ts';

/** How long a request may take to arrive. */
const REQUEST_LIMIT_MS = 15_000;
/** How long an idle connection is kept open after a response. */
const IDLE_LIMIT_MS = 5_000;

/** The options of a server with `RequestLimits`, which replaces Node's own limits: they are enforced before a read. */
export const LIMITED_SERVER = {
  requestTimeout: 0,
  headersTimeout: 0,
  keepAliveTimeout: IDLE_LIMIT_MS,
  maxHeaderSize: 16 * 1024,
} as const satisfies ServerOptions;

interface Connection {
  readonly socket: Socket;
  /** The latest response; null before the first request. */
  response: ServerResponse | null;
  /** What had been read when that response ended. */
  bytesBefore: number;
  cancelLimit: Cancel;
}

/**
 * Ends connections whose request takes too long to arrive, with the same `clientError` event as Node itself, and closes
 * idle ones. A connection that is kept open has 5 seconds more for its next request, since it may be idle first.
 */
export class RequestLimits {
  private readonly connections = new WeakMap<Socket, Connection>();

  constructor(
    private readonly server: Server,
    private readonly clock: Clock,
  ) {
    server.on('connection', (socket: Socket) => this.accept(socket));
    server.on('timeout', (socket: Socket) => this.closeIdle(socket));
  }

  /** Call this when the headers of a request have arrived. */
  track({ socket }: IncomingMessage, response: ServerResponse): void {
    const connection = this.connections.get(socket);
    if (connection === undefined) return;
    connection.response = response;
    response.once('close', () => {
      if (socket.destroyed || connection.response !== response) return;
      connection.bytesBefore = socket.bytesRead;
      this.restart(connection, IDLE_LIMIT_MS + REQUEST_LIMIT_MS);
    });
  }

  private accept(socket: Socket): void {
    const connection = { socket, response: null, bytesBefore: -1, cancelLimit: () => {} };
    this.connections.set(socket, connection);
    this.restart(connection, REQUEST_LIMIT_MS);
    socket.once('close', () => connection.cancelLimit());
  }

  private restart(connection: Connection, limitMs: number): void {
    connection.cancelLimit();
    connection.cancelLimit = timeLimit(this.clock, limitMs, () => this.judge(connection));
  }

  private judge({ socket, response, bytesBefore }: Connection): void {
    const isBeingAnswered = response?.req.complete === true && !response.closed;
    if (isBeingAnswered || socket.bytesRead === bytesBefore) return;
    this.server.emit('clientError', new RequestTimeout(), socket);
  }

  /** The next request may have arrived just now. */
  private closeIdle(socket: Socket): void {
    const { bytesRead } = socket;
    afterOneMoreRead(this.clock, () => {
      if (socket.bytesRead === bytesRead) socket.destroy();
    });
  }
}

class RequestTimeout extends Error {
  readonly code = 'ERR_HTTP_REQUEST_TIMEOUT';
}
