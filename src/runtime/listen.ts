import type { AddressInfo, Server } from 'node:net';
import { Problem } from '../core/problem.ts';

export interface ListeningAddress {
  readonly host: string;
  readonly port: number;
}

export interface ListenOptions extends ListeningAddress {
  /** The config key to change when the port is taken. */
  readonly key: string;
  /** Who most likely has it, in words. */
  readonly likelyHolder: string;
  /** Connections that may wait to be accepted; the kernel has a bound of its own (net.core.somaxconn). */
  readonly backlog?: number;
}

/** Starts a server and answers where it listens. Throws a Problem: `port-in-use`, `port-not-allowed`. */
export function listen(
  server: Server,
  { host, port, key, likelyHolder, backlog }: ListenOptions,
): Promise<ListeningAddress> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      reject(asProblem(error, `${host}:${port}`, key, likelyHolder));
    });
    server.listen({ host, port, ...(backlog === undefined ? {} : { backlog }) }, () => {
      const { address, port: chosen } = server.address() as AddressInfo;
      resolve({ host: address, port: chosen });
    });
  });
}

function asProblem(error: NodeJS.ErrnoException, where: string, key: string, likelyHolder: string): unknown {
  if (error.code === 'EADDRINUSE') {
    return new Problem(
      'port-in-use',
      `${where} is taken already (${likelyHolder}?); end that one, or change ${key} in the config.`,
      { cause: error },
    );
  }
  if (error.code === 'EACCES' || error.code === 'EADDRNOTAVAIL' || error.code === 'ENOTFOUND') {
    return new Problem(
      'port-not-allowed',
      `Cannot listen at ${where} (${error.message}); change ${key} in the config.`,
      {
        cause: error,
      },
    );
  }
  return error;
}
