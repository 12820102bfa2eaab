import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';
import { ListingClient } from '../../src/votes/listing-client/listing-client.ts';
import { fixedRandom } from '../support/fixed-random.ts';
import { WaitingClock } from './waiting-clock.ts';

export const TOKEN = 'tok_8d2f61c0a94b7e35';

export type Script = (response: ServerResponse, request: IncomingMessage) => void;

/** Answers with `scripts` in order, one for each request; the last one answers all further requests. */
export async function scriptedServer(...scripts: readonly Script[]) {
  const requests: { method: string; url: string; authorization: string; body: string }[] = [];
  let onRequest: () => void = () => {};
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    const { method = '', url = '', headers } = request;
    requests.push({ method, url, authorization: headers.authorization ?? '', body });
    scripts[Math.min(requests.length, scripts.length) - 1]?.(response, request);
    onRequest();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  const { port } = server.address() as AddressInfo;
  const receivedRequests = async (count: number): Promise<void> => {
    while (requests.length < count) await new Promise<void>((resolve) => (onRequest = resolve));
  };
  return { port, requests, receivedRequests, root: `http://127.0.0.1:${port}/api/v1` };
}

/** A client of such a server. */
export async function scriptedApi(...scripts: readonly Script[]) {
  const server = await scriptedServer(...scripts);
  return { server, ...clientOf(server.root) };
}

type Options = Partial<ConstructorParameters<typeof ListingClient>[0]>;

export function clientOf(baseUrl: string, options: Options = {}) {
  const clock = new WaitingClock();
  const client = new ListingClient({ baseUrl, token: TOKEN, clock, random: fixedRandom(0), ...options });
  return { clock, client };
}

export const json =
  (status: number, body: unknown, headers: Record<string, string> = {}): Script =>
  (response) => {
    response.sendDate = false; // It would be the time of this machine, but the tests have their own clock.
    response.writeHead(status, { 'Content-Type': 'application/json', ...headers }).end(JSON.stringify(body));
  };

const PAGE = '<html><body>502 Bad Gateway</body></html>';
export const html =
  (status: number, headers: Record<string, string> = {}): Script =>
  (response) => {
    response.writeHead(status, { 'Content-Type': 'text/html', ...headers }).end(PAGE);
  };

export const stall: Script = () => {};

/** [API-2] A failure as the specification describes it, built without our service. */
export const failure = (statusCode: number, code: string, more: object = {}) => ({
  statusCode,
  error: 'Some Name',
  code,
  message: 'Something is not right.',
  path: '/api/v1/webhooks/votes',
  timestamp: '2026-06-01T12:00:00.000Z',
  ...more,
});

export const limited = (seconds: number): Script =>
  json(429, failure(429, 'RATE_LIMITED', { retryAfterSeconds: seconds }), { 'Retry-After': String(seconds) });
export const broken: Script = json(500, failure(500, 'INTERNAL_ERROR'));
export const noVotes: Script = json(200, []);
