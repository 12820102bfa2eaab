/** A program that takes commands as signed JSON, in place of a game server. */
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { Socket } from 'node:net';
import { signBody } from '../../protocol/webhook.ts';
import { serve } from './serve.ts';

export const HTTP_SECRET = 'whsec_of-the-game-server';

export interface Received {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
  /** What the body says: always an ID, and a command or what is asked. */
  readonly said: Readonly<Record<string, unknown>>;
}

/** `silence`: none. A function writes bytes by itself. */
export type HttpAnswer =
  | { readonly status?: number; readonly body?: string; readonly headers?: Record<string, string> }
  | 'silence'
  | ((socket: Socket) => unknown);

type Answering = (asked: Received, count: number) => HttpAnswer | Promise<HttpAnswer>;

/** @param settings of its entry. */
export async function httpGame(settings: object = {}) {
  const received: Received[] = [];
  let answering: Answering = () => ({ status: 204 });
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    try {
      for await (const chunk of request) chunks.push(chunk as Buffer);
    } catch {
      return; // Teller was killed before it had sent everything.
    }
    const body = Buffer.concat(chunks);
    const { method = '', url: path = '', headers } = request;
    const asked = { method, path, headers, body, said: JSON.parse(String(body)) };
    received.push(asked);
    const answer = await answering(asked, received.length);
    if (answer === 'silence') return;
    if (typeof answer === 'function') return void answer(request.socket);
    response.writeHead(answer.status ?? 200, answer.headers).end(answer.body ?? '');
  });
  const url = `http://127.0.0.1:${await serve(server)}/command`;
  return {
    entry: { kind: 'http', url, secret: HTTP_SECRET, commandPause: '0ms', ...settings } as object,
    ...{ url, received },
    /** Answers like this from now on; `count` is 1 for the first request. By default: 204. */
    answer: (how: Answering): void => {
      answering = how;
    },
  };
}

/** An answer that is signed for the request. @param of what is signed in place of the ID, a dot and the body. */
export function signed(
  { said: { id } }: Received,
  answer: unknown,
  of = `${id}.${JSON.stringify(answer)}`,
): HttpAnswer {
  const body = JSON.stringify(answer);
  return { body, headers: { 'X-Webhook-Signature': signBody(Buffer.from(of), HTTP_SECRET) } };
}
