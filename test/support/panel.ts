import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type RequestListener, type Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { onTestFinished } from 'vitest';
import { type WebSocket, WebSocketServer } from 'ws';
import type { SelfSigned } from './certificate.ts';

/** The short ID of the scripted server, as in the address of its page. */
export const SERVER_ID = 'd3aac109';
export const API_KEY = 'ptlc_the-key-of-the-account';
export const TOKEN = 'token-of-the-console';

interface Asked {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** An answer of the panel: a status, with the body of an error if it is given. */
export interface PanelReply {
  readonly status: number;
  readonly body?: string;
}

export interface PanelScript {
  /** What the panel answers to a command; `null`: nothing. By default, the server runs and takes it. */
  command?: (command: string) => PanelReply | null;
  /** What the panel answers when the console is asked for; by default, where it is. */
  console?: () => PanelReply;
  /** What the server prints for a command, besides the answers to marks. */
  prints?: (command: string) => readonly string[];
  /** With it, the panel is reached by https; its console is not. */
  readonly certificate?: SelfSigned;
  /** Whether the server knows `data get storage`. */
  knowsStorage?: boolean;
}

const LOGGED = '[12:00:00] [Server thread/INFO]: ';

/** A panel and its daemon on real sockets, with one Minecraft server behind them that does as the script says. */
export async function scriptedPanel(script: PanelScript = {}) {
  const asked: Asked[] = [];
  const consoles = new Set<WebSocket>();
  const said: { event: string; args: string[] }[] = [];
  const origins: (string | undefined)[] = [];
  const emit = (event: string, ...args: string[]): void => {
    for (const each of consoles) each.send(JSON.stringify({ event, args }));
  };
  const print = (line: string): void => emit('console output', line);
  const take = (command: string): void => {
    const [, mark] = /^data get storage (\S+)$/.exec(command) ?? [];
    if (mark !== undefined && script.knowsStorage !== false)
      print(`${LOGGED}Storage ${mark} has the following contents: {}`);
    for (const line of mark === undefined ? (script.prints?.(command) ?? []) : []) print(line);
  };
  const onRequest: RequestListener = (request, response) => {
    let body = '';
    request.on('data', (chunk: Buffer) => (body += chunk.toString()));
    request.on('end', () => {
      const { method = '', url: path = '', headers } = request;
      asked.push({ method, path, headers, body });
      const reply = answer(path, body);
      if (reply !== null) response.writeHead(reply.status).end(reply.body ?? '');
    });
  };
  const server = createServer(onRequest);
  const secure = script.certificate === undefined ? null : createTlsServer(script.certificate, onRequest);
  const answer = (path: string, body: string): PanelReply | null => {
    const base = `/api/client/servers/${SERVER_ID}`;
    if (path === `${base}/command`) {
      const { command } = JSON.parse(body);
      const reply = script.command === undefined ? { status: 204 } : script.command(command);
      if (reply?.status === 204) take(command);
      return reply;
    }
    if (path === `${base}/websocket`) return script.console?.() ?? access();
    return path === base ? { status: 200, body: '{"object":"server"}' } : { status: 404 };
  };
  const access = (): PanelReply => {
    const data = { token: TOKEN, socket: `ws://127.0.0.1:${portOf(server)}/api/servers/${SERVER_ID}/ws` };
    return { status: 200, body: JSON.stringify({ data }) };
  };
  const daemon = new WebSocketServer({ server });
  daemon.on('connection', (socket, { headers }) => {
    origins.push(headers.origin);
    socket.on('message', (data: Buffer) => {
      const message = JSON.parse(data.toString());
      said.push(message);
      if (message.event !== 'auth') return;
      const isLetIn = message.args[0] === TOKEN;
      socket.send(JSON.stringify({ event: isLetIn ? 'auth success' : 'jwt error', args: [] }));
      if (isLetIn) consoles.add(socket);
    });
    socket.on('close', () => consoles.delete(socket));
  });
  await listening(server);
  if (secure !== null) await listening(secure);
  const commands = (): readonly string[] =>
    asked.filter(({ path }) => path.endsWith('/command')).map(({ body }) => JSON.parse(body).command);
  const cut = (): void => {
    for (const each of consoles) each.terminate();
  };
  return {
    url: secure === null ? `http://127.0.0.1:${portOf(server)}` : `https://localhost:${portOf(secure)}`,
    asked,
    commands,
    said,
    origins,
    emit,
    print,
    cut,
    script,
  };
}

const portOf = (server: Server): number => (server.address() as AddressInfo).port;

async function listening(server: Server): Promise<void> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => sockets.add(socket));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
}
