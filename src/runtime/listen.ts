import type { AddressInfo, Server } from 'node:net';
import { Problem } from '../core/problem.ts';

/** Node's own. */
const DEFAULT_BACKLOG = 511;

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
  /**
   * Whether `0.0.0.0` and `::` both mean every address of this machine, over IPv4 and IPv6. Node takes only IPv4 with
   * the first; the listeners that operators come from take both, and a site that tries IPv6 alone must be heard.
   */
  readonly bothFamilies?: boolean;
  /** With `::`, IPv6 alone. */
  readonly ipv6Only?: boolean;
}

const EVERY_ADDRESS: ReadonlySet<string> = new Set(['0.0.0.0', '::']);

export const isEveryAddress = (host: string): boolean => EVERY_ADDRESS.has(host);

/** What a system without IPv6 answers. */
const NO_IPV6: ReadonlySet<unknown> = new Set(['EAFNOSUPPORT', 'EADDRNOTAVAIL', 'EPROTONOSUPPORT', 'EINVAL']);

export const isWithoutIPv6 = ({ cause }: Problem): boolean =>
  NO_IPV6.has((cause as NodeJS.ErrnoException | undefined)?.code);

/**
 * Starts a server and answers where it listens. Later errors are those of connections that could not be accepted (too
 * few file descriptors, say): each is the loss of that connection and does not end the process.
 * Throws a Problem: `port-in-use`, `port-not-allowed`.
 */
export async function listen(server: Server, options: ListenOptions): Promise<ListeningAddress> {
  if (!options.bothFamilies || !isEveryAddress(options.host)) return listenAt(options.host, server, options);
  try {
    return await listenAt('::', server, options);
  } catch (error) {
    if (!(error instanceof Problem) || !isWithoutIPv6(error)) throw error;
    return listenAt('0.0.0.0', server, options);
  }
}

function listenAt(address: string, server: Server, options: ListenOptions): Promise<ListeningAddress> {
  const { host, port, key, likelyHolder, backlog = DEFAULT_BACKLOG, ipv6Only = false } = options;
  return new Promise((resolve, reject) => {
    const refuse = (error: NodeJS.ErrnoException): void => {
      reject(asProblem(error, `${host.includes(':') ? `[${host}]` : host}:${port}`, key, likelyHolder));
    };
    server.once('error', refuse);
    server.listen({ host: address, port, backlog, ipv6Only }, () => {
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
