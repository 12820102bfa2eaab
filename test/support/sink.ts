import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

export interface SinkRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  /** The raw bytes. */
  readonly body: Buffer;
  /** The body, parsed. */
  readonly json: SentPayload;
}

/** The fields that tests check. */
export interface SentPayload {
  readonly event: string;
  readonly version: number;
  readonly eventId: string;
  readonly timestamp: string;
  readonly test: boolean;
  readonly data: Record<string, unknown>;
}

/** A status, or a function that answers. A function that does nothing makes the receiver stall. */
export type SinkAnswer = number | ((response: ServerResponse) => void);

export interface Sink {
  readonly url: string;
  readonly port: number;
  readonly requests: readonly SinkRequest[];
  /** The answers to the requests, in order. The last one also applies to all later requests. */
  answers: readonly SinkAnswer[];
  /** Resolves with the n-th request (from 1) when it arrives. */
  request(n: number): Promise<SinkRequest>;
}

/** An HTTP receiver that keeps requests and answers as the test says, by default with 204. */
export async function sink(...answers: SinkAnswer[]): Promise<Sink> {
  const requests: SinkRequest[] = [];
  let onRequest: () => void = () => {};
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
      onRequest();
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
      while (requests.length < n) await new Promise<void>((resolve) => (onRequest = resolve));
      return requests[n - 1] as SinkRequest;
    },
  };
  return self;
}
