/**
 * A Minecraft server in a Pterodactyl or Pelican panel. Each command is one request to the panel, which passes the line to the server's
 * console. The panel says whether it passed the command on, and nothing more. What the console shows between two marks is kept for the
 * operator and says who is online, but never how a command ended: players can imitate it in the chat.
 */
import type { WebSocket as Socket } from 'ws';
import { judgeRequest } from '../../../protocol/rcon.ts';
import { isLoopback } from '../../core/address.ts';
import type { Clock } from '../../core/clock.ts';
import { commonJs } from '../../core/common-js.ts';
import { type Finding, ok, problem, warning } from '../../core/finding.ts';
import type { NotSentCode, UnknownCode } from '../../core/game-server-codes.ts';
import { interruptible } from '../../core/interruptible.ts';
import { readJson } from '../../core/json.ts';
import type { Outcome } from '../../core/outcome.ts';
import type { Random } from '../../core/random.ts';
import { readPlayerList } from '../../core/shown-players.ts';
import type { Answered, CheckParts, ConnectParts, GameServer, Presence } from '../game-server.ts';
import { presenceFinding } from '../presence.ts';
import { plain } from '../replies.ts';
import { RetryPause, SingleRequests } from '../turns.ts';
import { answerTo, refusalText, textOf } from './http-game-server.ts';
import type { ConsoleFault, PanelNotSent, PterodactylConfig } from './pterodactyl.ts';

export const connect = (config: PterodactylConfig, { clock, random }: ConnectParts): GameServer =>
  new PterodactylGameServer(config, clock, random);

export const check = async (server: PterodactylConfig, parts: CheckParts): Promise<readonly Finding[]> => [
  await tried(server, parts),
  ...keyInTheOpen(parts.name, new URL(server.url)),
];

/** Whether the panel opens the server with this key, and whether its console shows who is online. */
async function tried(config: PterodactylConfig, parts: CheckParts): Promise<Finding> {
  const { name, clock, random, sentenceOf } = parts;
  if (config.apiKey.missing !== null)
    return warning('password-unknown', `${name} was not tried: ${config.apiKey.missing}`);
  const where = `${name} (${new URL(config.url).host})`;
  const answer = await askPanel(config, 'GET', '', clock, new AbortController().signal);
  if (answer.kind !== 'ok') {
    const reason = answer.kind === 'refused' ? 'http-bad-reply' : answer.reason;
    return problem(reason, `${where}: ${sentenceOf(reason)}`);
  }
  if (!config.console)
    return ok(
      'game-server',
      `${where} opens this server; only the first command will show whether the account may send commands`,
    );
  const server = new PterodactylGameServer(config, clock, random);
  try {
    return presenceFinding({ ...parts, where }, await server.presence());
  } finally {
    await server.close();
  }
}

const keyInTheOpen = (name: string, { protocol, hostname }: URL): readonly Finding[] =>
  protocol === 'https:' || isLoopback(hostname.replace(/^\[(.*)\]$/, '$1'))
    ? []
    : [
        warning(
          'panel-plain',
          `the panel of ${name} is called without TLS, so anyone on the network path can read the API key and run commands`,
          'set url to its https address',
        ),
      ];

/** What a command prints is shown to the operator; it is not worth a longer wait. */
const SEEN_WITHIN_MS = 2_000;
/** With the UUID of each player, or, where the server does not know that, without. */
const LISTS = ['minecraft:list uuids', 'list'] as const;

/** How a command ended that was sent between two marks, and what the console showed meanwhile; null: that was not seen. */
interface Marked {
  readonly answer: PanelAnswer;
  readonly seen: readonly string[] | null;
}

class PterodactylGameServer extends SingleRequests implements GameServer {
  private readonly reading: PanelConsole | null;
  private list: (typeof LISTS)[number] = LISTS[0];

  constructor(
    private readonly config: PterodactylConfig,
    private readonly clock: Clock,
    private readonly random: Random,
  ) {
    super(clock, random);
    config.apiKey.reveal();
    this.reading = config.console ? new PanelConsole(config, clock, random, this.signal) : null;
  }

  async run(command: string): Promise<Outcome> {
    const fault = judgeRequest(command);
    if (fault !== null) return { kind: 'refused', reply: null, reason: fault };
    return this.turns.take(() => this.attempt(command));
  }

  /** Nothing is asked whose answer would decide about a payment. */
  async ask(): Promise<Answered> {
    return { kind: 'unanswered', reason: 'pterodactyl.untrusted' };
  }

  presence(): Promise<Presence> {
    return this.turns.take(() => this.readPresence());
  }

  override async close(): Promise<void> {
    await super.close();
    this.reading?.close();
  }

  private async attempt(command: string): Promise<Outcome> {
    const opening = this.opening();
    if (opening.kind === 'resting') return { kind: 'not-sent', reason: opening.reason };
    const { answer, seen } = await this.marked(command);
    this.turns.pause(this.config.commandPauseMs);
    this.ended(answer);
    switch (answer.kind) {
      case 'ok':
        return { kind: 'delivered', reply: seen?.join('\n') ?? '' };
      case 'refused':
        return { kind: 'refused', reply: answer.text };
      case 'not-sent':
      case 'unknown':
        return answer;
    }
  }

  /** Sends a command between two marks, or alone where the console cannot be read. */
  private async marked(command: string): Promise<Marked> {
    if (this.reading === null || (await this.reading.open()) !== null)
      return { answer: await this.send(command), seen: null };
    const [begin, end] = [newMark(this.random), newMark(this.random)];
    const lines = this.reading.watch();
    try {
      const first = await this.send(markCommand(begin));
      // Of the command itself, nothing was sent yet.
      if (first.kind === 'unknown')
        return { answer: { kind: 'not-sent', reason: 'between-connections' }, seen: null };
      if (first.kind === 'not-sent') return { answer: first, seen: null };
      const answer = await this.send(command);
      if (answer.kind !== 'ok' || (await this.send(markCommand(end))).kind !== 'ok')
        return { answer, seen: null };
      await this.reading.shows(end, Math.min(SEEN_WITHIN_MS, this.config.commandTimeoutMs));
      return { answer, seen: between(lines, begin, end, command) };
    } finally {
      this.reading.unwatch();
    }
  }

  /** One line for the console of the server. */
  private send(command: string): Promise<PanelAnswer> {
    const body = JSON.stringify({ command });
    return askPanel(this.config, 'POST', '/command', this.clock, this.signal, body);
  }

  private async readPresence(): Promise<Presence> {
    if (this.reading === null) return { kind: 'cannot-tell', reason: 'pterodactyl.console-off' };
    const opening = this.opening();
    if (opening.kind === 'resting') return { kind: 'unreachable', reason: opening.reason };
    const fault = await this.reading.open();
    if (fault !== null) return { kind: 'cannot-tell', reason: fault };
    const other = LISTS.find((list) => list !== this.list) ?? this.list;
    for (const list of [this.list, other]) {
      const { answer, seen } = await this.marked(list);
      this.ended(answer);
      if (answer.kind === 'refused') return { kind: 'unreachable', reason: 'http-bad-reply' };
      if (answer.kind !== 'ok') return { kind: 'unreachable', reason: answer.reason };
      const presence = seen === null ? null : presenceIn(seen);
      if (presence === null) continue;
      this.list = list;
      return presence;
    }
    return { kind: 'cannot-tell', reason: 'pterodactyl.list-unseen' };
  }
}

/** [RCON-13] Where the answer to `list` begins. What a player says in the chat begins with who says it. */
const LIST_HEADER = /^There are \d+ (?:of a max(?: of)? \d+ )?players online:/i;

/** Who is online by what a console showed between two marks; null: no answer is among it. */
function presenceIn(lines: readonly string[]): Presence | null {
  const [answer, ...others] = lines.filter((line) => LIST_HEADER.test(line));
  if (answer === undefined) return null;
  return others.length > 0
    ? { kind: 'cannot-tell', reason: 'pterodactyl.list-twice' }
    : readPlayerList(answer);
}

/** A mark in the console of a server: the name of a storage, which nobody else can know. */
const newMark = (random: Random): string =>
  `teller:mark_${Buffer.from(random.bytes(MARK_BYTES)).toString('hex')}`;

const MARK_BYTES = 8;

/** Shows the storage that it names, also if that is empty, and stores nothing (Java Edition 1.15 and later). */
const markCommand = (mark: string): string => `data get storage ${mark}`;

/** What the console showed between two marks; null: not both were seen. Lines that repeat what was typed are left out. */
function between(
  lines: readonly string[],
  begin: string,
  end: string,
  typed: string,
): readonly string[] | null {
  const from = lines.findLastIndex((line) => line.includes(begin));
  const to = lines.findIndex((line) => line.includes(end));
  if (from === -1 || to <= from) return null;
  return lines
    .slice(from + 1, to)
    .map((line) => plain(line).replace(LOG_PREFIX, ''))
    .filter((line) => line !== '' && line.replace(/^>\s*/, '') !== typed);
}

/**
 * What a server logs before each message: `[12:00:00] [Server thread/INFO]: ` or `[12:00:00 INFO]: `. A message keeps all that is its
 * own, such as who said it.
 */
const LOG_PREFIX = /^\s*(?:\[[^\]]*\]\s*)+: ?/;

/** How a request to the panel ended. */
type PanelAnswer =
  /** 2xx. For a command: the panel passed it to the console of the server. */
  | { readonly kind: 'ok'; readonly body: Buffer }
  /** Certainly nothing came of it. */
  | { readonly kind: 'not-sent'; readonly reason: NotSentCode }
  | { readonly kind: 'refused'; readonly text: string }
  | { readonly kind: 'unknown'; readonly reason: UnknownCode };

/** What a panel answers instead of passing a command on. */
const NOT_PASSED_ON: ReadonlyMap<number, PanelNotSent | 'http-busy'> = new Map([
  [401, 'pterodactyl.not-let-in'],
  [403, 'pterodactyl.not-let-in'],
  [404, 'pterodactyl.no-server'],
  [408, 'http-busy'],
  [409, 'pterodactyl.not-ready'],
  [425, 'http-busy'],
  [429, 'http-busy'],
] as const);

const BAD_GATEWAY = 502;

/** Asks the panel's API for one server (`/api/client/servers/ID`), over a connection of its own. Without a path, it changes nothing. */
async function askPanel(
  { url, server, apiKey, commandTimeoutMs }: PterodactylConfig,
  method: 'GET' | 'POST',
  path: '' | '/command' | '/websocket',
  clock: Clock,
  signal: AbortSignal,
  body = '',
): Promise<PanelAnswer> {
  const to = new URL(`${url.replace(/\/+$/, '')}/api/client/servers/${server}${path}`);
  // With any other character, no header can hold it, and no panel knows such a key.
  if (!/^[\x21-\x7e]+$/.test(apiKey.reveal())) return { kind: 'not-sent', reason: 'pterodactyl.not-let-in' };
  const headers = {
    Accept: 'application/json',
    'Content-Type': 'application/json',
    'User-Agent': 'Teller',
    Authorization: `Bearer ${apiKey.reveal()}`,
  };
  const request = { url: to, method, headers, body: Buffer.from(body) };
  const answer = await answerTo(request, { commandTimeoutMs, clock, signal });
  if (answer.kind !== 'answered') return answer;
  const { status } = answer;
  if (status >= 200 && status < 300) return { kind: 'ok', body: answer.body };
  if (status === BAD_GATEWAY && saysOffline(answer.body))
    return { kind: 'not-sent', reason: 'pterodactyl.offline' };
  const reason = NOT_PASSED_ON.get(status);
  if (reason !== undefined) return { kind: 'not-sent', reason };
  if (status >= 400 && status < 500)
    return { kind: 'refused', text: refusalText(status, textOf(answer.body)) };
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

/** A line of a console is at most some KiB. */
const MESSAGE_MAX_BYTES = 1024 * 1024;
/** So many of the latest lines are kept while it is watched. */
const LINES_MAX = 2_000;

interface Message {
  readonly event: string;
  readonly args: readonly string[];
}

/**
 * The console of a server, read over the panel's WebSocket. The connection stays open; the token, which is valid for about
 * ten minutes, is renewed when the daemon asks for it.
 */
class PanelConsole {
  /** Loaded only where a console is read: its package is a dozen files. */
  private readonly package = commonJs('ws') as typeof import('ws');
  private socket: Socket | null = null;
  /** null: nobody watches it. */
  private lines: string[] | null = null;
  private noticed: () => void = () => {};
  private readonly retryPause: RetryPause<never>;
  private fault: ConsoleFault = 'pterodactyl.console-closed';

  constructor(
    private readonly config: PterodactylConfig,
    private readonly clock: Clock,
    random: Random,
    private readonly signal: AbortSignal,
  ) {
    this.retryPause = new RetryPause(clock, random);
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

  /** Lines that the console shows from now on. */
  watch(): readonly string[] {
    this.lines = [];
    return this.lines;
  }

  unwatch(): void {
    this.lines = null;
  }

  /** Waits until a line with this text is shown, or for so long. */
  async shows(text: string, limitMs: number): Promise<void> {
    const { clock, signal } = this;
    await interruptible<void>({ clock, limitMs, signal, interrupted: () => {} }, (end) => {
      this.noticed = () => {
        if (this.lines?.some((line) => line.includes(text))) end();
      };
      this.noticed();
    });
    this.noticed = () => {};
  }

  close(): void {
    this.socket?.terminate();
    this.socket = null;
  }

  private async connect(): Promise<ConsoleFault | null> {
    const access = await this.access();
    if (typeof access === 'string') return access;
    const socket = new this.package.WebSocket(access.socket, {
      // As the panel's own pages have it, which the daemon requires of whoever reads a console.
      origin: new URL(this.config.url).origin,
      maxPayload: MESSAGE_MAX_BYTES,
      perMessageDeflate: false,
      followRedirects: false,
    });
    // This listener stays: without it, a later error would crash the process.
    socket.on('error', () => {});
    const { clock, signal } = this;
    const limits = { clock, limitMs: this.config.commandTimeoutMs, signal, interrupted: () => false };
    const isOpen = await interruptible<boolean>(limits, (end) => {
      socket.once('open', () => say(socket, { event: 'auth', args: [access.token] }));
      socket.once('close', () => end(false));
      socket.on('message', (data: Buffer) => {
        const message = readMessage(data);
        if (message === null) return;
        if (message.event === 'auth success') end(true);
        else if (message.event === 'jwt error') socket.terminate();
        else void this.take(socket, message);
      });
    });
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
      this.lines?.push(...args.join('').split(/\r?\n/));
      this.lines?.splice(0, this.lines.length - LINES_MAX);
      this.noticed();
      return;
    }
    if (event !== 'token expiring' && event !== 'token expired') return;
    const access = await this.access();
    if (typeof access === 'string') socket.terminate();
    else say(socket, { event: 'auth', args: [access.token] });
  }

  /** Asks the panel where the console can be read, and for the token for that. @returns why it cannot be read otherwise. */
  private async access(): Promise<{ readonly socket: string; readonly token: string } | ConsoleFault> {
    const answer = await askPanel(this.config, 'GET', '/websocket', this.clock, this.signal);
    if (answer.kind !== 'ok') {
      const isRefused = answer.kind === 'not-sent' && answer.reason === 'pterodactyl.not-let-in';
      return isRefused ? 'pterodactyl.console-refused' : 'pterodactyl.console-closed';
    }
    const { socket, token } = Object(Object(readJson(answer.body.toString('utf8'))).data);
    if (typeof token !== 'string' || typeof socket !== 'string' || !/^wss?:\/\//.test(socket))
      return 'pterodactyl.console-closed';
    // The token would travel in clear, unlike what the panel was asked.
    const isUnencrypted = new URL(this.config.url).protocol === 'https:' && socket.startsWith('ws:');
    return isUnencrypted ? 'pterodactyl.console-unencrypted' : { socket, token };
  }
}

const say = (socket: Socket, message: Message): void => socket.send(JSON.stringify(message), () => {});

/** null: it is none. */
function readMessage(data: Buffer): Message | null {
  const { event, args = [] } = Object(readJson(data.toString('utf8')));
  if (typeof event !== 'string' || !Array.isArray(args)) return null;
  return { event, args: args.filter((arg) => typeof arg === 'string') };
}
