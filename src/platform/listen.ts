import type { AddressInfo, Server } from 'node:net';
import { Problem } from '../core/problem.ts';

/** Node's default. */
const DEFAULT_BACKLOG = 511;

export interface ListeningAddress {
  readonly host: string;
  readonly port: number;
}

export interface ListenOptions extends ListeningAddress {
  /** What to change if the port is in use: `listener.port in the config`, `--port`. */
  readonly key: string;
  /** The program that probably uses the port. */
  readonly likelyHolder: string;
  /** The listen backlog. The kernel has its own maximum (net.core.somaxconn). */
  readonly backlog?: number;
  /**
   * Whether `0.0.0.0` and `::` both mean every address of this machine, over IPv4 and IPv6. In Node, `0.0.0.0` means
   * only IPv4; the listeners that operators know accept both, and a site may try only IPv6.
   */
  readonly bothFamilies?: boolean;
  /** With `::`, listen only on IPv6. */
  readonly ipv6Only?: boolean;
}

const EVERY_ADDRESS: ReadonlySet<string> = new Set(['0.0.0.0', '::']);

export const isEveryAddress = (host: string): boolean => EVERY_ADDRESS.has(host);

/** Error codes of systems without IPv6. */
const NO_IPV6: ReadonlySet<unknown> = new Set(['EAFNOSUPPORT', 'EADDRNOTAVAIL', 'EPROTONOSUPPORT', 'EINVAL']);

export const isWithoutIPv6 = ({ cause }: Problem): boolean =>
  NO_IPV6.has((cause as NodeJS.ErrnoException | undefined)?.code);

/**
 * Starts a server and returns the address it listens on. Later errors concern connections that could not be accepted,
 * for example for lack of file descriptors: each loses that connection and does not end the process.
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
  const { port, backlog = DEFAULT_BACKLOG, ipv6Only = false } = options;
  return new Promise((resolve, reject) => {
    const refuse = (error: NodeJS.ErrnoException): void => {
      // The server may be asked to listen again.
      server.off('listening', begin);
      reject(asProblem(error, options));
    };
    const begin = (): void => {
      server.off('error', refuse);
      server.on('error', () => {});
      const { address, port: chosen } = server.address() as AddressInfo;
      resolve({ host: address, port: chosen });
    };
    server.once('error', refuse);
    server.once('listening', begin);
    server.listen({ host: address, port, backlog, ipv6Only });
  });
}

/** The command that shows which program listens on a port. */
export function whoListens(port: number, platform: NodeJS.Platform = process.platform): string {
  if (platform === 'win32') return 'netstat -ano';
  return platform === 'linux' ? `ss -ltnp 'sport = :${port}'` : `lsof -nP -iTCP:${port} -sTCP:LISTEN`;
}

function asProblem(error: NodeJS.ErrnoException, { host, port, key, likelyHolder }: ListenOptions): Problem {
  const where = `${host.includes(':') ? `[${host}]` : host}:${port}`;
  const [code, sentence] =
    error.code === 'EADDRINUSE'
      ? ([
          'port-in-use',
          `${where} is already in use (${likelyHolder}?); \`${whoListens(port)}\` shows by which program: stop it, or change ${key}`,
        ] as const)
      : (['port-not-allowed', cannotListen(error, where, key)] as const);
  return new Problem(code, `${sentence}.`, { cause: error });
}

/** EACCES means a port that the system reserves (below 1024). Otherwise the address is not one of this machine. */
function cannotListen({ code, message }: NodeJS.ErrnoException, where: string, key: string): string {
  if (code === 'EACCES') return `Cannot listen on ${where} (${message}); change ${key}`;
  return `Cannot listen on ${where} (${message}): this machine does not have that address; change ${hostKey(key)}`;
}

/** `--port` can set a port, but only the config can set a host. */
const hostKey = (portKey: string): string => portKey.replace(/, or --port$/, '').replace(/port\b/, 'host');
