/** A Pterodactyl panel and its daemon on real sockets, with one Minecraft server behind them. */
import { createServer, type IncomingHttpHeaders, type RequestListener } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { type WebSocket, WebSocketServer } from 'ws';
import type { SelfSigned } from '../support/network.ts';
import { serve } from './serve.ts';

/** The short ID of the server, as in the address of its page. */
const SERVER_ID = 'd3aac109';
export const API_KEY = 'ptlc_the-key-of-the-account';
export const CONSOLE_TOKEN = 'token-of-the-console';
const LOGGED = '[12:00:00] [Server thread/INFO]: ';

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
  /** The lines that the server prints for a command, besides the answers to marks. */
  prints?: (command: string) => readonly string[];
  /** With it, the panel is reached by https; its console is not. */
  readonly certificate?: SelfSigned;
  /** Whether the server knows `data get storage`. */
  readonly knowsStorage?: boolean;
}

interface Asked {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** @param settings of its entry. */
export async function panelGame(script: PanelScript = {}, settings: object = {}) {
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
    if (mark === undefined) for (const line of script.prints?.(command) ?? []) print(line);
    else if (script.knowsStorage !== false) print(`${LOGGED}Storage ${mark} has the following contents: {}`);
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
  const answer = (path: string, body: string): PanelReply | null => {
    const base = `/api/client/servers/${SERVER_ID}`;
    if (path === `${base}/command`) {
      const { command } = JSON.parse(body);
      const reply = script.command === undefined ? { status: 204 } : script.command(command);
      if (reply?.status === 204) take(command);
      return reply;
    }
    if (path === `${base}/websocket`) return script.console?.() ?? access(CONSOLE_TOKEN);
    return path === base ? { status: 200, body: '{"object":"server"}' } : { status: 404 };
  };
  /** How the panel says where the console is. */
  const access = (token: string): PanelReply => {
    const data = { token, socket: `ws://127.0.0.1:${port}/api/servers/${SERVER_ID}/ws` };
    return { status: 200, body: JSON.stringify({ data }) };
  };
  const server = createServer(onRequest);
  new WebSocketServer({ server }).on('connection', (socket, { headers }) => {
    origins.push(headers.origin);
    socket.on('message', (data: Buffer) => {
      const message = JSON.parse(data.toString());
      said.push(message);
      if (message.event !== 'auth') return;
      const isLetIn = message.args[0] === CONSOLE_TOKEN;
      socket.send(JSON.stringify({ event: isLetIn ? 'auth success' : 'jwt error', args: [] }));
      if (isLetIn) consoles.add(socket);
    });
    socket.on('close', () => consoles.delete(socket));
  });
  const port = await serve(server);
  const { certificate } = script;
  const url =
    certificate === undefined
      ? `http://127.0.0.1:${port}`
      : `https://localhost:${await serve(createTlsServer(certificate, onRequest))}`;
  return {
    entry: { kind: 'pterodactyl', url, server: SERVER_ID, apiKey: API_KEY, commandPause: '0ms', ...settings },
    ...{ url, asked, said, origins, emit, print, access },
    /** What was sent to the server, in order. */
    commands: (): readonly string[] =>
      asked.filter(({ path }) => path.endsWith('/command')).map(({ body }) => JSON.parse(body).command),
    /** Breaks the connections to the console. */
    cut: () => {
      for (const each of consoles) each.terminate();
    },
  };
}
