import type { WebSocket as Socket } from 'ws';
import { commonJs } from '../../../core/common-js.ts';
import { interruptible } from '../../../core/interruptible.ts';
import { readJson } from '../../../core/json.ts';
import type { Random } from '../../../core/random.ts';
import { RetryPause } from '../../retry-pause.ts';
import type { ConsoleFault } from './codes.ts';
import type { Panel, PanelSettings } from './panel.ts';

const { WebSocket } = commonJs('ws') as typeof import('ws');

/** A line of a console is at most some KiB. */
const MESSAGE_MAX_BYTES = 1024 * 1024;
/** So many of the latest lines are kept while somebody listens. */
const LINES_MAX = 2_000;

interface Message {
  readonly event: string;
  readonly args: readonly string[];
}

/** Lines that the console shows from now on. */
export interface Watching {
  readonly lines: readonly string[];
  /** @returns whether a line with this text was shown in time. */
  shows(text: string, limitMs: number): Promise<boolean>;
  end(): void;
}

/**
 * The console of a server, read over the panel's WebSocket. The connection stays open; the token, which is valid for about
 * ten minutes, is renewed when the daemon asks for it.
 */
export class PanelConsole {
  private socket: Socket | null = null;
  private readonly listeners = new Set<(line: string) => void>();
  private readonly retryPause: RetryPause<never>;
  private fault: ConsoleFault = 'pterodactyl.console-closed';

  constructor(
    private readonly panel: Panel,
    private readonly parts: Pick<PanelSettings, 'clock' | 'commandTimeoutMs'> & { readonly random: Random },
    private readonly signal: AbortSignal,
  ) {
    this.retryPause = new RetryPause(parts.clock, parts.random);
  }

  /** Connects, unless it is connected or has failed lately. @returns why it cannot be read; null: it can. Never rejects. */
  async open(): Promise<ConsoleFault | null> {
    if (this.socket !== null) return null;
    if (this.retryPause.leftMs > 0 || this.signal.aborted) return this.fault;
    const fault = await this.connect();
    if (fault === null) this.retryPause.succeeded();
    else {
      this.fault = fault;
      this.retryPause.failed('between-connections');
    }
    return fault;
  }

  watch(): Watching {
    const { clock } = this.parts;
    const { signal } = this;
    const lines: string[] = [];
    let noticed: () => void = () => {};
    const listen = (line: string): void => {
      lines.push(line);
      if (lines.length > LINES_MAX) lines.shift();
      noticed();
    };
    this.listeners.add(listen);
    const isShown = (text: string): boolean => lines.some((line) => line.includes(text));
    return {
      lines,
      shows: (text, limitMs) =>
        interruptible<boolean>({ clock, limitMs, signal, interrupted: () => isShown(text) }, (end) => {
          noticed = () => {
            if (isShown(text)) end(true);
          };
          noticed();
        }),
      end: () => this.listeners.delete(listen),
    };
  }

  close(): void {
    this.socket?.terminate();
    this.socket = null;
  }

  private async connect(): Promise<ConsoleFault | null> {
    const access = await this.panel.consoleAccess(this.signal);
    if (access.kind === 'unencrypted') return 'pterodactyl.console-unencrypted';
    if (access.kind !== 'open')
      return access.kind === 'not-sent' && access.reason === 'pterodactyl.not-let-in'
        ? 'pterodactyl.console-refused'
        : 'pterodactyl.console-closed';
    const socket = new WebSocket(access.socket, {
      origin: this.panel.origin,
      maxPayload: MESSAGE_MAX_BYTES,
      perMessageDeflate: false,
      followRedirects: false,
    });
    // This listener stays: without it, a later error would crash the process.
    socket.on('error', () => {});
    const { clock, commandTimeoutMs: limitMs } = this.parts;
    const { signal } = this;
    const isOpen = await interruptible<boolean>(
      { clock, limitMs, signal, interrupted: () => false },
      (end) => {
        socket.once('open', () => say(socket, { event: 'auth', args: [access.token] }));
        socket.once('close', () => end(false));
        socket.on('message', (data: Buffer) => {
          const message = readMessage(data);
          if (message === null) return;
          if (message.event === 'auth success') end(true);
          else if (message.event === 'jwt error') socket.terminate();
          else void this.take(socket, message);
        });
      },
    );
    if (!isOpen) {
      socket.terminate();
      return 'pterodactyl.console-closed';
    }
    this.socket = socket;
    socket.once('close', () => {
      if (this.socket === socket) this.socket = null;
    });
    return null;
  }

  private async take(socket: Socket, { event, args }: Message): Promise<void> {
    if (event === 'console output') {
      for (const line of args.join('').split(/\r?\n/)) for (const listen of this.listeners) listen(line);
      return;
    }
    if (event !== 'token expiring' && event !== 'token expired') return;
    const access = await this.panel.consoleAccess(this.signal);
    if (access.kind === 'open') say(socket, { event: 'auth', args: [access.token] });
    else socket.terminate();
  }
}

const say = (socket: Socket, message: Message): void => socket.send(JSON.stringify(message), () => {});

/** null: it is none. */
function readMessage(data: Buffer): Message | null {
  const { event, args = [] } = Object(readJson(data.toString('utf8')));
  if (typeof event !== 'string' || !Array.isArray(args)) return null;
  return { event, args: args.filter((arg) => typeof arg === 'string') };
}
