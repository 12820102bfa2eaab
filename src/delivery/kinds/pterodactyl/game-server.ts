import { judgeRequest } from '../../../../protocol/rcon.ts';
import type { Clock } from '../../../core/clock.ts';
import type { Outcome } from '../../../core/outcome.ts';
import type { Random } from '../../../core/random.ts';
import type { Answered, GameServer, Opening, Presence } from '../../game-server.ts';
import { SingleRequests } from '../../single-requests.ts';
import type { PanelConsole } from './console.ts';
import { between, newMark } from './marks.ts';
import { Panel, type PanelAnswer } from './panel.ts';
import { presenceIn } from './player-list.ts';
import type { PterodactylConfig } from './schema.ts';

export interface PterodactylSettings
  extends Pick<
    PterodactylConfig,
    'url' | 'server' | 'apiKey' | 'console' | 'commandPauseMs' | 'commandTimeoutMs'
  > {
  readonly clock: Clock;
  readonly random: Random;
}

/** A Minecraft server in a Pterodactyl or Pelican panel. Throws the Problem `secret-missing`. */
export async function pterodactylGameServer(settings: PterodactylSettings): Promise<GameServer> {
  // Its package is a dozen files that nobody else needs.
  const reading = settings.console ? await import('./console.ts') : null;
  return new PterodactylGameServer(settings, reading?.PanelConsole ?? null);
}

/** What a command prints is shown to the operator; it is not worth a longer wait. */
const SEEN_WITHIN_MS = 2_000;
/** With the UUID of each player, or, where the server does not know that, without. */
const LISTS = ['minecraft:list uuids', 'list'] as const;

/** What was done between two marks, and what the console showed meanwhile; null: that was not seen. */
interface Marked {
  readonly answer: PanelAnswer;
  readonly seen: readonly string[] | null;
}

/**
 * Each command is one request to the panel, which passes the line to the server's console. The panel says whether it passed
 * the command on, and nothing more. What the console shows between two marks is kept for the operator, and decides nothing.
 */
class PterodactylGameServer implements GameServer {
  private readonly panel: Panel;
  private readonly reading: PanelConsole | null;
  private readonly requests: SingleRequests;
  private list: (typeof LISTS)[number] = LISTS[0];

  constructor(
    private readonly settings: PterodactylSettings,
    Console: typeof PanelConsole | null,
  ) {
    settings.apiKey.reveal();
    this.requests = new SingleRequests(settings);
    this.panel = new Panel(settings);
    this.reading = Console === null ? null : new Console(this.panel, settings, this.requests.signal);
  }

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

  async run(command: string): Promise<Outcome> {
    const fault = judgeRequest(command);
    if (fault !== null) return { kind: 'refused', reply: null, reason: fault };
    return this.requests.take(() => this.attempt(command));
  }

  /** The chat can imitate what a console shows, so nothing is asked whose answer would decide about a payment. */
  async ask(): Promise<Answered> {
    return { kind: 'unanswered', reason: 'pterodactyl.untrusted' };
  }

  presence(): Promise<Presence> {
    return this.requests.take(() => this.readPresence());
  }

  async close(): Promise<void> {
    await this.requests.close();
    this.reading?.close();
  }

  private async attempt(command: string): Promise<Outcome> {
    const opening = this.requests.opening();
    if (opening.kind === 'resting') return { kind: 'not-sent', reason: opening.reason };
    const { answer, seen } = await this.marked(command);
    this.requests.pause(this.settings.commandPauseMs);
    this.requests.ended(answer);
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
    const { signal } = this.requests;
    if (this.reading === null || (await this.reading.open()) !== null)
      return { answer: await this.panel.send(command, signal), seen: null };
    const [begin, end] = [newMark(this.settings.random), newMark(this.settings.random)];
    const watching = this.reading.watch();
    try {
      const first = await this.panel.send(begin.command, signal);
      // Of the command itself, nothing was sent yet.
      if (first.kind === 'unknown')
        return { answer: { kind: 'not-sent', reason: 'between-connections' }, seen: null };
      if (first.kind === 'not-sent') return { answer: first, seen: null };
      const answer = await this.panel.send(command, signal);
      if (answer.kind !== 'ok' || (await this.panel.send(end.command, signal)).kind !== 'ok')
        return { answer, seen: null };
      const limitMs = Math.min(SEEN_WITHIN_MS, this.settings.commandTimeoutMs);
      await watching.shows(end.name, limitMs);
      return { answer, seen: between(watching.lines, { begin, end, typed: command }) };
    } finally {
      watching.end();
    }
  }

  private async readPresence(): Promise<Presence> {
    if (this.reading === null) return { kind: 'cannot-tell', reason: 'pterodactyl.console-off' };
    const fault = await this.reading.open();
    if (fault !== null) return { kind: 'cannot-tell', reason: fault };
    const first = await this.listed(this.list);
    if (first.kind !== 'unseen') return first.presence;
    const other = LISTS.find((list) => list !== this.list) ?? this.list;
    const second = await this.listed(other);
    if (second.kind === 'unseen') return { kind: 'cannot-tell', reason: 'pterodactyl.list-unseen' };
    this.list = other;
    return second.presence;
  }

  private async listed(
    list: string,
  ): Promise<{ readonly kind: 'unseen' } | { readonly kind: 'seen'; readonly presence: Presence }> {
    const { answer, seen } = await this.marked(list);
    if (answer.kind === 'refused')
      return { kind: 'seen', presence: { kind: 'unreachable', reason: 'http-bad-reply' } };
    if (answer.kind !== 'ok')
      return { kind: 'seen', presence: { kind: 'unreachable', reason: answer.reason } };
    const presence = seen === null ? null : presenceIn(seen);
    return presence === null ? { kind: 'unseen' } : { kind: 'seen', presence };
  }
}
