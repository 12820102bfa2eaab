import { judgeRequest } from '../../../../protocol/rcon.ts';
import { SIGNATURE_HEADER, signBody } from '../../../../protocol/webhook.ts';
import type { Clock } from '../../../core/clock.ts';
import type { Log } from '../../../core/log.ts';
import type { Outcome } from '../../../core/outcome.ts';
import { printable } from '../../../core/printable.ts';
import type { Random } from '../../../core/random.ts';
import { uuid4 } from '../../../core/uuid.ts';
import type { Answered, CommandAbout, GameServer, Opening, Presence } from '../../game-server.ts';
import { type Asked, asked, judgeReply, outcomeOf } from '../../replies.ts';
import { SingleRequests } from '../../single-requests.ts';
import { playersIn, saidBy } from './answers.ts';
import type { HttpNotSentReason, HttpUnknownReason } from './codes.ts';
import { type Exchanged, exchange, type HttpCommand } from './exchange.ts';
import { type HttpTarget, reach } from './reach.ts';
import type { HttpConfig } from './schema.ts';

type FromConfig =
  | 'url'
  | 'secret'
  | 'answers'
  | 'commandPauseMs'
  | 'commandTimeoutMs'
  | 'refusedReplies'
  | 'offlineReplies'
  | 'deliveredReplies';

export interface HttpSettings extends Pick<HttpConfig, FromConfig> {
  /** Its name in the config. It is posted with each command, since one receiver may serve several game servers. */
  readonly name?: string;
  readonly clock: Clock;
  readonly random: Random;
  /** Logs the answer's text when the outcome keeps only a code. */
  readonly log?: Log;
}

/** A program that accepts commands as signed JSON over HTTP. Throws the Problem `secret-missing`. */
export const httpGameServer = (settings: HttpSettings): GameServer => new HttpGameServer(settings);

/** Answers that say nothing about the command, which did not run. */
const NOT_RUN: ReadonlyMap<number, HttpNotSentReason> = new Map([
  [401, 'http-not-let-in'],
  [408, 'http-busy'],
  [425, 'http-busy'],
  [429, 'http-busy'],
]);

type Answer = Extract<Exchanged, { kind: 'answered' }>;
type NotSent = Extract<Outcome, { kind: 'not-sent' }>;
/** How a request ended, and the ID that it had. */
type Posted = { readonly id: string; readonly ended: Exchanged };

/** Each command is one request: `{"id": …, "command": …, "server": …, …}`, signed like a webhook [WH-6]. */
class HttpGameServer implements GameServer {
  readonly tellsAbout = true;
  private readonly target: HttpTarget;
  private readonly requests: SingleRequests;

  constructor(private readonly settings: HttpSettings) {
    settings.secret.reveal();
    this.target = { ...settings, url: new URL(settings.url) };
    this.requests = new SingleRequests(settings);
  }

  /** Connects to nothing, because each command has a connection of its own. */
  get retryAt(): number | null {
    return this.requests.retryAt;
  }

  open(): Promise<Opening> {
    return this.requests.open();
  }

  /** There is no connection to prove, because each command has its own. */
  ready(): Promise<Opening> {
    return this.open();
  }

  /** Each command waits for a connection of its own. */
  sendsAtOnce(): boolean {
    return false;
  }

  async run(command: string, template?: string, about?: CommandAbout): Promise<Outcome> {
    // Rule 8 is the same for every kind.
    const fault = judgeRequest(command);
    if (fault !== null) return { kind: 'refused', reply: null, reason: fault };
    return this.requests.take(() => this.attempt(command, template, about));
  }

  /** Posted as a command, because its receiver knows nothing else. */
  async ask(question: string): Promise<Answered> {
    const posted = await this.requests.take(() => this.post({ command: question }));
    if ('kind' in posted) return { kind: 'unanswered', reason: posted.reason };
    const { ended } = posted;
    if (ended.kind !== 'answered') return { kind: 'unanswered', reason: ended.reason };
    return { kind: 'reply', text: isOk(ended) ? ended.text : `HTTP ${ended.status}: ${ended.text}` };
  }

  async presence(): Promise<Presence> {
    const { answers, secret } = this.settings;
    if (!answers) return { kind: 'cannot-tell', reason: 'http-tells-nobody' };
    const posted = await this.requests.take(() => this.post({ ask: 'players' }));
    if ('kind' in posted) return { kind: 'unreachable', reason: posted.reason };
    const { id, ended } = posted;
    if (ended.kind !== 'answered') return { kind: 'unreachable', reason: ended.reason };
    if (isOk(ended)) return playersIn(ended, id, secret.reveal());
    const reason = NOT_RUN.get(ended.status);
    return reason === undefined
      ? { kind: 'cannot-tell', reason: 'http.players-unreadable' }
      : { kind: 'unreachable', reason };
  }

  close(): Promise<void> {
    return this.requests.close();
  }

  private async attempt(command: string, template?: string, about?: CommandAbout): Promise<Outcome> {
    const posted = await this.post({ command, ...(about === undefined ? {} : factsOf(about)) });
    if ('kind' in posted) return posted;
    const outcome = this.outcomeOf(posted, asked(command, template));
    this.requests.ended(outcome);
    return outcome;
  }

  private async post(fields: Readonly<Record<string, unknown>>): Promise<Posted | NotSent> {
    const opening = this.requests.opening();
    if (opening.kind === 'resting') return { kind: 'not-sent', reason: opening.reason };
    const { signal } = this.requests;
    const reached = await reach(this.target, signal);
    if (reached.kind === 'failed') {
      this.requests.failed(reached.reason);
      return { kind: 'not-sent', reason: reached.reason };
    }
    if (signal.aborted) {
      reached.socket.destroy();
      return { kind: 'not-sent', reason: 'shut-down' };
    }
    // The ID is signed with the rest, so that a receiver can recognize a replayed request.
    const id = uuid4(this.settings.random);
    const ended = await exchange(reached.socket, this.target, this.posting({ id, ...fields }), signal);
    this.requests.pause(this.settings.commandPauseMs);
    return { id, ended };
  }

  private posting(fields: Readonly<Record<string, unknown>>): HttpCommand {
    const { name, secret } = this.settings;
    const body = Buffer.from(JSON.stringify({ ...fields, server: name }));
    return {
      body,
      headers: {
        'Content-Type': 'application/json',
        'User-Agent': 'Teller',
        [SIGNATURE_HEADER]: signBody(body, secret.reveal()),
      },
    };
  }

  /**
   * Rule 5: with a 2xx the command has run, with a 4xx it has not, and with anything else it is unknown. After a 4xx
   * that is not the command's fault it is tried again.
   */
  private outcomeOf({ id, ended }: Posted, sent: Asked): Outcome {
    if (ended.kind === 'unknown') return ended;
    if (isOk(ended)) return this.afterOk(ended, id, sent);
    const { status, text } = ended;
    const notRun = NOT_RUN.get(status);
    if (notRun !== undefined) return { kind: 'not-sent', reason: notRun };
    if (status >= 400 && status < 500) {
      return { kind: 'refused', reply: text === '' ? `HTTP ${status}` : `HTTP ${status}: ${text}` };
    }
    const reason: HttpUnknownReason = status >= 300 && status < 400 ? 'http-redirect' : 'http-server-fault';
    const { log, name = '' } = this.settings;
    const body = printable(text) || '(empty)';
    log?.warn(
      { code: reason, server: name, status },
      `${name} answered a command with HTTP ${status}: ${body}`,
    );
    return { kind: 'unknown', reason };
  }

  private afterOk(answer: Answer, id: string, sent: Asked): Outcome {
    const { answers, secret } = this.settings;
    const said = answers ? saidBy(answer, id, secret.reveal()) : null;
    if (said?.kind === 'ended') return said.outcome;
    if (said?.kind === 'unsigned') return { kind: 'unknown', reason: 'http.answer-unsigned' };
    const { text } = answer;
    const outcome = outcomeOf(text, judgeReply(text, this.settings, sent));
    // If it cannot report who is online, a grant that waited for a player would wait forever.
    return outcome.kind === 'player-offline' && !answers ? { kind: 'refused', reply: text } : outcome;
  }
}

const isOk = ({ status }: Answer): boolean => status >= 200 && status < 300;

/** What is posted with a command besides itself. */
const factsOf = ({ grant, position, ...facts }: CommandAbout) => ({
  commandId: `${grant}-${position}`,
  grant,
  ...facts,
});
