import { judgeRequest } from '../../protocol/rcon/packet.ts';
import type { RconServerConfig } from '../config/config.ts';
import type { Cancel, Clock } from '../core/clock.ts';
import type { Dice } from '../core/dice.ts';
import type { Outcome } from '../core/outcome.ts';
import type { GameServer, Opening, Presence } from './game-server.ts';
import { PresenceReader } from './presence.ts';
import type { Answer, RconTarget } from './rcon-connection.ts';
import { RconLink } from './rcon-link.ts';
import { reasonSentence } from './reasons.ts';
import { judgeReply } from './replies.ts';

type FromConfig =
  | 'host'
  | 'port'
  | 'password'
  | 'commandPauseMs'
  | 'commandTimeoutMs'
  | 'refusedReplies'
  | 'offlineReplies';

export interface RconSettings
  extends Pick<RconServerConfig, FromConfig>,
    Pick<RconTarget, 'quietMs' | 'loginSettleMs'> {
  readonly clock: Clock;
  readonly dice: Dice;
}

/** A game server behind RCON, whatever its dialect. It connects with the first command. */
export const rconGameServer = (settings: RconSettings): GameServer => new RconGameServer(settings);

/** Commands wait their turn: the next one starts when this one has ended and the pause after it is over. */
class RconGameServer implements GameServer {
  private readonly settings: RconSettings;
  private readonly link: RconLink;
  private readonly shutDown = new AbortController();
  private readonly reader = new PresenceReader((command) => this.ask(command));
  private turns: Promise<unknown> = Promise.resolve();
  private pauseUntil: number | null = null;

  constructor(settings: RconSettings) {
    this.settings = settings;
    this.link = new RconLink(settings, this.shutDown.signal, settings.dice);
  }

  open(): Promise<Opening> {
    return this.inTurn(async () => {
      const opened = await this.link.open();
      if (opened.kind === 'open') return { kind: 'open' };
      return { kind: 'resting', reason: opened.reason, restMs: this.link.restMs };
    });
  }

  async run(command: string): Promise<Outcome> {
    const fault = judgeRequest(command);
    if (fault !== null)
      return { kind: 'refused', reply: `(never sent: ${reasonSentence(fault)}) [${fault}]` };
    const answer = await this.ask(command);
    return answer.kind === 'reply'
      ? { kind: judgeReply(answer.text, this.settings), reply: answer.text }
      : answer;
  }

  presence(wanted: readonly string[]): Promise<Presence> {
    return this.reader.read(wanted);
  }

  async close(): Promise<void> {
    this.shutDown.abort();
    await this.turns;
  }

  private ask(command: string): Promise<Answer> {
    return this.inTurn(() => this.exchange(command));
  }

  private inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    const turn = this.turns.then(work);
    this.turns = turn.catch(() => {}); // whoever asked hears of it; the next one gets his turn all the same
    return turn;
  }

  private async exchange(command: string): Promise<Answer> {
    await this.pauseIsOver();
    const opened = await this.link.open();
    if (opened.kind === 'failed') return { kind: 'not-sent', reason: opened.reason };
    const answer = await opened.connection.exchange(command);
    if (answer.kind === 'reply') this.link.succeeded();
    if (answer.kind === 'unknown') this.link.failed(answer.reason);
    const { clock, commandPauseMs } = this.settings;
    if (answer.kind !== 'not-sent') this.pauseUntil = clock.monotonic() + commandPauseMs;
    return answer;
  }

  private pauseIsOver(): Promise<void> {
    const { signal } = this.shutDown;
    const leftMs = (this.pauseUntil ?? 0) - this.settings.clock.monotonic();
    if (this.pauseUntil === null || leftMs <= 0 || signal.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      const done = () => {
        cancel();
        signal.removeEventListener('abort', done);
        resolve();
      };
      const cancel: Cancel = this.settings.clock.after(leftMs, done);
      signal.addEventListener('abort', done);
    });
  }
}
