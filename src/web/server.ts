import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { getRequestListener, type HttpBindings, RequestError } from '@hono/node-server';
import { isLoopback } from '../core/address.ts';
import type { Clock } from '../core/clock.ts';
import { Problem } from '../core/problem.ts';
import { type ListeningAddress, type ListenOptions, listen } from '../runtime/listen.ts';
import { clientAddressBehind } from './client-address.ts';
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

/** A whole request has to be in by then; a connection that is kept open may be silent for this long. */
const REQUEST_TIMEOUT_MS = 15_000;
const KEEP_ALIVE_MS = 5_000;
/** By itself Node looks at timeouts every 30 seconds. */
const TIMEOUTS_CHECKED_MS = 5_000;
const HEADERS_MAX_BYTES = 16 * 1024;

const SERVER = {
  connectionsCheckingInterval: TIMEOUTS_CHECKED_MS,
  requestTimeout: REQUEST_TIMEOUT_MS,
  headersTimeout: REQUEST_TIMEOUT_MS,
  keepAliveTimeout: KEEP_ALIVE_MS,
  maxHeaderSize: HEADERS_MAX_BYTES,
  // Judged with every other Host that is not one.
  requireHostHeader: false,
};

/** For answers that are on their way; connections that say nothing are not waited for any longer. */
const CLOSE_GRACE_MS = 2_000;

interface PageServerOptions extends ListenOptions {
  readonly clock: Clock;
  /** Whether those who reach it have to sign in first. */
  readonly hasPassword: boolean;
  /** Networks whose X-Forwarded-For is believed; none where it is left out. */
  readonly trustedProxies?: readonly string[];
  /** What is answered where no handler can: `{ code, message }` where it is left out. */
  readonly faultBody?: FaultBody;
}

export interface PageServer {
  readonly address: ListeningAddress;
  /** Takes no more connections, and ends those that are open once they are idle, or after a short grace. */
  close(): Promise<void>;
}

/** What a handler gets beside the request. */
export interface PageBindings extends HttpBindings {
  /** That of the client, also where a trusted proxy is the peer. */
  readonly clientAddress: string;
}

type Handler = (request: Request, bindings: PageBindings) => Response | Promise<Response>;

/** Rule 12: loopback by default; another address wants a password. Throws a Problem: `config-value`, and those of `listen`. */
export async function servePages(handler: Handler, options: PageServerOptions): Promise<PageServer> {
  if (!options.hasPassword && !isLoopback(options.host)) {
    throw new Problem(
      'config-value',
      `${options.host} can be reached by others, and these pages have no password; set one, or use 127.0.0.1.`,
    );
  }
  const { clock, trustedProxies = [], faultBody = plainFaultBody } = options;
  const server = createServer(SERVER);
  const connections = new PageConnections(server, clock, trustedProxies);
  const answers = new Answers(handler, trustedProxies, faultBody);
  server.on('request', (request, response) => {
    connections.begins(request, response);
    void answers.serve(request, response);
  });
  server.on('checkExpectation', (request, response) => {
    connections.begins(request, response);
    answers.refuse(request, response, 'expectation');
  });
  server.on('clientError', (error, socket) =>
    connections.isAnswered(socket)
      ? socket.destroy()
      : answers.refuseBytes(error, socket, connections.askedFor(socket)),
  );
  const address = await listen(server, options);
  return { address, close: () => closed(server, connections, clock) };
}

/** Answers requests by the handler, and what is no request by itself. */
class Answers {
  private readonly listener;

  constructor(
    handler: Handler,
    trustedProxies: readonly string[],
    private readonly faultBody: FaultBody,
  ) {
    const clientAddress = clientAddressBehind(trustedProxies);
    this.listener = getRequestListener(
      (request, bindings) => {
        const { incoming, outgoing } = bindings as HttpBindings;
        return handler(request, { incoming, outgoing, clientAddress: clientAddress(incoming) });
      },
      // Left unanswered, for `serve`, which knows what was asked.
      { errorHandler: (error) => (error instanceof RequestError ? undefined : SERVER_ERROR()) },
    );
  }

  async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    await this.listener(request, response);
    if (!response.headersSent && !response.destroyed) this.refuse(request, response, 'not-http');
  }

  refuse({ url = '' }: IncomingMessage, response: ServerResponse, code: ServerFaultCode): void {
    const fault = faultOf(code, pathOfUrl(url));
    const body = JSON.stringify(this.faultBody(fault));
    response
      .writeHead(fault.status, { ...FAULT_HEADERS, 'Content-Length': Buffer.byteLength(body) })
      .end(body);
  }

  /** What the HTTP parser gives up on, and requests that take too long. */
  refuseBytes(
    error: NodeJS.ErrnoException & { rawPacket?: Buffer },
    socket: Duplex,
    askedFor: string | null,
  ): void {
    const code = faultCodeOf(error);
    if (code === null || !socket.writable) {
      socket.destroy();
      return;
    }
    const fault = faultOf(code, askedFor === null ? pathIn(error.rawPacket) : pathOfUrl(askedFor));
    socket.end(faultBytes(fault, JSON.stringify(this.faultBody(fault))), () => socket.destroy());
  }
}

const SERVER_ERROR = (): Response => new Response(null, { status: 500 });

/** A browser opens connections in advance, and Node's own limits end with `close`. */
const closed = (server: Server, connections: PageConnections, clock: Clock): Promise<void> =>
  new Promise((resolve) => {
    const cancelGrace = clock.after(CLOSE_GRACE_MS, () => server.closeAllConnections());
    server.close(() => {
      cancelGrace();
      connections.end();
      resolve();
    });
    server.closeIdleConnections();
  });
