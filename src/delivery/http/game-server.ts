import { judgeRequest } from '../../../protocol/rcon/packet.ts';
import { SIGNATURE_HEADER, signBody } from '../../../protocol/webhook/signature.ts';
import type { Clock } from '../../core/clock.ts';
import type { Random } from '../../core/random.ts';
import type { Log } from '../../core/log.ts';
import type { Outcome } from '../../core/outcome.ts';
import { printable } from '../../core/printable.ts';
import { uuid4 } from '../../core/uuid.ts';
import type { GameServer, Opening, Presence } from '../game-server.ts';
import { type Asked, asked, judgeReply, outcomeOf } from '../replies.ts';
import { RetryPause } from '../retry-pause.ts';
import { Turns } from '../turns.ts';
import type { HttpNotSentReason, HttpUnknownReason } from './codes.ts';
import { type Exchanged, exchange, type HttpCommand } from './exchange.ts';
import { type HttpTarget, reach } from './reach.ts';
import type { HttpConfig } from './schema.ts';

type FromConfig =
  | 'url'
  | 'secret'
  | 'commandPauseMs'
  | 'commandTimeoutMs'
  | 'refusedReplies'
  | 'offlineReplies'
  | 'deliveredReplies';

export interface HttpSettings extends Pick<HttpConfig, FromConfig> {
  /** Its name in the config, which is posted with each command: one receiver may serve several. */
  readonly name?: string;
  readonly clock: Clock;
  readonly random: Random;
  /** Told what was answered where the outcome keeps a code only. */
  readonly log?: Log;
}

/** Whatever takes commands as signed JSON over HTTP. Throws the Problem `secret-missing`. */
export const httpGameServer = (settings: HttpSettings): GameServer => new HttpGameServer(settings);

/** What is answered to whoever asks, whatever the command. */
const TURNED_AWAY: ReadonlyMap<number, HttpNotSentReason> = new Map([
  [401, 'http-not-let-in'],
  [408, 'http-busy'],
  [425, 'http-busy'],
  [429, 'http-busy'],
]);

/** One command, one request: `{"id": …, "command": …, "server": …}`, signed as a webhook is [WH-6]. */
class HttpGameServer implements GameServer {
  private readonly target: HttpTarget;
  private readonly shutDown = new AbortController();
  private readonly turns: Turns;
  private readonly retryPause: RetryPause<HttpNotSentReason>;

  constructor(private readonly settings: HttpSettings) {
    const { clock, random, secret } = settings;
    secret.reveal();
    this.target = { ...settings, url: new URL(settings.url) };
    this.turns = new Turns(clock, this.shutDown.signal);
    this.retryPause = new RetryPause(clock, random);
  }

  /** Nothing is connected ahead: each command has a connection of its own. */
  async open(): Promise<Opening> {
    await this.turns.ready();
    return this.opening();
  }

  /** Each command has a connection of its own, so there is none to prove. */
  ready(): Promise<Opening> {
    return this.open();
  }

  private opening(): Opening {
    if (this.shutDown.signal.aborted) return { kind: 'resting', reason: 'shut-down', restMs: 0 };
    const { leftMs: restMs, reason } = this.retryPause;
    return restMs > 0 ? { kind: 'resting', reason, restMs } : { kind: 'open' };
  }

  async run(command: string, template?: string): Promise<Outcome> {
    // Rule 8 is the same for every kind.
    const fault = judgeRequest(command);
    if (fault !== null) return { kind: 'refused', reply: null, reason: fault };
    return this.turns.take(() => this.attempt(command, template));
  }

  async presence(): Promise<Presence> {
    return { kind: 'cannot-tell', reason: 'http-tells-nobody' };
  }

  async close(): Promise<void> {
    this.shutDown.abort();
    await this.turns.end();
  }

  private async attempt(command: string, template?: string): Promise<Outcome> {
    const opening = this.opening();
    if (opening.kind === 'resting') return { kind: 'not-sent', reason: opening.reason };
    const { signal } = this.shutDown;
    const reached = await reach(this.target, signal);
    if (reached.kind === 'failed') {
      this.retryPause.failed(reached.reason);
      return { kind: 'not-sent', reason: reached.reason };
    }
    if (signal.aborted) {
      reached.socket.destroy();
      return { kind: 'not-sent', reason: 'shut-down' };
    }
    const exchanged = await exchange(reached.socket, this.target, this.posting(command), signal);
    this.turns.pause(this.settings.commandPauseMs);
    const outcome = this.outcomeOf(exchanged, asked(command, template));
    if (outcome.kind === 'not-sent') this.retryPause.failed(outcome.reason as HttpNotSentReason);
    else if (outcome.kind === 'unknown') this.retryPause.failed('between-connections');
    else this.retryPause.succeeded();
    return outcome;
  }

  private posting(command: string): HttpCommand {
    const { name, secret, random } = this.settings;
    // The id is signed with the rest, so that a receiver can tell a command that was seen and sent again.
    const body = Buffer.from(JSON.stringify({ id: uuid4(random), command, server: name }));
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
   * Rule 5: a 2xx has taken the command, a 4xx has not, and of everything else nobody knows. A 4xx that is no fault of
   * the command is tried again.
   */
  private outcomeOf(exchanged: Exchanged, sent: Asked): Outcome {
    if (exchanged.kind === 'unknown') return exchanged;
    const { status, text } = exchanged;
    if (status >= 200 && status < 300) {
      // It tells nobody's presence, so a grant that waited for a player would wait for ever.
      const outcome = outcomeOf(text, judgeReply(text, this.settings, sent));
      return outcome.kind === 'player-offline' ? { kind: 'refused', reply: text } : outcome;
    }
    const turnedAway = TURNED_AWAY.get(status);
    if (turnedAway !== undefined) return { kind: 'not-sent', reason: turnedAway };
    if (status >= 400 && status < 500) {
      return { kind: 'refused', reply: text === '' ? `HTTP ${status}` : `HTTP ${status}: ${text}` };
    }
    const reason: HttpUnknownReason = status >= 300 && status < 400 ? 'http-redirect' : 'http-server-fault';
    const { log, name = '' } = this.settings;
    const said = printable(text) || '(nothing)';
    log?.warn({ code: reason, server: name, status }, `${name} answered a command HTTP ${status}: ${said}`);
    return { kind: 'unknown', reason };
  }
}
