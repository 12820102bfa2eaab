/**
 * A game server with RCON. It connects with the first command and keeps the connection. A command is sent only over a connection that
 * has just answered, so a dead one costs no attempt; and who is online is what the server says, never a guess.
 */
import { lookup } from 'node:dns/promises';
import { networkInterfaces } from 'node:os';
import { judgeRequest } from '../../../protocol/rcon.ts';
import { isPublicAddress, placeText } from '../../core/address.ts';
import { ageOf, type Clock, type Moment, momentOf } from '../../core/clock.ts';
import { type Finding, type FindingCode, warning } from '../../core/finding.ts';
import type { Outcome } from '../../core/outcome.ts';
import { playerKey } from '../../core/player-name.ts';
import type { Random } from '../../core/random.ts';
import { readPlayerList } from '../../core/shown-players.ts';
import { nameAsWord } from '../../core/template.ts';
import {
  type Answered,
  type CheckParts,
  type ConnectParts,
  type GameServer,
  type GameServerConfig,
  NOBODY,
  type Opening,
  type Presence,
} from '../game-server.ts';
import { oneByOne, type PresenceQuestion, presenceFinding } from '../presence.ts';
import { judgeReply, plain } from '../replies.ts';
import { RetryPause, Turns } from '../turns.ts';
import {
  type Answer,
  type NotSentReason,
  type Opened,
  openRconConnection,
  PROBE,
  type RconConnection,
  type RconTarget,
  type UnknownReason,
} from './rcon-connection.ts';

/** In any dialect. */
export const connect = (config: Settings, { clock, random }: ConnectParts): GameServer =>
  new RconGameServer(config, clock, random);

type Settings = GameServerConfig & Omit<RconTarget, 'clock'>;

export const check = async (server: Settings, parts: CheckParts): Promise<readonly Finding[]> => [
  ...(await tried(server, parts)),
  ...(await passwordInTheOpen(parts.name, server)),
];

/** Whether it accepts the login, and whether it reports who is online. */
async function tried(config: Settings, parts: CheckParts): Promise<readonly Finding[]> {
  const { name, clock, random, isInUse } = parts;
  if (config.password.missing !== null) {
    return [warning('password-unknown', `${name} was not tried: ${config.password.missing}`)];
  }
  const server = new RconGameServer(config, clock, random);
  try {
    const where = `${name} (${placeText(config.host, config.port)})`;
    const finding = await tryServer({ ...parts, where }, server);
    if (finding.mark === 'ok') return [finding, ...(await tryWithoutOutput(name, config, server))];
    if (!SECOND_LOGIN.has(finding.code) || !(await isInUse())) return [finding];
    return [
      warning(
        'single-connection',
        `${where} did not accept a second login while the running Teller is connected to it; some game servers allow only one RCON connection at a time`,
        'nothing, if rewards arrive; to test the login itself, stop Teller first',
      ),
    ];
  } finally {
    await server.close();
  }
}

/** How a second login fails on a game server that allows only one RCON connection at a time. */
const SECOND_LOGIN: ReadonlySet<FindingCode> = new Set([
  'login-timeout',
  'closed-at-login',
  'closed-after-login',
  'not-rcon',
]);

/** A server whose list is not understood is asked about a player too. */
async function tryServer(asked: PresenceQuestion, server: GameServer): Promise<Finding> {
  const presence = await server.presence([]);
  if (presence.kind !== 'cannot-tell') return presenceFinding(asked, presence);
  const about = await server.presence([NOBODY]);
  if (about.kind === 'cannot-tell') return presenceFinding(asked, presence);
  return about.kind === 'unreachable' ? presenceFinding(asked, about) : oneByOne(asked.where);
}

/** Does nothing, because no player has that name. No game server prints anything, and most reply with an empty frame. */
const WITHOUT_OUTPUT = `execute as @a[name=${NOBODY}] run list`;

async function tryWithoutOutput(
  name: string,
  { noReply }: Settings,
  server: GameServer,
): Promise<readonly Finding[]> {
  if (noReply === 'delivered') return [];
  const outcome = await server.run(WITHOUT_OUTPUT, WITHOUT_OUTPUT);
  if (outcome.kind !== 'unknown' || outcome.reason !== 'no-frame') return [];
  return [
    warning(
      'no-frame',
      `${name} sends no reply to a command without output, such as \`say\`; for each of them Teller waits until commandTimeout, and the grant is held`,
      `set gameServers.${name}.noReply to "delivered", unless a proxy or plugin swallows its replies`,
    ),
  ];
}

/** Whether the password would cross the internet: RCON is not encrypted. A name that cannot be resolved is no finding of this. */
async function passwordInTheOpen(name: string, { host, port }: Settings): Promise<readonly Finding[]> {
  // What is sent to an address of this machine does not leave it.
  const own = Object.values(networkInterfaces()).flatMap((all) => (all ?? []).map(({ address }) => address));
  const found = await lookup(host, { all: true }).catch(() => []);
  const isAbroad = found.some(({ address }) => isPublicAddress(address) && !own.includes(address));
  if (!isAbroad) return [];
  return [
    warning(
      'rcon-public',
      `${name} (${placeText(host, port)}) has a public address, and RCON is not encrypted: anyone on the network path can read the password and run commands`,
      'connect over a private network, a VPN or an SSH tunnel; in a panel, use kind "pterodactyl"',
    ),
  ];
}

/** A server that is stopping takes about a second to unload all its plugins. */
const UNKNOWN_COMMAND_PAUSE_MS = 1_000;
/** The pause after a question. If it were longer, the answer would be old by the time the command is sent. */
const QUESTION_PAUSE_MAX_MS = 500;

/**
 * In order of preference. With `uuids` the names are plain; without, vanilla shows a team's prefix and suffix around
 * them. Plugins change `list`, but not `minecraft:list`, which servers without plugins do not know.
 */
const LISTS: readonly string[] = ['minecraft:list uuids', 'list uuids', 'minecraft:list', 'list'];

/** One command at a time: the next one starts when this one has ended and the pause after it is over. */
class RconGameServer implements GameServer {
  private readonly shutDown = new AbortController();
  private readonly turns: Turns;
  private readonly link: Link;
  /** Those that the server does not know come after the one that it knew last. */
  private lists = LISTS;
  /**
   * First words of commands that the server twice did not know, until the connection closes on which it said so: a reward with a
   * typo costs one new connection instead of one for each vote.
   */
  private readonly unknownCommands = new Set<string>();
  private connection: RconConnection | null = null;

  constructor(
    private readonly config: Settings,
    clock: Clock,
    random: Random,
  ) {
    this.turns = new Turns(clock, this.shutDown.signal);
    this.link = new Link({ ...config, clock }, this.shutDown.signal, random);
  }

  open(): Promise<Opening> {
    return this.turns.take(async () => this.openingOf(await this.link.open()));
  }

  ready(): Promise<Opening> {
    return this.turns.take(async () => this.openingOf(await this.openProven()));
  }

  get retryAt(): number | null {
    return this.link.retryPause.retryAt;
  }

  sendsAtOnce(): boolean {
    return this.turns.isPauseOver && this.link.isProvenOpen;
  }

  async run(command: string, template?: string): Promise<Outcome> {
    const fault = judgeRequest(command);
    if (fault !== null) return { kind: 'refused', reply: null, reason: fault };
    return this.turns.take(() => this.attempt(command, template));
  }

  async ask(question: string): Promise<Answered> {
    // No game server accepts it, so the answer says nothing.
    if (judgeRequest(question) !== null) return { kind: 'reply', text: '' };
    const answer = await this.turns.take(() => this.question(question));
    return answer.kind === 'reply' ? answer : { kind: 'unanswered', reason: answer.reason };
  }

  /** [RCON-13] */
  async presence(wanted: readonly string[]): Promise<Presence> {
    let presence: Presence = { kind: 'cannot-tell', reason: 'list-not-understood' };
    for (const list of this.lists) {
      const answer = await this.turns.take(() => this.question(list));
      if (answer.kind !== 'reply') return { kind: 'unreachable', reason: answer.reason };
      presence = readPlayerList(plain(answer.text));
      if (presence.kind === 'known') this.lists = [list, ...LISTS.filter((other) => other !== list)];
      // Not a list: the server may not know this form of the command and may say so in any language.
      if (presence.kind !== 'cannot-tell' || presence.reason !== 'list-not-understood') break;
    }
    if (presence.kind !== 'known') return this.askForEach(wanted, presence);
    if (presence.uuids !== undefined) return presence;
    // Without UUIDs a name may have a team's prefix: `~Steve` may be Steve.
    const listed = new Set(presence.names.map(playerKey));
    const bare = new Set(presence.names.map((name) => playerKey(name.replace(/^\W+/u, ''))));
    const doubtful = wanted.filter((name) => !listed.has(playerKey(name)) && bare.has(playerKey(name)));
    const found = await this.askForEach(doubtful, presence);
    return found.kind === 'asked' ? { kind: 'known', names: [...presence.names, ...found.names] } : found;
  }

  async close(): Promise<void> {
    this.shutDown.abort();
    await this.turns.end();
  }

  /** Which of these players are online, in the spelling asked for, because the answer contains no name. */
  private async askForEach(wanted: readonly string[], instead: Presence): Promise<Presence> {
    if (wanted.length === 0) return instead;
    const names: string[] = [];
    for (const name of wanted) {
      const word = nameAsWord(name);
      if (word === null) continue; // no player has such a name, and it could end the command
      const answer = await this.turns.take(() => this.question(`minecraft:execute if entity ${word}`));
      if (answer.kind !== 'reply') return { kind: 'unreachable', reason: answer.reason };
      const text = plain(answer.text);
      if (text.startsWith('Test passed')) names.push(name);
      else if (!text.startsWith('Test failed')) return instead;
    }
    return { kind: 'asked', names };
  }

  private openingOf(opened: Opened): Opening {
    if (opened.kind === 'open') return { kind: 'open' };
    return { kind: 'resting', reason: opened.reason, restMs: this.link.retryPause.leftMs };
  }

  /**
   * A command that the server does not know has not run, and a server that is stopping knows fewer and fewer commands.
   * So we retry the command once on a new connection. If the server has stopped, the connection fails, the command is
   * not sent, and the grant stays pending.
   */
  private async attempt(command: string, template?: string): Promise<Outcome> {
    const [word = ''] = command.toLowerCase().split(' ', 1);
    const first = this.judged(await this.exchange(command), command, template);
    if (!first.isUnknownCommand || this.unknownCommands.has(word)) return first.outcome;
    this.link.renew();
    this.turns.pause(UNKNOWN_COMMAND_PAUSE_MS);
    const second = this.judged(await this.exchange(command), command, template);
    if (second.isUnknownCommand) this.unknownCommands.add(word);
    return second.outcome;
  }

  private judged(answer: Answer, command: string, template?: string) {
    if (answer.kind !== 'reply') return { outcome: answer, isUnknownCommand: false };
    return judgeReply(answer.text, this.config, command, template);
  }

  /** Sends a command, but only on a connection that answered a moment ago. */
  private async exchange(command: string): Promise<Answer> {
    const opened = await this.openProven();
    if (opened.kind === 'failed') return { kind: 'not-sent', reason: opened.reason };
    const { connection } = opened;
    if (connection !== this.connection) this.unknownCommands.clear();
    this.connection = connection;
    const answer = await connection.exchange(command);
    this.answered(connection, answer, this.config.commandPauseMs);
    if (answer.kind === 'unknown') this.link.failed(whyOthersWait(answer.reason));
    return answer;
  }

  /**
   * Waits until the pause is over, and sends questions until the connection has answered. It takes two questions to see
   * that a server closes after each reply.
   */
  private async openProven(): Promise<Opened> {
    await this.turns.pauseIsOver();
    const opened = await this.link.open();
    if (opened.kind === 'failed' || this.link.isProven(opened.connection)) return opened;
    const answer = await this.question(PROBE);
    if (answer.kind === 'reply') return this.openProven();
    if (answer.kind === 'not-sent') return { kind: 'failed', reason: answer.reason };
    return { kind: 'failed', reason: answer.reason === 'shut-down' ? 'shut-down' : 'list-unanswered' };
  }

  /** Sends a command that changes nothing. If an idle connection turns out to be dead, a new one is used. */
  private async question(question: string): Promise<Answer> {
    await this.turns.pauseIsOver();
    const opened = await this.link.open();
    if (opened.kind === 'failed') return { kind: 'not-sent', reason: opened.reason };
    const { connection } = opened;
    const isFirst = connection.answeredAt === null;
    const answer = await connection.question(question, isWholeList);
    this.answered(connection, answer, Math.min(this.config.commandPauseMs, QUESTION_PAUSE_MAX_MS));
    if (answer.kind === 'reply' && isFirst) await this.link.countClose(connection);
    if (answer.kind !== 'unknown') return answer;
    if (!isFirst && !this.link.isProven(connection)) return this.question(question);
    // The server refused the login late and did not run the question.
    const isRefusal = answer.reason === 'login-lost' && isFirst;
    this.link.failed(isRefusal ? 'wrong-password' : whyOthersWait(answer.reason));
    return isRefusal ? { kind: 'not-sent', reason: 'wrong-password' } : answer;
  }

  private answered(connection: RconConnection, { kind }: Answer, pauseMs: number): void {
    if (kind === 'reply') this.link.succeeded(connection);
    if (kind !== 'not-sent') this.turns.pause(pauseMs);
  }
}

/**
 * Whether a reply is certainly a complete list, although its last packet is full: it shows each player with a whole UUID. The last
 * name of another list may be cut.
 */
function isWholeList(reply: string): boolean {
  // This is asked after each packet of a long reply, so most of them are not read.
  if (!plain(reply.slice(-20)).endsWith(')')) return false;
  const list = readPlayerList(plain(reply));
  return list.kind === 'known' && list.uuids !== undefined;
}

/** What happened to one command is no reason for the commands that wait after it. */
const whyOthersWait = (reason: UnknownReason): NotSentReason =>
  reason === 'shut-down' ? reason : 'between-connections';

/** For how long an answer proves that a connection works. Some proxies drop connections that were idle for 30 s. */
const PROVEN_FOR_MS = 10_000;
/** After this many consecutive connections that closed after one answer, we assume that the server always does so. */
const CLOSES_EXPECTED_AFTER = 2;

/**
 * Keeps one connection to a game server and opens it on demand. A connection that ends between two commands is opened
 * again at once. After a failure (no login, or a command without reply) there is a pause first, longer with each
 * failure in a row, until a complete reply comes. A server that closes after each reply gets a connection for each
 * command: a command sent on a connection that is being closed would be lost, or held.
 */
class Link {
  readonly retryPause: RetryPause<NotSentReason>;
  private connection: RconConnection | null = null;
  private lastAnswerAt: Moment | null = null;
  private closesInARow = 0;

  constructor(
    private readonly target: RconTarget,
    private readonly signal: AbortSignal,
    random: Random,
  ) {
    this.retryPause = new RetryPause(target.clock, random);
  }

  async open(): Promise<Opened> {
    if (this.signal.aborted) return { kind: 'failed', reason: 'shut-down' };
    if (this.connection?.isOpen) return { kind: 'open', connection: this.connection };
    if (this.retryPause.leftMs > 0) return { kind: 'failed', reason: this.retryPause.reason };
    const opened = await openRconConnection(this.target, this.signal);
    if (opened.kind === 'failed') this.failed(opened.reason);
    else this.connection = opened.connection;
    return opened;
  }

  /** Whether `open` would return a proven connection at once. */
  get isProvenOpen(): boolean {
    const { connection } = this;
    return !this.signal.aborted && connection !== null && connection.isOpen && this.isProven(connection);
  }

  /** Makes the next command use a new connection. */
  renew(): void {
    this.connection?.close();
  }

  /**
   * Whether a command may be sent because the connection answered a moment ago. An idle connection may be dead without
   * a sign, and a new one may lead to a server that is still starting.
   */
  isProven({ answeredAt }: RconConnection): boolean {
    const provenAt = answeredAt ?? (this.closesAfterReply ? this.lastAnswerAt : null);
    return provenAt !== null && ageOf(this.target.clock, provenAt) < PROVEN_FOR_MS;
  }

  /** Call this when a complete reply has come. */
  succeeded(connection: RconConnection): void {
    this.retryPause.succeeded();
    this.lastAnswerAt = momentOf(this.target.clock);
    if (this.closesAfterReply) connection.close();
  }

  /** After a connection's first answer: finds out whether this server closes after each answer. */
  async countClose(connection: RconConnection): Promise<void> {
    if (!this.closesAfterReply) this.closesInARow = (await connection.endsSoon()) ? this.closesInARow + 1 : 0;
  }

  private get closesAfterReply(): boolean {
    return this.closesInARow >= CLOSES_EXPECTED_AFTER;
  }

  failed(why: NotSentReason): void {
    if (why !== 'shut-down') this.retryPause.failed(why);
  }
}
