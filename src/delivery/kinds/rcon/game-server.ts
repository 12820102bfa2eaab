import { judgeRequest } from '../../../../protocol/rcon.ts';
import type { Clock } from '../../../core/clock.ts';
import type { Outcome } from '../../../core/outcome.ts';
import type { Random } from '../../../core/random.ts';
import type { Answered, GameServer, Opening, Presence } from '../../game-server.ts';
import { type Asked, asked, judgeReply, outcomeOf } from '../../replies.ts';
import { Turns } from '../../turns.ts';
import type { NotSentReason, UnknownReason } from './codes.ts';
import { type Answer, type IsWhole, PROBE, type RconConnection, type RconTarget } from './connection.ts';
import { RconLink } from './link.ts';
import type { Opened } from './login.ts';
import { PresenceReader } from './presence.ts';
import type { RconConfig } from './schema.ts';
import { UnknownCommands } from './unknown-commands.ts';

type FromConfig =
  | 'host'
  | 'port'
  | 'password'
  | 'commandPauseMs'
  | 'commandTimeoutMs'
  | 'refusedReplies'
  | 'offlineReplies'
  | 'deliveredReplies';

export interface RconSettings
  extends Pick<RconConfig, FromConfig>,
    Pick<RconTarget, 'quietMs' | 'closeWaitMs' | 'provenForMs' | 'noReply'> {
  readonly clock: Clock;
  readonly random: Random;
  /** How long to wait before a command that the server did not know is tried once more. */
  readonly unknownCommandPauseMs?: number;
}

/** A game server with RCON, in any dialect. It connects with the first command. */
export const rconGameServer = (settings: RconSettings): GameServer => new RconGameServer(settings);

/** A server that is stopping takes about a second to unload all its plugins. */
const UNKNOWN_COMMAND_PAUSE_MS = 1_000;
/** The pause after a question. If it were longer, the answer would be old by the time the command is sent. */
const QUESTION_PAUSE_MAX_MS = 500;

/** One command at a time: the next one starts when this one has ended and the pause after it is over. */
class RconGameServer implements GameServer {
  private readonly link: RconLink;
  private readonly turns: Turns;
  private readonly shutDown = new AbortController();
  private readonly reader = new PresenceReader((question, isWhole) =>
    this.turns.take(() => this.question(question, isWhole)),
  );
  private readonly unknownCommands = new UnknownCommands();

  constructor(private readonly settings: RconSettings) {
    this.turns = new Turns(settings.clock, this.shutDown.signal);
    this.link = new RconLink(settings, this.shutDown.signal, settings.random);
  }

  open(): Promise<Opening> {
    return this.turns.take(async () => this.openingOf(await this.link.open()));
  }

  ready(): Promise<Opening> {
    return this.turns.take(async () => this.openingOf(await this.openProven()));
  }

  get retryAt(): number | null {
    return this.link.retryAt;
  }

  sendsAtOnce(): boolean {
    return this.turns.isPauseOver && this.link.isProvenOpen;
  }

  async run(command: string, template?: string): Promise<Outcome> {
    const fault = judgeRequest(command);
    if (fault !== null) return { kind: 'refused', reply: null, reason: fault };
    return this.turns.take(() => this.attempt(asked(command, template)));
  }

  async ask(question: string): Promise<Answered> {
    // No game server accepts it, so the answer says nothing.
    if (judgeRequest(question) !== null) return { kind: 'reply', text: '' };
    return answeredBy(await this.turns.take(() => this.question(question)));
  }

  presence(wanted: readonly string[]): Promise<Presence> {
    return this.reader.read(wanted);
  }

  async close(): Promise<void> {
    this.shutDown.abort();
    await this.turns.end();
  }

  /**
   * A command that the server does not know has not run, and a server that is stopping knows fewer and fewer commands.
   * So we retry the command once on a new connection. If the server has stopped, the connection fails, the command is
   * not sent, and the grant stays pending.
   */
  private async attempt(sent: Asked): Promise<Outcome> {
    const { command } = sent;
    const first = await this.exchange(command);
    if (!this.isUnknownCommand(first, sent) || this.unknownCommands.has(command))
      return this.outcomeOf(first, sent);
    this.link.renew();
    this.turns.pause(this.settings.unknownCommandPauseMs ?? UNKNOWN_COMMAND_PAUSE_MS);
    const second = await this.exchange(command);
    if (this.isUnknownCommand(second, sent)) this.unknownCommands.add(command);
    return this.outcomeOf(second, sent);
  }

  private isUnknownCommand(answer: Answer, sent: Asked): boolean {
    return answer.kind === 'reply' && judgeReply(answer.text, this.settings, sent).isUnknownCommand;
  }

  private outcomeOf(answer: Answer, sent: Asked): Outcome {
    return answer.kind === 'reply'
      ? outcomeOf(answer.text, judgeReply(answer.text, this.settings, sent))
      : answer;
  }

  private openingOf(opened: Opened): Opening {
    if (opened.kind === 'open') return { kind: 'open' };
    return { kind: 'resting', reason: opened.reason, restMs: this.link.restMs };
  }

  /** Sends a command, but only on a connection that answered a moment ago. */
  private async exchange(command: string): Promise<Answer> {
    const opened = await this.openProven();
    if (opened.kind === 'failed') return { kind: 'not-sent', reason: opened.reason };
    this.unknownCommands.useConnection(opened.connection);
    const { commandPauseMs } = this.settings;
    const answer = this.afterAnswer(
      opened.connection,
      await opened.connection.exchange(command),
      commandPauseMs,
    );
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
    return answer.kind === 'reply' ? this.openProven() : { kind: 'failed', reason: unprovenReason(answer) };
  }

  /** Sends a command that changes nothing. If an idle connection turns out to be dead, a new one is used. */
  private async question(question: string, isWhole?: IsWhole): Promise<Answer> {
    await this.turns.pauseIsOver();
    const opened = await this.link.open();
    if (opened.kind === 'failed') return { kind: 'not-sent', reason: opened.reason };
    const { connection } = opened;
    const isFirst = connection.answeredAt === null;
    const pauseMs = Math.min(this.settings.commandPauseMs, QUESTION_PAUSE_MAX_MS);
    const answer = this.afterAnswer(connection, await connection.question(question, isWhole), pauseMs);
    if (answer.kind === 'reply' && isFirst) await this.link.countClose(connection);
    if (answer.kind !== 'unknown') return answer;
    if (!isFirst && !this.link.isProven(connection)) return this.question(question, isWhole);
    // The server refused the login late and did not run the question.
    const isRefusal = answer.reason === 'login-lost' && isFirst;
    this.link.failed(isRefusal ? 'wrong-password' : whyOthersWait(answer.reason));
    return isRefusal ? { kind: 'not-sent', reason: 'wrong-password' } : answer;
  }

  private afterAnswer(connection: RconConnection, answer: Answer, pauseMs: number): Answer {
    if (answer.kind === 'reply') this.link.succeeded(connection);
    if (answer.kind !== 'not-sent') this.turns.pause(pauseMs);
    return answer;
  }
}

const answeredBy = (answer: Answer): Answered =>
  answer.kind === 'reply' ? answer : { kind: 'unanswered', reason: answer.reason };

/** Why a connection is not used for a command, given how its probe ended. */
function unprovenReason(answer: Exclude<Answer, { kind: 'reply' }>): NotSentReason {
  if (answer.kind === 'not-sent') return answer.reason;
  return answer.reason === 'shut-down' ? 'shut-down' : 'list-unanswered';
}

/** What happened to one command is no reason for the commands that wait after it. */
const whyOthersWait = (reason: UnknownReason): NotSentReason =>
  reason === 'shut-down' ? reason : 'between-connections';
