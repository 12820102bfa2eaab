/** An HTTP receiver of what Teller or a listing posts: it keeps the requests, and answers as the test says. */
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import { serve } from './serve.ts';

export interface ReceiverRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  /** The raw bytes. */
  readonly body: Buffer;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into payloads of every shape
  readonly json: any;
}

/** A status, or a function that answers. A function that does nothing makes the receiver stall. */
export type ReceiverAnswer = number | ((response: ServerResponse) => void);

export type Receiver = Awaited<ReturnType<typeof receiver>>;

/** By default it answers with 204. */
export async function receiver(...answers: readonly ReceiverAnswer[]) {
  const requests: ReceiverRequest[] = [];
  let onRequest: () => void = () => {};
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('error', () => {}).on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body = Buffer.concat(chunks);
      const { method = '', url: path = '', headers } = request;
      requests.push({ method, path, headers, body, json: JSON.parse(body.toString()) });
      const [answer = 204, ...rest] = self.answers;
      if (rest.length > 0) self.answers = rest;
      if (typeof answer === 'function') answer(response);
      else response.writeHead(answer).end();
      onRequest();
    });
  });
  const port = await serve(server);
  const self = {
    ...{ url: `http://127.0.0.1:${port}/hook`, port, requests: requests as readonly ReceiverRequest[] },
    /** The answers to the next requests, in order. The last one also applies to all later requests. */
    answers,
    /** Resolves with the n-th request (from 1) when it arrives. */
    request: async (n: number): Promise<ReceiverRequest> => {
      while (requests.length < n) await new Promise<void>((resolve) => (onRequest = resolve));
      return requests[n - 1] as ReceiverRequest;
    },
  };
  return self;
}
