/** Signed deliveries as a listing's service sends them, written from the specification by hand, not by our encoder. */
import { createHmac } from 'node:crypto';
import { request } from 'node:http';
import { connect } from 'node:net';
import { onTestFinished } from 'vitest';
import type { Here } from './here.ts';

export const SECRET = 'whsec_for-this-test';
export const OTHER_SECRET = 'whsec_of-the-other-site';
export const EVENT_ID = '01972f3e-0000-7000-8000-000000000001';
export const USER_ID = '80351110224678912';

/** An entry of `sites` with a webhook. */
export const hooked = (path = '/hooks/list', secret = SECRET, listingId = 'listing-1'): object => ({
  webhook: { path, secret, listingId },
});

/** A vote of Steve that was cast at noon on 1 June 2026. */
export const payload = (change: object = {}, data: object = {}): string =>
  JSON.stringify({
    event: 'vote.created',
    version: 1,
    eventId: EVENT_ID,
    timestamp: '2026-06-01T12:00:00.500Z',
    test: false,
    data: {
      listingId: 'listing-1',
      listingType: 'game',
      userId: USER_ID,
      votedAt: '2026-06-01T12:00:00.000Z',
      nextVoteAt: '2026-06-02T12:00:00.000Z',
      weight: 1,
      game: 'minecraft',
      playerName: 'Steve',
      ...data,
    },
    ...change,
  });

export const signature = (body: string | Uint8Array, secret = SECRET): string =>
  `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`;

export interface Posted {
  readonly path?: string;
  readonly method?: string;
  /** By default the right one; null for none. */
  readonly signed?: string | null;
  readonly headers?: Record<string, string>;
}

export interface Answered {
  readonly status: number;
  readonly text: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
}

/** Posts it to the port of a Teller's webhooks. It rejects if the connection closes without an answer. */
export function post(
  { webhookPort }: Pick<Here, 'webhookPort'>,
  body: string | Uint8Array,
  { path = '/hooks/list', method = 'POST', signed = signature(body), headers = {} }: Posted = {},
): Promise<Answered> {
  const length = Buffer.byteLength(body);
  const sent = {
    'Content-Type': 'application/json',
    ...(signed === null ? {} : { 'X-Webhook-Signature': signed }),
    ...(method === 'POST' ? { 'Content-Length': String(length) } : {}),
    ...headers,
  };
  return new Promise((resolve, reject) => {
    request(
      { host: '127.0.0.1', port: webhookPort, path, method, headers: sent, agent: false },
      (response) => {
        let text = '';
        response.setEncoding('utf8').on('data', (piece: string) => (text += piece));
        response.on('end', () =>
          resolve({ status: response.statusCode ?? 0, text, headers: response.headers }),
        );
      },
    )
      .on('error', reject)
      .end(method === 'POST' ? body : undefined);
  });
}

/** Sends a body that goes on for as long as it is read. Resolves when the connection is closed. */
export async function sendEndless(port: number, head: string): Promise<void> {
  const { socket, back } = connectRaw(port, `${head}Transfer-Encoding: chunked\r\n\r\n`);
  const chunk = `4000\r\n${' '.repeat(0x4000)}\r\n`;
  const more = (): void => {
    while (!socket.destroyed && socket.write(chunk));
  };
  socket.on('drain', more);
  more();
  await back;
}

/** A connection that sends bytes of the test's choice. */
export function connectRaw(port: number, bytes: Buffer | string = '', from = '127.0.0.1') {
  const socket = connect({ port, host: '127.0.0.1', localAddress: from, noDelay: true });
  onTestFinished(() => void socket.destroy());
  let text = '';
  let isClosed = false;
  socket.on('error', () => {}).setEncoding('utf8');
  socket.on('data', (more: string) => (text += more));
  /** All bytes that came, when the other side has closed. */
  const back = new Promise<string>((resolve) =>
    socket.once('close', () => {
      isClosed = true;
      resolve(text);
    }),
  );
  socket.write(bytes);
  return {
    socket,
    back,
    get isClosed() {
      return isClosed;
    },
  };
}
