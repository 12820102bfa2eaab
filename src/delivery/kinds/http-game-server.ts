/**
 * A program that takes commands by HTTP: each is one request, `{"id": …, "command": …, "server": …, …}`, signed like a webhook [WH-6]. Its
 * status says whether the command ran (rule 5); with `answers`, a signed answer says how it ended, and who is online.
 */
import { judgeRequest } from '../../../protocol/rcon.ts';
import { SIGNATURE_HEADER, signBody, verifySignature } from '../../../protocol/webhook.ts';
import type { Clock } from '../../core/clock.ts';
import { type Finding, ok, problem } from '../../core/finding.ts';
import type { NotSentCode, UnknownCode } from '../../core/game-server-codes.ts';
import { readJson } from '../../core/json.ts';
import type { Outcome } from '../../core/outcome.ts';
import { printable } from '../../core/printable.ts';
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
  CheckParts,
  CommandAbout,
  ConnectParts,
  GameServer,
  Presence,
} from '../game-server.ts';
import { presenceFinding } from '../presence.ts';
import { judgeReply } from '../replies.ts';
import { SingleRequests } from '../turns.ts';
import type { HttpConfig } from './http.ts';

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

export const connect = (config: HttpConfig, parts: ConnectParts): GameServer =>
  new HttpGameServer(config, parts);

/** Asks who is online, if it can tell. Otherwise it only connects: a posted command would pay a player. */
export async function check(config: HttpConfig, parts: CheckParts): Promise<readonly Finding[]> {
  const { name, clock, sentenceOf } = parts;
  const where = `${name} (${new URL(config.url).host})`;
  if (!config.answers) {
    const limits = { clock, limitMs: config.commandTimeoutMs };
    const dialed = await dial(destinationOf(new URL(config.url)), limits);
    if (dialed.kind === 'failed') {
      const reason = notSentBy(dialed.fault);
      return [problem(reason, `${where}: ${sentenceOf(reason)}`)];
    }
    dialed.socket.destroy();
    const sentence = `${where} accepts connections; only the first command will show whether it accepts commands`;
    return [ok('game-server', sentence)];
  }
  const server = new HttpGameServer(config, parts);
  try {
    return [presenceFinding({ ...parts, where }, await server.presence())];
  } finally {
    await server.close();
  }
}

class HttpGameServer extends SingleRequests implements GameServer {
  readonly tellsAbout = true;

  /** @param around its log gets the answer's text when the outcome keeps only a code. */
  constructor(
    private readonly config: HttpConfig,
    private readonly around: Pick<CheckParts, 'name' | 'clock' | 'random'> &
      Partial<Pick<ConnectParts, 'log'>>,
  ) {
    super(around.clock, around.random);
    config.secret.reveal();
  }

  async run(command: string, template?: string, about?: CommandAbout): Promise<Outcome> {
    // Rule 8 is the same for every kind.
    const fault = judgeRequest(command);
    if (fault !== null) return { kind: 'refused', reply: null, reason: fault };
    return this.turns.take(async () => {
      const posted = await this.post({ command, ...(about === undefined ? {} : factsOf(about)) });
      if (posted.kind === 'not-sent') return posted;
      const outcome = posted.kind === 'posted' ? this.outcomeOf(posted, command, template) : posted;
      this.ended(outcome);
      return outcome;
    });
  }

  /** Posted as a command, because its receiver knows nothing else. */
  async ask(question: string): Promise<Answered> {
    const posted = await this.turns.take(() => this.post({ command: question }));
    if (posted.kind !== 'posted') return { kind: 'unanswered', reason: posted.reason };
    const { status, body } = posted.answer;
    const text = textOf(body);
    return { kind: 'reply', text: isOk(status) ? text : `HTTP ${status}: ${text}` };
  }

  async presence(): Promise<Presence> {
    if (!this.config.answers) return { kind: 'cannot-tell', reason: 'http-tells-nobody' };
    return this.turns.take(async () => {
      const posted = await this.post({ ask: 'players' });
      if (posted.kind === 'not-sent') return { kind: 'unreachable', reason: posted.reason };
      const notAsked = posted.kind === 'posted' ? NOT_RUN.get(posted.answer.status) : undefined;
      if (notAsked !== undefined) {
        this.ended({ kind: 'not-sent', reason: notAsked });
        return { kind: 'unreachable', reason: notAsked };
      }
      this.ended(posted.kind === 'posted' ? { kind: 'ok' } : posted);
      if (posted.kind === 'unknown') return { kind: 'unreachable', reason: posted.reason };
      if (isOk(posted.answer.status)) return playersIn(posted, this.config.secret);
      return { kind: 'cannot-tell', reason: 'http.players-unreadable' };
    });
  }

  /** With an ID that is signed with the rest, so that a receiver can recognize a request that is replayed. */
  private async post(fields: Readonly<Record<string, unknown>>): Promise<Posted | NotSent | Unknown> {
    const opening = this.opening();
    if (opening.kind === 'resting') return { kind: 'not-sent', reason: opening.reason };
    const { url, secret, commandTimeoutMs, commandPauseMs } = this.config;
    const { name, clock, random } = this.around;
    const id = uuid4(random);
    // With the name of the server, since one receiver may serve several.
    const body = Buffer.from(JSON.stringify({ id, ...fields, server: name }));
    const headers = {
      'Content-Type': 'application/json',
      'User-Agent': 'Teller',
      [SIGNATURE_HEADER]: signBody(body, secret.reveal()),
    };
    const request = { url: new URL(url), method: 'POST', headers, body } as const;
    const answer = await answerTo(request, { commandTimeoutMs, clock, signal: this.signal });
    if (answer.kind === 'not-sent') this.retryPause.failed(answer.reason);
    else this.turns.pause(commandPauseMs);
    return answer.kind === 'answered' ? { kind: 'posted', id, answer } : answer;
  }

  /**
   * Rule 5: with a 2xx the command has run, with a 4xx it has not, and with anything else it is unknown. After a 4xx
   * that is not the command's fault it is tried again.
   */
  private outcomeOf(posted: Posted, command: string, template?: string): Outcome {
    const { status, body } = posted.answer;
    const text = textOf(body);
    if (isOk(status)) return this.afterOk(posted, text, command, template);
    const notRun = NOT_RUN.get(status);
    if (notRun !== undefined) return { kind: 'not-sent', reason: notRun };
    if (status >= 400 && status < 500) return { kind: 'refused', reply: refusalText(status, text) };
    const reason = status >= 300 && status < 400 ? 'http-redirect' : 'http-server-fault';
    const { log, name } = this.around;
    const sentence = `${name} answered a command with HTTP ${status}: ${printable(text) || '(empty)'}`;
    log?.warn({ code: reason, server: name, status }, sentence);
    return { kind: 'unknown', reason };
  }

  private afterOk(posted: Posted, text: string, command: string, template?: string): Outcome {
    const { answers, secret } = this.config;
    const { outcome: said, reply } = Object(readJson(posted.answer.body.toString('utf8')));
    const kind = SAID.find((each) => each === said);
    if (answers && kind !== undefined) {
      // Nobody can tell who says so.
      if (!isSigned(posted, secret)) return { kind: 'unknown', reason: 'http.answer-unsigned' };
      return { kind, reply: typeof reply === 'string' ? reply : '' };
    }
    const { outcome } = judgeReply(text, this.config, command, template);
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
