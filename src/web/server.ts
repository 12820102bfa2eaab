import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { isIP } from 'node:net';
import type { Duplex } from 'node:stream';
import type { HttpBindings } from '@hono/node-server';
import { isLoopback, plainAddress, withinNetworks } from '../core/address.ts';
import type { Clock } from '../core/clock.ts';
import { INTERVAL_MS, IntervalTally } from '../core/interval-tally.ts';
import type { Log } from '../core/log.ts';
import { Problem } from '../core/problem.ts';
import { timeLimit } from '../core/time-limit.ts';
import { type ListeningAddress, type ListenOptions, listen } from '../platform/listen.ts';
import { LIMITED_SERVER, RequestLimits } from '../platform/request-limits.ts';
import { PageConnections } from './page-connections.ts';
import {
  FAULT_HEADERS,
  type FaultBody,
  faultBytes,
  faultCodeOf,
  faultOf,
  pathIn,
  pathOfUrl,
  plainFaultBody,
  type ServerFaultCode,
} from './server-faults.ts';

/** Our own guard refuses a missing Host, like any other unknown one. */
const SERVER = { ...LIMITED_SERVER, requireHostHeader: false };

/** How long responses in progress may take when the server closes. After that, all connections are closed. */
const CLOSE_GRACE_MS = 2_000;

interface PageServerOptions extends ListenOptions {
  readonly clock: Clock;
  readonly log: Log;
  /**
   * Who may see the pages. `signed-in`: they have a password. `local`: the people on this machine. `anyone`: they show
   * nothing private and change nothing.
   */
  readonly visitors: 'signed-in' | 'local' | 'anyone';
  /** Networks whose X-Forwarded-For is trusted; none if omitted. */
  readonly trustedProxies?: readonly string[];
  /** The body for faults that no handler can answer; `{ code, message }` if omitted. */
  readonly faultBody?: FaultBody;
}

export interface PageServer {
  readonly address: ListeningAddress;
  /** Stops accepting connections, and closes open ones as soon as they are idle, at the latest after 2 seconds. */
  close(): Promise<void>;
}

/** What a handler gets in addition to the request. */
export interface PageBindings extends HttpBindings {
  /** The address of the client, even if the peer is a trusted proxy. */
  readonly clientAddress: string;
  /** Whether that is the address of a proxy that is not trusted, so that all who come through it count as one client. */
  readonly isUnnamedProxy: boolean;
  /** Aborted when the server starts to close, so that a response without an end of its own ends. */
  readonly closing: AbortSignal;
}

export type PageHandler = (request: Request, bindings: PageBindings) => Response | Promise<Response>;

/** Rule 12: loopback only, unless the pages have a password or are for anyone. Throws the Problem `config-value`, and those of `listen`. */
export async function servePages(handler: PageHandler, options: PageServerOptions): Promise<PageServer> {
  if (options.visitors === 'local' && !isLoopback(options.host)) {
    throw new Problem(
      'config-value',
      `${options.host} can be reached from other machines, but these pages have no password. Set one, or use 127.0.0.1.`,
    );
  }
  const { clock, trustedProxies = [], faultBody = plainFaultBody } = options;
  const server = createServer(SERVER);
  const connections = new PageConnections(server, clock, trustedProxies);
  const limits = new RequestLimits(server, clock);
  const cutOff = new CutOffRequests(clock, options.log);
  const closing = new AbortController();
  const clientOf = clientBehind(trustedProxies);
  const bindingsOf = ({ incoming, outgoing }: HttpBindings): PageBindings => {
    const { address, isUnnamedProxy } = clientOf(incoming);
    return { incoming, outgoing, clientAddress: address, isUnnamedProxy, closing: closing.signal };
  };
  const answers = new Answers((request, bindings) => handler(request, bindingsOf(bindings)), faultBody);
  const track = (request: IncomingMessage, response: ServerResponse): void => {
    limits.track(request, response);
    connections.trackRequest(request, response);
    cutOff.track(request, clientOf(request).address);
  };
  server.on('request', (request, response) => {
    track(request, response);
    void answers.serve(request, response);
  });
  server.on('checkExpectation', (request, response) => {
    track(request, response);
    answers.refuse(request, response, 'expectation');
  });
  server.on('clientError', (error, socket) =>
    connections.isAnswered(socket)
      ? socket.destroy()
      : answers.refuseBytes(error, socket, connections.requestedUrl(socket)),
  );
  const address = await listen(server, options);
  return {
    address,
    close: () => {
      closing.abort();
      return closed(server, connections, clock).then(() => cutOff.end());
    },
  };
}

interface From {
  readonly sender: string;
  /** The one of ours that the request was sent to. */
  readonly port: number | undefined;
}

/**
 * Counts requests that ended before they had arrived. Anyone can send these at will, so there is one line for each
 * interval (rule 11).
 */
class CutOffRequests {
  /** Requests that have not ended. */
  private readonly open = new Map<IncomingMessage, From>();
  private readonly tally: IntervalTally<'cut-off'>;
  /** Of the interval. */
  private first: From | null = null;

  constructor(clock: Clock, log: Log) {
    this.tally = new IntervalTally(clock, (counts) => {
      const requests = counts.get('cut-off') ?? 0;
      const sentence = `${requests} requests to port ${this.first?.port} ended before they had arrived, in the last ${INTERVAL_MS / 1000} s; the first was from ${this.first?.sender}`;
      log.info({ code: 'requests-cut-off', requests, ...this.first }, sentence);
    });
  }

  track(request: IncomingMessage, sender: string): void {
    this.open.set(request, { sender, port: request.socket.localPort });
    request.once('close', () => this.ended(request));
  }

  /** Call this when all connections are closed. The requests on the last of them end a moment later. */
  end(): void {
    for (const request of this.open.keys()) this.ended(request);
    this.tally.end();
  }

  private ended(request: IncomingMessage): void {
    const from = this.open.get(request);
    this.open.delete(request);
    if (from === undefined || request.complete) return;
    if (this.tally.count('cut-off') === 1) this.first = from;
  }
}

type FetchHandler = (request: Request, bindings: HttpBindings) => Response | Promise<Response>;

/** Loaded with the first request: it makes Node load its own fetch, which takes some MiB and 20 ms. */
async function listenerOf(handler: FetchHandler) {
  const { getRequestListener, RequestError } = await import('@hono/node-server');
  return getRequestListener(
    (request, bindings) => handler(request, bindings as HttpBindings),
    // Left unanswered here, because `serve` knows the request.
    { errorHandler: (error) => (error instanceof RequestError ? undefined : SERVER_ERROR()) },
  );
}

/** Answers requests through the handler, and invalid ones itself. */
class Answers {
  private listener: ReturnType<typeof listenerOf> | null = null;

  constructor(
    private readonly handler: FetchHandler,
    private readonly faultBody: FaultBody,
  ) {}

  async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    this.listener ??= listenerOf(this.handler);
    await (await this.listener)(request, response);
    if (!response.headersSent && !response.destroyed) this.refuse(request, response, 'not-http');
  }

  refuse({ url = '' }: IncomingMessage, response: ServerResponse, code: ServerFaultCode): void {
    const fault = faultOf(code, pathOfUrl(url));
    const body = JSON.stringify(this.faultBody(fault));
    response
      .writeHead(fault.status, { ...FAULT_HEADERS, 'Content-Length': Buffer.byteLength(body) })
      .end(body);
  }

  /** For requests that the HTTP parser refuses, or that take too long. */
  refuseBytes(
    error: NodeJS.ErrnoException & { rawPacket?: Buffer },
    socket: Duplex,
    requestedUrl: string | null,
  ): void {
    const code = faultCodeOf(error);
    if (code === null || !socket.writable) {
      socket.destroy();
      return;
    }
    const fault = faultOf(code, requestedUrl === null ? pathIn(error.rawPacket) : pathOfUrl(requestedUrl));
    socket.end(faultBytes(fault, JSON.stringify(this.faultBody(fault))), () => socket.destroy());
  }
}

const SERVER_ERROR = (): Response => new Response(null, { status: 500 });

/** Closes connections without a request, which browsers open in advance, because Node checks no timeouts after `close`. */
const closed = (server: Server, connections: PageConnections, clock: Clock): Promise<void> =>
  new Promise((resolve) => {
    const cancelGrace = timeLimit(clock, CLOSE_GRACE_MS, () => server.closeAllConnections());
    server.close(() => {
      cancelGrace();
      connections.end();
      resolve();
    });
    server.closeIdleConnections();
  });

/** Who sent a request. */
interface Client {
  readonly address: string;
  /** Whether it says that it forwards the request for another client. It is no trusted proxy, so anybody can say so. */
  readonly isUnnamedProxy: boolean;
}

/** Finds the client that sent a request. */
type FindClient = (request: Pick<IncomingMessage, 'headers' | 'socket'>) => Client;

/**
 * The peer's address or, if the peer is a trusted proxy, the right-most address in X-Forwarded-For that is not a trusted
 * proxy; the client itself can write anything to the left of that.
 */
function clientBehind(trustedProxies: readonly string[]): FindClient {
  const isTrusted = withinNetworks(trustedProxies);
  return ({ headers, socket }) => {
    let client = plainAddress(socket.remoteAddress ?? '');
    for (const hop of hopsOf(headers['x-forwarded-for']).toReversed()) {
      if (!isTrusted(client)) return { address: client, isUnnamedProxy: true };
      const address = addressOf(hop);
      // The proxy did not know the client's address ("unknown"), so the proxy's own address is used.
      if (address === null) break;
      client = address;
    }
    return { address: client, isUnnamedProxy: false };
  };
}

/** Several headers with this name form one list. */
const hopsOf = (header: string | string[] | undefined): string[] =>
  header === undefined ? [] : [header].flat().join(',').split(',');

/** Some proxies add the port, and brackets around IPv6. */
const WITH_PORT = /^(?:\[([^\]]*)\](?::\d{1,5})?|(\d+\.\d+\.\d+\.\d+):\d{1,5})$/;

function addressOf(hop: string): string | null {
  const written = hop.trim();
  const [, bracketed, dotted] = WITH_PORT.exec(written) ?? [];
  const address = bracketed ?? dotted ?? written;
  return isIP(address) === 0 ? null : plainAddress(address);
}
