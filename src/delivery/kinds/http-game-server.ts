/**
 * A program that takes commands by HTTP: each is one request, `{"id": …, "command": …, "server": …, …}`, signed like a webhook [WH-6]. Its
 * status says whether the command ran (rule 5); with `answers`, a signed answer says how it ended, and who is online.
 */
import { judgeRequest } from '../../../protocol/rcon.ts';
import { SIGNATURE_HEADER, signBody, verifySignature } from '../../../protocol/webhook.ts';
import type { Clock } from '../../core/clock.ts';
import type { NotSentCode, UnknownCode } from '../../core/game-server-codes.ts';
import { readJson } from '../../core/json.ts';
import type { Log } from '../../core/log.ts';
import type { Outcome } from '../../core/outcome.ts';
import { printable } from '../../core/printable.ts';
import type { Random } from '../../core/random.ts';
import type { Secret } from '../../core/secret-value.ts';
import { type ShownPlayer, shownPlayers } from '../../core/shown-players.ts';
import { uuid4 } from '../../core/uuid.ts';
import { dial, type NetworkFault } from '../../platform/dial.ts';
import {
  destinationOf,
  exchange,
  type Answered as HttpAnswer,
  type HttpRequest,
} from '../../platform/exchange.ts';
import type {
  Answered,
  CommandAbout,
  GameServer,
  GameServerConfig,
  Opening,
  Presence,
} from '../game-server.ts';
import { type Asked, asked, judgeReply, outcomeOf } from '../replies.ts';
import { SingleRequests } from '../turns.ts';

interface Settings extends GameServerConfig {
  readonly url: string;
  readonly secret: Secret;
  readonly answers: boolean;
}

interface Around {
  /** Its name in the config. It is posted with each command, since one receiver may serve several game servers. */
  readonly name: string;
  readonly clock: Clock;
  readonly random: Random;
  /** Logs the answer's text when the outcome keeps only a code. */
  readonly log?: Log;
}

type NotSent = Extract<Outcome, { kind: 'not-sent' }>;
type Unknown = Extract<Outcome, { kind: 'unknown' }>;

/** Answers that say nothing about the command, which did not run. */
const NOT_RUN: ReadonlyMap<number, NotSentCode> = new Map<number, NotSentCode>([
  [401, 'http-not-let-in'],
  [408, 'http-busy'],
  [425, 'http-busy'],
  [429, 'http-busy'],
]);

/** Of a reply to a command. */
const TEXT_BYTES = 1024;
/** A list of some thousand players. */
const BODY_KEPT_BYTES = 256 * 1024;

/** Throws the Problem `secret-missing`. */
export const httpGameServer = (config: Settings, around: Around): GameServer =>
  new HttpGameServer(config, around);

/** It has no connection to prove: each command has one of its own, and waits for it. */
class HttpGameServer implements GameServer {
  readonly tellsAbout = true;
  private readonly requests: SingleRequests;

  constructor(
    private readonly config: Settings,
    private readonly around: Around,
  ) {
    config.secret.reveal();
    this.requests = new SingleRequests(around);
  }

  get retryAt(): number | null {
    return this.requests.retryAt;
  }

  open(): Promise<Opening> {
    return this.requests.open();
  }

  ready(): Promise<Opening> {
    return this.open();
  }

  sendsAtOnce(): boolean {
    return false;
  }

  async run(command: string, template?: string, about?: CommandAbout): Promise<Outcome> {
    // Rule 8 is the same for every kind.
    const fault = judgeRequest(command);
    if (fault !== null) return { kind: 'refused', reply: null, reason: fault };
    return this.requests.take(async () => {
      const posted = await this.post({ command, ...(about === undefined ? {} : factsOf(about)) });
      if (posted.kind === 'not-sent') return posted;
      const outcome = posted.kind === 'posted' ? this.outcomeOf(posted, asked(command, template)) : posted;
      this.requests.ended(outcome);
      return outcome;
    });
  }

  /** Posted as a command, because its receiver knows nothing else. */
  async ask(question: string): Promise<Answered> {
    const posted = await this.requests.take(() => this.post({ command: question }));
    if (posted.kind !== 'posted') return { kind: 'unanswered', reason: posted.reason };
    const { status, body } = posted.answer;
    const text = textOf(body);
    return { kind: 'reply', text: isOk(status) ? text : `HTTP ${status}: ${text}` };
  }

  async presence(): Promise<Presence> {
    if (!this.config.answers) return { kind: 'cannot-tell', reason: 'http-tells-nobody' };
    const posted = await this.requests.take(() => this.post({ ask: 'players' }));
    if (posted.kind !== 'posted') return { kind: 'unreachable', reason: posted.reason };
    const { status } = posted.answer;
    if (isOk(status)) return playersIn(posted, this.config.secret);
    const reason = NOT_RUN.get(status);
    return reason === undefined
      ? { kind: 'cannot-tell', reason: 'http.players-unreadable' }
      : { kind: 'unreachable', reason };
  }

  close(): Promise<void> {
    return this.requests.close();
  }

  /** With an ID that is signed with the rest, so that a receiver can recognize a request that is replayed. */
  private async post(fields: Readonly<Record<string, unknown>>): Promise<Posted | NotSent | Unknown> {
    const opening = this.requests.opening();
    if (opening.kind === 'resting') return { kind: 'not-sent', reason: opening.reason };
    const { url, secret, commandTimeoutMs, commandPauseMs } = this.config;
    const { name, clock, random } = this.around;
    const id = uuid4(random);
    const body = Buffer.from(JSON.stringify({ id, ...fields, server: name }));
    const headers = {
      'Content-Type': 'application/json',
      'User-Agent': 'Teller',
      [SIGNATURE_HEADER]: signBody(body, secret.reveal()),
    };
    const request = { url: new URL(url), method: 'POST', headers, body } as const;
    const answer = await answerTo(request, { commandTimeoutMs, clock, signal: this.requests.signal });
    if (answer.kind === 'not-sent') this.requests.failed(answer.reason);
    else this.requests.pause(commandPauseMs);
    return answer.kind === 'answered' ? { kind: 'posted', id, answer } : answer;
  }

  /**
   * Rule 5: with a 2xx the command has run, with a 4xx it has not, and with anything else it is unknown. After a 4xx
   * that is not the command's fault it is tried again.
   */
  private outcomeOf(posted: Posted, sent: Asked): Outcome {
    const { status, body } = posted.answer;
    const text = textOf(body);
    if (isOk(status)) return this.afterOk(posted, text, sent);
    const notRun = NOT_RUN.get(status);
    if (notRun !== undefined) return { kind: 'not-sent', reason: notRun };
    if (status >= 400 && status < 500) return { kind: 'refused', reply: refusalText(status, text) };
    const reason = status >= 300 && status < 400 ? 'http-redirect' : 'http-server-fault';
    const { log, name } = this.around;
    const sentence = `${name} answered a command with HTTP ${status}: ${printable(text) || '(empty)'}`;
    log?.warn({ code: reason, server: name, status }, sentence);
    return { kind: 'unknown', reason };
  }

  private afterOk(posted: Posted, text: string, sent: Asked): Outcome {
    const { answers, secret } = this.config;
    const { outcome: said, reply } = Object(readJson(posted.answer.body.toString('utf8')));
    const kind = SAID.find((each) => each === said);
    if (answers && kind !== undefined) {
      // Nobody can tell who says so.
      if (!isSigned(posted, secret)) return { kind: 'unknown', reason: 'http.answer-unsigned' };
      return { kind, reply: typeof reply === 'string' ? reply : '' };
    }
    const outcome = outcomeOf(text, judgeReply(text, this.config, sent));
    // If it cannot report who is online, a grant that waited for a player would wait forever.
    return outcome.kind === 'player-offline' && !answers ? { kind: 'refused', reply: text } : outcome;
  }
}

/** What was answered to the request with this ID. */
interface Posted {
  readonly kind: 'posted';
  readonly id: string;
  readonly answer: HttpAnswer;
}

const SAID = ['delivered', 'refused', 'player-offline'] as const;

/** The answer to a request that runs a command, or whether the command can have run without one. */
export async function answerTo(
  request: HttpRequest,
  limits: { readonly commandTimeoutMs: number; readonly clock: Clock; readonly signal: AbortSignal },
): Promise<HttpAnswer | NotSent | Unknown> {
  const { commandTimeoutMs, ...given } = limits;
  const times = { limitMs: commandTimeoutMs, answerMs: commandTimeoutMs };
  const ended = await exchange(request, { ...given, ...times, keepBytes: BODY_KEPT_BYTES });
  // Another protocol was not requested.
  if (ended.kind === 'answered')
    return ended.status === 101 ? { kind: 'unknown', reason: 'http-bad-reply' } : ended;
  if (ended.kind === 'not-sent') return { kind: 'not-sent', reason: notSentBy(ended.fault) };
  return { kind: 'unknown', reason: UNANSWERED[ended.fault.code] ?? 'closed' };
}

const UNANSWERED: Readonly<Partial<Record<NetworkFault['code'], UnknownCode>>> = {
  stopped: 'shut-down',
  timeout: 'timeout',
  'not-http': 'http-bad-reply',
};

function notSentBy({ code, phase }: NetworkFault): NotSentCode {
  if (code === 'stopped') return 'shut-down';
  if (phase === 'securing') return 'http-tls-failed';
  return code === 'unresolvable' ? 'http-host-unknown' : 'http-unreachable';
}

/** Connects, and sends nothing. @returns why that failed; null: it did not. */
export async function whyNotReached(config: Settings, clock: Clock): Promise<NotSentCode | null> {
  const dialed = await dial(destinationOf(new URL(config.url)), { clock, limitMs: config.commandTimeoutMs });
  if (dialed.kind === 'failed') return notSentBy(dialed.fault);
  dialed.socket.destroy();
  return null;
}

const isOk = (status: number): boolean => status >= 200 && status < 300;

/** The beginning of an answer. `stream` leaves out a character that was split. */
export const textOf = (body: Buffer): string =>
  new TextDecoder().decode(body.subarray(0, TEXT_BYTES), { stream: true });

export const refusalText = (status: number, text: string): string =>
  text === '' ? `HTTP ${status}` : `HTTP ${status}: ${text}`;

/** What is posted with a command besides itself. */
const factsOf = ({ grant, position, ...facts }: CommandAbout) => ({
  commandId: `${grant}-${position}`,
  grant,
  ...facts,
});

/** The signature covers the request's ID, a dot and the body, so that no answer fits another request. */
function isSigned({ id, answer: { headers, body } }: Posted, secret: Secret): boolean {
  const signature = headers[SIGNATURE_HEADER.toLowerCase()];
  const signed = Buffer.concat([Buffer.from(`${id}.`), body]);
  return verifySignature(typeof signature === 'string' ? signature : undefined, signed, secret.reveal());
}

/** Who is online, as the answer says. Never guessed: an answer with anything unknown in it is not used. */
function playersIn(posted: Posted, secret: Secret): Presence {
  const { players } = Object(readJson(posted.answer.body.toString('utf8')));
  const read = Array.isArray(players) ? players.map(playerIn) : [null];
  const known = read.filter((player) => player !== null);
  if (known.length < read.length) return { kind: 'cannot-tell', reason: 'http.players-unreadable' };
  if (!isSigned(posted, secret)) return { kind: 'cannot-tell', reason: 'http.players-unsigned' };
  const shown = shownPlayers(known);
  return shown === null
    ? { kind: 'cannot-tell', reason: 'http.players-unreadable' }
    : { kind: 'known', ...shown };
}

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

function playerIn(written: unknown): ShownPlayer | null {
  const { name, uuid = null } = typeof written === 'string' ? { name: written, uuid: null } : Object(written);
  if (typeof name !== 'string') return null;
  if (uuid === null) return { name, uuid };
  return typeof uuid === 'string' && UUID.test(uuid) ? { name, uuid: uuid.toLowerCase() } : null;
}
