import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { plainAddress, withinNetworks } from '../core/address.ts';
import type { Clock } from '../core/clock.ts';
import { type ConnectionLimits, type OpenConnection, OpenConnections } from '../core/open-connections.ts';

/** A browser opens up to six connections, so there is room for ten browsers behind one address. */
const LIMITS: ConnectionLimits = { maxConnections: 512, maxConnectionsPerAddress: 64 };

/** The limit per address does not apply to trusted proxies; this cap on all connections does. It leaves sockets for deliveries. */
const WITH_PROXIES_MAX = 1024;

interface Connection extends OpenConnection {
  /** The response to the request in progress. */
  response: ServerResponse | null;
}

/**
 * Closes connections when a page server has too many (rule 11). Idle connections that were kept open after a response go
 * first, then those without a complete request, starting with the address that has the most.
 */
export class PageConnections {
  private readonly open: OpenConnections;
  private readonly isProxy: (address: string) => boolean;
  private readonly connections = new WeakMap<Duplex, Connection>();

  /** @param trustedProxies networks of proxies, each of which carries many clients, so they have no limit per address. */
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

  /** Call this when the headers of a request have arrived. */
  trackRequest(request: IncomingMessage, response: ServerResponse): void {
    const connection = this.connections.get(request.socket);
    if (connection === undefined) return;
    connection.response = response;
    // The connection may have been kept open after an earlier response.
    this.open.remove(connection);
    this.open.add(connection);
    if (hasBody(request)) request.once('end', () => this.open.markDeciding(connection));
    else this.open.markDeciding(connection);
    response.once('close', () => {
      if (connection.response === response) connection.response = null;
      if (!request.socket.destroyed) this.open.markAnswered(connection);
    });
  }

  /** Whether a response has started, so that no other one can be written. */
  isAnswered(socket: Duplex): boolean {
    return this.connections.get(socket)?.response?.headersSent === true;
  }

  /** The requested URL, if a request's headers have arrived and its response has not started; else null. */
  requestedUrl(socket: Duplex): string | null {
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
