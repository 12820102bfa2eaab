import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import {
  type WebhookClosingCode,
  type WebhookRefusalCode,
  webhookRefusals,
} from '../../../protocol/webhook/refusals.ts';
import { plainAddress } from '../../core/address.ts';
import type { Cancel } from '../../core/clock.ts';
import { WEBHOOK_CONNECTIONS_MAX } from '../../core/connection-caps.ts';
import { type ConnectionLimits, type OpenConnection, OpenConnections } from '../../core/open-connections.ts';
import { timeLimit } from '../../core/time-limit.ts';
import { type ListeningAddress, listen } from '../../platform/listen.ts';
import { Receiver, type ReceiverParts, type ReceiverSettings } from './receiver.ts';

export interface WebhookInParts extends ReceiverParts, Partial<ConnectionLimits> {
  readonly host: string;
  /** 0 for a free one. */
  readonly port: number;
}

/** From the connection to the end of the request; listing services give up by then. */
export const REQUEST_LIMIT_MS = 10_000;
/** How long requests in progress may continue when the process stops. */
export const CLOSE_GRACE_MS = 1_000;
const LIMITS: ConnectionLimits = {
  maxConnections: WEBHOOK_CONNECTIONS_MAX,
  maxConnectionsPerAddress: 128,
};
/** Node's own limits use timers that tests cannot control, so one limit of ours replaces them. */
const SERVER = { requestTimeout: 0, headersTimeout: 0, keepAliveTimeout: 0, maxHeaderSize: 16 * 1024 };

interface Connection extends OpenConnection {
  readonly socket: Socket;
  /** The only request on this connection; null until its headers have come. */
  request: IncomingMessage | null;
  /** Whether the request is complete, so that it is being judged and answered. */
  isComplete: boolean;
  cancelLimit: Cancel;
}

/** The HTTP server for the signed webhooks of the listing services. Each site has a path. */
export class WebhookIn {
  private readonly server: Server;
  private readonly open: OpenConnections;
  private readonly connections = new WeakMap<Duplex, Connection>();
  private readonly receiver: Receiver;
  private readonly inProgress = new Set<Promise<void>>();

  /** Throws the Problem `secret-missing`. */
  constructor(private readonly parts: WebhookInParts) {
    this.open = new OpenConnections({ ...LIMITS, ...parts }, parts.clock);
    this.receiver = new Receiver(parts);
    const serve = (request: IncomingMessage, response: ServerResponse) => this.serve(request, response);
    this.server = createServer(SERVER, serve);
    this.server.on('checkExpectation', serve); // requests with an Expect header are answered like others
    this.server.maxRequestsPerSocket = 1;
    this.server.on('connection', (socket) => this.accept(socket));
    this.server.on('clientError', (error, socket) => this.refuseBytes(error, socket));
  }

  /** Throws a Problem: `port-in-use`, `port-not-allowed`. */
  listen(): Promise<ListeningAddress> {
    const { host, port } = this.parts;
    return listen(this.server, {
      host,
      port,
      key: 'webhook.port in the config',
      likelyHolder: 'another Teller, or another web server',
      bothFamilies: true,
    });
  }

  /** Applies to requests that are judged from now on. Throws the Problem `secret-missing`. */
  apply(settings: ReceiverSettings): void {
    this.receiver.apply(settings);
  }

  /** Stops accepting, finishes the votes that are being stored, and closes the rest after a moment. */
  async close(): Promise<void> {
    const closed = new Promise<void>((resolve) => this.server.close(() => resolve()));
    const cancelGrace = timeLimit(this.parts.clock, CLOSE_GRACE_MS, () => {
      for (const connection of this.open.all) (connection as Connection).socket.destroy();
    });
    await closed;
    cancelGrace();
    this.open.end();
    await Promise.all(this.inProgress);
  }

  private accept(socket: Socket): void {
    const connection: Connection = {
      address: plainAddress(socket.remoteAddress ?? ''),
      openedAt: this.parts.clock.monotonic(),
      socket,
      request: null,
      isComplete: false,
      cancelLimit: () => {},
      evict: () => this.closeUnanswered(connection, 'no-room'),
    };
    if (!this.open.add(connection)) {
      connection.evict();
      return;
    }
    this.connections.set(socket, connection);
    this.limit(connection);
    socket.once('close', () => {
      connection.cancelLimit();
      this.open.remove(connection);
    });
  }

  /** The timer restarts while a vote is being stored or its answer has not been read yet. */
  private limit(connection: Connection): void {
    connection.cancelLimit = timeLimit(this.parts.clock, REQUEST_LIMIT_MS, () => {
      if (!connection.isComplete) this.closeUnanswered(connection, 'too-slow');
      else if (connection.socket.writableEnded) connection.socket.destroy();
      else this.limit(connection);
    });
  }

  private closeUnanswered({ socket, address }: Connection, code: WebhookClosingCode): void {
    socket.destroy();
    this.parts.refusals.count(`webhook-${code}`, null, address);
  }

  private serve(request: IncomingMessage, response: ServerResponse): void {
    const connection = this.connections.get(request.socket);
    if (connection === undefined) {
      request.socket.destroy(); // it was evicted while its bytes were on the way
      return;
    }
    connection.request = request;
    const work = this.receiver.take(request, response, {
      address: connection.address === '' ? null : connection.address,
      onRequest: () => {
        connection.isComplete = true;
        this.open.markDeciding(connection);
      },
    });
    this.inProgress.add(work);
    void work.finally(() => this.inProgress.delete(work));
  }

  /** Called for bytes that are not HTTP, such as TLS, and for connections that were reset. */
  private refuseBytes({ code = '' }: NodeJS.ErrnoException, socket: Duplex): void {
    const connection = this.connections.get(socket);
    const isParserFault = code.startsWith('HPE_');
    const isComplete = connection?.isComplete === true || connection?.request?.complete === true;
    // Bytes after a complete request: an answer to them would be mistaken for the answer to the request.
    if (isParserFault && isComplete) return;
    // Nothing was sent: a load balancer that checks whether the port is open disconnects like this every few seconds.
    const isEmpty = connection?.socket.bytesRead === 0;
    if (connection === undefined || isComplete || isEmpty) {
      socket.destroy();
    } else if (!isParserFault || code === 'HPE_INVALID_EOF_STATE') {
      this.closeUnanswered(connection, 'incomplete');
    } else if (socket.writable) {
      this.answerBytes(connection, code === 'HPE_HEADER_OVERFLOW' ? 'headers-too-large' : 'not-http');
    }
  }

  /** Without a request there is no response object, so the answer is written to the socket. */
  private answerBytes({ socket, address }: Connection, code: WebhookRefusalCode): void {
    const { status, hears } = webhookRefusals[code];
    const text = `${hears} [${code}]\n`;
    const head = `HTTP/1.1 ${status} Refused\r\nConnection: close\r\nContent-Type: text/plain; charset=utf-8`;
    socket.end(`${head}\r\nContent-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`, () =>
      socket.destroy(),
    );
    this.parts.refusals.count(`webhook-${code}`, null, address);
  }
}
