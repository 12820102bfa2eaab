import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { plainAddress, withinNetworks } from '../core/address.ts';
import type { Clock } from '../core/clock.ts';
import { type ConnectionLimits, type OpenConnection, OpenConnections } from '../core/open-connections.ts';

/** A browser opens six; with a whole household behind one address there is room for ten of them. */
const LIMITS: ConnectionLimits = { maxConnections: 512, maxConnectionsPerAddress: 64 };

/** Trusted proxies are not in the bookkeeping. Connections must not take the sockets that deliveries need. */
const WITH_PROXIES_MAX = 1024;

interface Connection extends OpenConnection {
  /** That of the request in progress. */
  response: ServerResponse | null;
}

/**
 * Who has to go when a page server has too many connections (rule 11): those without a whole request, from the busiest
 * address first. Connections that are kept open after an answer go before all others.
 */
export class PageConnections {
  private readonly open: OpenConnections;
  private readonly isProxy: (address: string) => boolean;
  private readonly connections = new WeakMap<Duplex, Connection>();

  /** @param trustedProxies networks whose connections belong to many clients, and are not limited by address. */
  constructor(
    server: Server,
    private readonly clock: Clock,
    trustedProxies: readonly string[],
  ) {
    this.open = new OpenConnections(LIMITS, clock);
    this.isProxy = withinNetworks(trustedProxies);
    server.maxConnections = WITH_PROXIES_MAX;
    server.on('connection', (socket) => this.accept(socket));
  }

  /** A request's headers have come. */
  begins(request: IncomingMessage, response: ServerResponse): void {
    const connection = this.connections.get(request.socket);
    if (connection === undefined) return;
    connection.response = response;
    // It may have been kept open after an earlier answer.
    this.open.remove(connection);
    this.open.add(connection);
    if (hasBody(request)) request.once('end', () => this.open.decides(connection));
    else this.open.decides(connection);
    response.once('close', () => {
      if (connection.response === response) connection.response = null;
      if (!request.socket.destroyed) this.open.settles(connection);
    });
  }

  /** Whether the beginning of an answer is on its way, so that no other one can be written. */
  isAnswered(socket: Duplex): boolean {
    return this.connections.get(socket)?.response?.headersSent === true;
  }

  /** What was asked for, where a request's headers have come and its answer has not begun. */
  askedFor(socket: Duplex): string | null {
    const response = this.connections.get(socket)?.response;
    return response === undefined || response === null || response.headersSent
      ? null
      : (response.req.url ?? null);
  }

  end(): void {
    this.open.end();
  }

  private accept(socket: Socket): void {
    const address = plainAddress(socket.remoteAddress ?? '');
    if (this.isProxy(address)) return;
    const openedAt = this.clock.monotonic();
    const connection: Connection = { address, openedAt, response: null, evict: () => socket.destroy() };
    if (!this.open.add(connection)) {
      socket.destroy();
      return;
    }
    this.connections.set(socket, connection);
    socket.once('close', () => this.open.remove(connection));
  }
}

const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
