import type { AddressInfo, Server } from 'node:net';
import { Problem } from '../core/problem.ts';

export interface ListeningAddress {
  readonly host: string;
  readonly port: number;
}

export interface ListenOptions extends ListeningAddress {
  /** What to change when the port is taken: `listener.port in the config`, `--port`. */
  readonly key: string;
  /** Who most likely has it, in words. */
  readonly likelyHolder: string;
  /** Connections that may wait to be accepted; the kernel has a bound of its own (net.core.somaxconn). */
  readonly backlog?: number;
}

/**
 * Starts a server and answers where it listens. Later errors are those of connections that could not be accepted (too
 * few file descriptors, say): each is the loss of that connection and does not end the process.
 * Throws a Problem: `port-in-use`, `port-not-allowed`.
 */
export function listen(
  server: Server,
  { host, port, key, likelyHolder, backlog }: ListenOptions,
): Promise<ListeningAddress> {
  return new Promise((resolve, reject) => {
    const refuse = (error: NodeJS.ErrnoException): void => {
      reject(asProblem(error, `${host.includes(':') ? `[${host}]` : host}:${port}`, key, likelyHolder));
    };
    server.once('error', refuse);
    server.listen({ host, port, ...(backlog === undefined ? {} : { backlog }) }, () => {
      server.off('error', refuse);
      server.on('error', () => {});
      const { address, port: chosen } = server.address() as AddressInfo;
      resolve({ host: address, port: chosen });
    });
  });
}

function asProblem(error: NodeJS.ErrnoException, where: string, key: string, likelyHolder: string): Problem {
  const [code, sentence] =
    error.code === 'EADDRINUSE'
      ? ([
          'port-in-use',
          `${where} is taken already (${likelyHolder}?); end that one, or change ${key}`,
        ] as const)
      : (['port-not-allowed', cannotListen(error, where, key)] as const);
  return new Problem(code, `${sentence}.`, { cause: error });
}

/** An address that is not this machine's is wrong at every port; a port may be the system's own (EACCES below 1024). */
function cannotListen({ code, message }: NodeJS.ErrnoException, where: string, key: string): string {
  if (code === 'EACCES') return `Cannot listen at ${where} (${message}); change ${key}`;
  return `Cannot listen at ${where} (${message}): the address is not one of this machine; change ${hostKey(key)}`;
}

/** Of a port that a flag can set too, only the config has the host. */
const hostKey = (portKey: string): string => portKey.replace(/, or --port$/, '').replace(/port\b/, 'host');
