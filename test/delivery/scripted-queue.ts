import { onTestFinished } from 'vitest';
import type { Outcome } from '../../src/core/outcome.ts';
import type { Answered, GameServer, Opening, Presence } from '../../src/delivery/game-server.ts';
import { GameServerQueue, type GameServerQueueParts } from '../../src/delivery/game-server-queue.ts';
import { SeenPlayers } from '../../src/delivery/seen-players.ts';
import type { Ledger } from '../../src/ledger/ledger.ts';
import type { Reward } from '../../src/rewards/reward.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { fixedRandom } from '../support/fixed-random.ts';
import { freshLedger, record, rulesFor } from '../support/ledgers.ts';
import { keptLog } from '../support/log.ts';
import { arrival } from '../support/votes.ts';

/** A game server that the test scripts. Hours pass at once with it, unlike with a real socket. */
export class ScriptedServer implements GameServer {
  online: string[] = [];
  /** Answers `presence` instead of the list of online players; null: the list. */
  answer: ((wanted: readonly string[]) => Presence) | null = null;
  /** Makes players join when their grants are tried; absent: they join only when the test says so. */
  join?: (player: string) => boolean;
  isConnected = true;
  outcome: (command: string) => Outcome = () => ({ kind: 'delivered', reply: '' });
  opening: () => Promise<Opening> = async () => ({ kind: 'open' });
  /** Answers a question; by default as a server that does not know the command. */
  reply: (question: string) => string = () => 'Unknown or incomplete command, see below for error';
  readonly questions: string[] = [];
  readonly commands: string[] = [];
  readonly reads: string[][] = [];
  private readonly onClose: (() => void)[] = [];

  open(): Promise<Opening> {
    return this.opening();
  }

  ready(): Promise<Opening> {
    return this.opening();
  }

  sendsAtOnce(): boolean {
    return this.isConnected;
  }

  async presence(wanted: readonly string[]): Promise<Presence> {
    this.reads.push([...wanted]);
    return this.answer?.(wanted) ?? { kind: 'known', names: this.online };
  }

  async run(command: string): Promise<Outcome> {
    this.commands.push(command);
    return this.outcome(command);
  }

  async ask(question: string): Promise<Answered> {
    this.questions.push(question);
    return { kind: 'reply', text: this.reply(question) };
  }

  async close(): Promise<void> {
    for (const callback of this.onClose) callback();
  }

  untilClosed(): Promise<void> {
    return new Promise((resolve) => this.onClose.push(resolve));
  }
}

export const MINUTE = 60_000;
export const HOUR = 60 * MINUTE;

export interface QueueFixture {
  readonly clock: FakeClock;
  readonly server: ScriptedServer;
  readonly ledger: Ledger;
  readonly queue: GameServerQueue;
  /** The parts of the queue, for another queue on the same ledger. */
  readonly parts: GameServerQueueParts;
  readonly codes: string[];
  pass(ms: number, stepMs?: number): Promise<void>;
}

export function startQueue(
  change: Partial<GameServerQueueParts> = {},
  around: (ledger: Ledger) => Ledger = (ledger) => ledger,
): QueueFixture {
  const clock = new FakeClock('2026-06-01T12:00:00Z');
  const server = new ScriptedServer();
  const { ledger } = freshLedger();
  const { log, codes } = keptLog();
  const used = around(ledger);
  const parts: GameServerQueueParts = {
    name: 'main',
    practice: false,
    server,
    ledger: used,
    joinDelayMs: 0,
    presenceIntervalMs: 10_000,
    seen: new SeenPlayers(used, clock, { rules: rulesFor(), believed: new Set(['main']) }),
    clock,
    random: fixedRandom(0),
    log,
    ...change,
  };
  const queue = new GameServerQueue(parts);
  queue.start();
  onTestFinished(() => queue.close());
  const pass = async (ms: number, stepMs = 1_000): Promise<void> => {
    for (let passed = 0; passed < ms; passed += stepMs) {
      clock.advance(stepMs);
      await quiet();
    }
  };
  return { clock, server, ledger, queue, parts, codes, pass };
}

/** Lets everything happen that does not wait for the clock; a backlog takes a turn for each of its grants. */
export async function quiet(turns = 250): Promise<void> {
  for (let turn = 0; turn < turns; turn++) await new Promise((resolve) => setImmediate(resolve));
}

export async function vote(
  { ledger, queue, clock }: QueueFixture,
  player: string,
  ...rewards: Reward[]
): Promise<void> {
  await record(ledger, [arrival({ player, receivedAt: clock.now() })], rulesFor(...rewards));
  queue.nudge();
  await quiet();
}

export const states = async ({ ledger }: QueueFixture): Promise<string[]> =>
  (await ledger.grants({ limit: 999 })).map(({ state }) => state).toReversed();
