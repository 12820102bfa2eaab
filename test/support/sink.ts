import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

export interface SinkRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  /** As they came. */
  readonly body: Buffer;
  /** The body, parsed. */
  readonly json: SentPayload;
}

/** What the tests look at; the receiver's own schema is elsewhere. */
export interface SentPayload {
  readonly event: string;
  readonly version: number;
  readonly eventId: string;
  readonly timestamp: string;
  readonly test: boolean;
  readonly data: Record<string, unknown>;
}

/** A status, or whatever the test does with the response; one that does nothing stalls. */
export type SinkAnswer = number | ((response: ServerResponse) => void);

export interface Sink {
  readonly url: string;
  readonly port: number;
  readonly requests: readonly SinkRequest[];
  /** One for each request, in order; the last goes on for all that follow. */
  answers: readonly SinkAnswer[];
  /** Resolves to the n-th request (from 1) when it has come. */
  request(n: number): Promise<SinkRequest>;
}

/** An HTTP receiver that keeps what it gets and answers what the test says, 204 to begin with. */
export async function sink(...answers: SinkAnswer[]): Promise<Sink> {
  const requests: SinkRequest[] = [];
  let news: () => void = () => {};
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('error', () => {});
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body = Buffer.concat(chunks);
      const { method = '', url = '', headers } = request;
      requests.push({ method, path: url, headers, body, json: JSON.parse(body.toString()) });
      const answer = self.answers[Math.min(requests.length, self.answers.length) - 1] ?? 204;
      if (typeof answer === 'function') answer(response);
      else response.writeHead(answer).end();
      news();
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  const { port } = server.address() as AddressInfo;
  const self: Sink = {
    url: `http://127.0.0.1:${port}/hook`,
    port,
    requests,
    answers,
    request: async (n) => {
      while (requests.length < n) await new Promise<void>((resolve) => (news = resolve));
      return requests[n - 1] as SinkRequest;
    },
  };
  return self;
}
