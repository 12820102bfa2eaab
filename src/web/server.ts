import type { Server } from 'node:http';
import { createAdaptorServer, type HttpBindings } from '@hono/node-server';
import { isLoopback } from '../core/address.ts';
import type { Clock } from '../core/clock.ts';
import { Problem } from '../core/problem.ts';
import { type ListeningAddress, type ListenOptions, listen } from '../runtime/listen.ts';

/** A whole request has to be in by then; a connection that is kept open may be silent for this long. */
const REQUEST_TIMEOUT_MS = 15_000;
const KEEP_ALIVE_MS = 5_000;
/** By itself Node looks at timeouts every 30 seconds. */
const TIMEOUTS_CHECKED_MS = 5_000;
/** Connections that strangers hold open must not take the sockets that deliveries need. */
const CONNECTIONS_MAX = 512;
const HEADERS_MAX_BYTES = 16 * 1024;

/** For answers that are on their way; connections that say nothing are not waited for any longer. */
const CLOSE_GRACE_MS = 2_000;

interface PageServerOptions extends ListenOptions {
  readonly clock: Clock;
  /** Whether those who reach it have to sign in first. */
  readonly hasPassword: boolean;
}

export interface PageServer {
  readonly address: ListeningAddress;
  /** Takes no more connections, and ends those that are open once they are idle, or after a short grace. */
  close(): Promise<void>;
}

type Handler = (request: Request, bindings: HttpBindings) => Response | Promise<Response>;

/** Rule 12: loopback by default; another address wants a password. Throws a Problem: `config-value`, and those of `listen`. */
export async function servePages(handler: Handler, options: PageServerOptions): Promise<PageServer> {
  if (!options.hasPassword && !isLoopback(options.host)) {
    throw new Problem(
      'config-value',
      `${options.host} can be reached by others, and these pages have no password; set one, or use 127.0.0.1.`,
    );
  }
  const server = createAdaptorServer({
    fetch: (request, bindings) => handler(request, bindings as HttpBindings),
    serverOptions: {
      connectionsCheckingInterval: TIMEOUTS_CHECKED_MS,
      requestTimeout: REQUEST_TIMEOUT_MS,
      headersTimeout: REQUEST_TIMEOUT_MS,
      keepAliveTimeout: KEEP_ALIVE_MS,
      maxHeaderSize: HEADERS_MAX_BYTES,
    },
  }) as Server;
  server.maxConnections = CONNECTIONS_MAX;
  const address = await listen(server, options);
  return { address, close: () => closed(server, options.clock) };
}

/** A browser opens connections in advance, and Node's own limits end with `close`. */
const closed = (server: Server, clock: Clock): Promise<void> =>
  new Promise((resolve) => {
    const cancelGrace = clock.after(CLOSE_GRACE_MS, () => server.closeAllConnections());
    server.close(() => {
      cancelGrace();
      resolve();
    });
    server.closeIdleConnections();
  });
