import type { UnknownCode } from '../../../core/game-server-codes.ts';
import { readJson } from '../../../core/json.ts';
import type { HttpNotSentReason } from '../http/codes.ts';
import { type Exchanged, exchange } from '../http/exchange.ts';
import { type HttpTarget, reach } from '../http/reach.ts';
import type { PanelNotSent } from './codes.ts';
import type { PterodactylConfig } from './schema.ts';

export interface PanelSettings
  extends Pick<PterodactylConfig, 'url' | 'server' | 'apiKey' | 'commandTimeoutMs'>,
    Pick<HttpTarget, 'clock'> {}

export type PanelReason = HttpNotSentReason | PanelNotSent;

/** How a request to the panel ended. */
export type PanelAnswer =
  /** 2xx. For a command: the panel passed it to the console of the server. */
  | { readonly kind: 'ok'; readonly body: Buffer }
  /** Certainly nothing came of it. */
  | { readonly kind: 'not-sent'; readonly reason: PanelReason }
  | { readonly kind: 'refused'; readonly text: string }
  | { readonly kind: 'unknown'; readonly reason: UnknownCode };

/** Where a console can be read. `unencrypted`: only where the token would travel in clear, unlike what the panel was asked. */
export type ConsoleAccess =
  | { readonly kind: 'open'; readonly socket: string; readonly token: string }
  | { readonly kind: 'unencrypted' };

/** What a panel answers instead of passing a command on. */
const NOT_PASSED_ON: ReadonlyMap<number, PanelReason> = new Map<number, PanelReason>([
  [401, 'pterodactyl.not-let-in'],
  [403, 'pterodactyl.not-let-in'],
  [404, 'pterodactyl.no-server'],
  [408, 'http-busy'],
  [409, 'pterodactyl.not-ready'],
  [425, 'http-busy'],
  [429, 'http-busy'],
]);

const BAD_GATEWAY = 502;

/** The API of the panel for one server (`/api/client/servers/ID`), with one connection for each request. */
export class Panel {
  constructor(private readonly settings: PanelSettings) {}

  /** As the panel's own pages have it, which the daemon requires of whoever reads a console. */
  get origin(): string {
    return new URL(this.settings.url).origin;
  }

  /** One line for the console of the server. */
  send(command: string, signal: AbortSignal): Promise<PanelAnswer> {
    return this.request('POST', 'command', Buffer.from(JSON.stringify({ command })), signal);
  }

  /** Where the console can be read, and the token for that, which is valid for about ten minutes. */
  async consoleAccess(signal: AbortSignal): Promise<ConsoleAccess | Exclude<PanelAnswer, { kind: 'ok' }>> {
    const answer = await this.request('GET', 'websocket', Buffer.alloc(0), signal);
    if (answer.kind !== 'ok') return answer;
    const { data } = Object(readJson(answer.body.toString('utf8')));
    const { socket, token } = Object(data);
    const isToken = typeof token === 'string' && typeof socket === 'string';
    if (!isToken || !/^wss?:\/\//.test(socket)) return { kind: 'unknown', reason: 'http-bad-reply' };
    return this.origin.startsWith('https:') && socket.startsWith('ws:')
      ? { kind: 'unencrypted' }
      : { kind: 'open', socket, token };
  }

  /** Whether the key opens the server. Changes nothing. */
  look(signal: AbortSignal): Promise<PanelAnswer> {
    return this.request('GET', '', Buffer.alloc(0), signal);
  }

  private async request(
    method: 'GET' | 'POST',
    path: string,
    body: Buffer,
    signal: AbortSignal,
  ): Promise<PanelAnswer> {
    const { url, server, apiKey, commandTimeoutMs, clock } = this.settings;
    const base = url.replace(/\/+$/, '');
    const to = new URL(`${base}/api/client/servers/${server}${path === '' ? '' : `/${path}`}`);
    const target: HttpTarget = { url: to, commandTimeoutMs, clock };
    const reached = await reach(target, signal);
    if (reached.kind === 'failed') return { kind: 'not-sent', reason: reached.reason };
    const headers = {
      Accept: 'application/json',
      'Content-Type': 'application/json',
      'User-Agent': 'Teller',
      Authorization: `Bearer ${apiKey.reveal()}`,
    };
    return answerOf(await exchange(reached.socket, target, { method, headers, body }, signal));
  }
}

function answerOf(ended: Exchanged): PanelAnswer {
  if (ended.kind === 'unknown') return ended;
  const { status, text, body } = ended;
  if (status >= 200 && status < 300) return { kind: 'ok', body };
  if (status === BAD_GATEWAY && saysOffline(body)) return { kind: 'not-sent', reason: 'pterodactyl.offline' };
  const reason = NOT_PASSED_ON.get(status);
  if (reason !== undefined) return { kind: 'not-sent', reason };
  if (status >= 400 && status < 500)
    return { kind: 'refused', text: text === '' ? `HTTP ${status}` : `HTTP ${status}: ${text}` };
  return { kind: 'unknown', reason: status >= 500 ? 'http-server-fault' : 'http-redirect' };
}

/**
 * Whether the panel itself says that the server is not running. A proxy in front of it answers 502 too, when the panel has
 * failed after it passed the command on.
 */
function saysOffline(body: Buffer): boolean {
  const { errors } = Object(readJson(body.toString('utf8')));
  return (
    Array.isArray(errors) &&
    errors.some((error) => {
      const { code, status } = Object(error);
      return code === 'HttpException' && status === '502';
    })
  );
}
