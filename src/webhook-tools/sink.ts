import { createServer, type Server } from 'node:http';
import { listen } from '../runtime/listen.ts';
import { LIMITED_SERVER, RequestLimits } from '../runtime/request-limits.ts';
import { Receiver, type ReceiverSettings } from './receiver.ts';

export interface SinkSettings extends ReceiverSettings {
  readonly host: string;
  /** 0: any free port. */
  readonly port: number;
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
export async function startSink({ host, port, ...settings }: SinkSettings): Promise<Sink> {
  const receiver = new Receiver({
    answers: [],
    acceptedStatus: 204,
    delayMs: 0,
    onOther: () => {},
    ...settings,
  });
  const server = createServer(LIMITED_SERVER, (request, response) => {
    limits.track(request, response);
    void receiver.take(request, response);
  });
  const limits = new RequestLimits(server, settings.clock);
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
