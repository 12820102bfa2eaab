import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Clock } from '../../core/clock.ts';
import { listen } from '../../platform/listen.ts';
import { LIMITED_SERVER, RequestLimits } from '../../platform/request-limits.ts';
import { CommandReceiver, type CommandReceiverSettings } from './command-receiver.ts';
import { Receiver, type ReceiverSettings } from './receiver.ts';

interface Place {
  readonly host: string;
  /** 0: any free port. */
  readonly port: number;
  readonly clock: Clock;
}

export interface SinkSettings extends ReceiverSettings, Place {}

export interface CommandSinkSettings extends CommandReceiverSettings, Place {}

/** Answers requests. */
interface Taker {
  /** Never rejects. */
  take(request: IncomingMessage, response: ServerResponse): Promise<void>;
  /** Called for bytes that are not HTTP, such as TLS, and for connections that are reset or too slow. */
  refuseBytes(error: NodeJS.ErrnoException, socket: Duplex): void;
}

export interface Sink {
  /** The URL on this machine; all paths behave the same. */
  readonly url: string;
  readonly host: string;
  readonly port: number;
  /** Also closes connections: a delivery that is not answered yet is reported as if its sender had hung up. */
  close(): Promise<void>;
}

const CONNECTIONS_MAX = 1024;
/** Limits pipelined requests. */
const REQUESTS_PER_CONNECTION_MAX = 100;

/** Starts a webhook receiver that verifies, answers and reports. Throws a Problem: `port-in-use`, `port-not-allowed`. */
export const startSink = ({ host, port, ...settings }: SinkSettings): Promise<Sink> =>
  served(
    { host, port, clock: settings.clock },
    new Receiver({
      answers: [],
      acceptedStatus: 204,
      delayMs: 0,
      onEvent: () => {},
      onOther: () => {},
      ...settings,
    }),
  );

/** The same for commands. */
export const startCommandSink = ({ host, port, ...settings }: CommandSinkSettings): Promise<Sink> =>
  served({ host, port, clock: settings.clock }, new CommandReceiver(settings));

async function served({ host, port, clock }: Place, receiver: Taker): Promise<Sink> {
  const server = createServer(LIMITED_SERVER, (request, response) => {
    limits.track(request, response);
    void receiver.take(request, response);
  });
  const limits = new RequestLimits(server, clock);
  server.maxConnections = CONNECTIONS_MAX;
  server.maxRequestsPerSocket = REQUESTS_PER_CONNECTION_MAX;
  server.on('clientError', (error, socket) => receiver.refuseBytes(error, socket));
  const address = await listen(server, { host, port, key: '--port', likelyHolder: 'another sink' });
  return {
    ...address,
    url: `http://${reachable(address.host)}:${address.port}/`,
    close: () => closed(server),
  };
}

function reachable(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1';
  if (host === '::') return '[::1]';
  return host.includes(':') ? `[${host}]` : host;
}

const closed = (server: Server): Promise<void> =>
  new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
