/** The game servers: they keep running when Teller is killed, and record what they were sent. */
import { createHash } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { SIGNATURE_HEADER, verifySignature } from '../../protocol/webhook/signature.ts';
import { type Fault, type RconGame, rconGame } from '../kit/game.ts';
import { HTTP_SECRET, type HttpAnswer, type HttpGame, httpGame } from '../kit/http-game.ts';
import type { Seeded } from '../support/seeded.ts';

/** A vote was answered; a command was received; a command was received and its answer is delayed. */
export type KillTrigger = 'answer' | 'command' | 'hang';

/** Reports events of Teller, so that a kill can happen right after one. */
export class KillTriggers {
  private readonly awaited: Readonly<Record<KillTrigger, Set<() => void>>> = {
    answer: new Set(),
    command: new Set(),
    hang: new Set(),
  };

  /** Resolves when the event next happens. */
  next(trigger: KillTrigger): Promise<void> {
    return new Promise((resolve) => this.awaited[trigger].add(resolve));
  }

  isAwaited(trigger: KillTrigger): boolean {
    return this.awaited[trigger].size > 0;
  }

  fire(trigger: KillTrigger): void {
    for (const resolve of this.awaited[trigger]) resolve();
    this.awaited[trigger].clear();
  }
}

/** What a game server itself counted for one command. */
interface ReceivedCounts {
  /** How often it was received and may have run. */
  readonly times: number;
  /** How many of these were completely answered with success. */
  readonly confirmed: number;
  /** How many of these were completely answered with a refusal. */
  readonly refused: number;
}

type Reply = 'confirmed' | 'refused' | 'neither';

/** Counts commands by their text. Case is ignored, because the same player is spelt in several ways. */
export class ReceivedCommands {
  private readonly counts = new Map<string, ReceivedCounts>();

  add(command: string, reply: Reply): void {
    const { times, confirmed, refused } = this.of(command);
    this.counts.set(command.toLowerCase(), {
      times: times + 1,
      confirmed: confirmed + Number(reply === 'confirmed'),
      refused: refused + Number(reply === 'refused'),
    });
  }

  of(command: string): ReceivedCounts {
    return this.counts.get(command.toLowerCase()) ?? { times: 0, confirmed: 0, refused: 0 };
  }

  /** In lower case. */
  texts(): string[] {
    return [...this.counts.keys()];
  }

  get total(): number {
    return [...this.counts.values()].reduce((sum, { times }) => sum + times, 0);
  }
}

/** A command as the game server itself recorded it. */
export interface RecordedCommand {
  /** In ms since the Unix epoch. */
  readonly at: number;
  readonly command: string;
  /** Not for a player who was offline, for example. */
  readonly hasRun: boolean;
}

interface Player {
  readonly name: string;
  readonly uuid: string;
}

/** From joining to leaving, in ms since the Unix epoch; `to` is null as long as the player is there. */
interface Stay {
  readonly from: number;
  to: number | null;
}

const JOINS = 0.4;
const LEAVES = 0.15;
/** In the middle of a grant. */
const LEAVES_DURING_GRANT = 0.1;
const HAS_FAULT = 0.4;
/** Each makes the outcome of a command unknown, some until the kill. The last two do not run it. */
const FAULTS: readonly Fault[] = [
  ...(['run-and-close', 'run-and-silent', 'half-reply', 'garbage-length'] as const),
  ...(['close', 'silent'] as const),
];
const ABSENT = 'No player was found';
const QUESTION = /^(?:minecraft:)?(?:list\b|execute )/;

/** A game server behind RCON. Players join and leave. */
export class MinecraftServer {
  readonly recorded: RecordedCommand[] = [];
  /** By their names in lower case, like all that is about players here. */
  private readonly online = new Map<string, Player>();
  private readonly stays = new Map<string, Stay[]>();
  private readonly apples = new Map<string, number>();
  private fault: Fault | null = null;
  private areFaultsOff = false;

  private constructor(
    private readonly game: RconGame,
    private readonly random: Seeded,
    private readonly triggers: KillTriggers,
  ) {}

  static async start(random: Seeded, triggers: KillTriggers): Promise<MinecraftServer> {
    // Lifetimes are short: presence is read often, and players are paid as soon as they are seen.
    const server = new MinecraftServer(await rconGame({ presenceInterval: '100ms' }), random, triggers);
    server.game.reply((command) => server.replyTo(command));
    return server;
  }

  get entry(): object {
    return this.game.entry;
  }

  /** Sets a fault for one command in some lifetimes. */
  startLifetime(): void {
    this.fault = this.random.chance(HAS_FAULT) ? this.random.pick(FAULTS) : null;
  }

  join(name: string, uuid = offlineUuid(name)): void {
    const key = name.toLowerCase();
    if (this.online.has(key)) return;
    this.online.set(key, { name, uuid });
    this.stays.set(key, [...(this.stays.get(key) ?? []), { from: Date.now(), to: null }]);
    this.show();
  }

  leave(name: string): void {
    const last = this.stays.get(name.toLowerCase())?.at(-1);
    if (last !== undefined) last.to ??= Date.now();
    this.online.delete(name.toLowerCase());
    this.show();
  }

  /** Lets some of these players join, and sometimes one player leave. */
  joinAndLeave(players: readonly string[]): void {
    for (const player of players) if (this.random.chance(JOINS)) this.join(player);
    const leaving = this.random.chance(LEAVES) ? this.random.pick([...this.online.keys()]) : undefined;
    if (leaving !== undefined) this.leave(leaving);
  }

  /** From now on it answers every command, and these players stay online. */
  joinAll(players: readonly string[]): void {
    this.areFaultsOff = true;
    this.fault = null;
    for (const player of players) this.join(player);
  }

  /** Whether they were there at some moment. Both times are included. */
  wasThere(player: string, since: number, until: number): boolean {
    const stays = this.stays.get(player.toLowerCase()) ?? [];
    return stays.some(({ from, to }) => from <= until && (to ?? until) >= since);
  }

  /** How many apples the player with this UUID was given, under whatever name. */
  applesOf(uuid: string): number {
    return this.apples.get(uuid) ?? 0;
  }

  /** The commands that ran by its own record. */
  received(): ReceivedCommands {
    const received = new ReceivedCommands();
    for (const { command, hasRun } of this.recorded) if (hasRun) received.add(command, 'confirmed');
    return received;
  }

  private show(): void {
    this.game.show(...[...this.online.values()].map(({ name, uuid }) => `${name} (${uuid})`));
  }

  /** Called when a command has come; its answer is sent after that. */
  private replyTo(command: string): string | undefined {
    if (QUESTION.test(command)) return undefined;
    const { fault } = this;
    this.fault = null;
    const reply = fault === 'close' || fault === 'silent' ? null : this.run(command);
    this.recorded.push({ at: Date.now(), command, hasRun: reply !== null && reply !== ABSENT });
    this.triggers.fire('command');
    this.leaveDuringGrant(command);
    return fault ?? reply ?? '';
  }

  private run(command: string): string {
    const [word = '', target = '', item = ''] = command.split(' ');
    const player = this.online.get(target.toLowerCase());
    if (word === 'tellraw')
      return player !== undefined || (target === '@a' && this.online.size > 0) ? '' : ABSENT;
    if (word !== 'give') return '';
    if (player === undefined) return ABSENT;
    if (item === 'apple') this.apples.set(player.uuid, this.applesOf(player.uuid) + 1);
    return `Gave 1 [${item}] to ${player.name}`;
  }

  private leaveDuringGrant(command: string): void {
    const [, player] = /^give (\S+) (?:diamond|apple)/.exec(command) ?? [];
    if (player === undefined || this.areFaultsOff) return;
    if (this.random.chance(LEAVES_DURING_GRANT)) this.leave(player);
  }
}

/** Such as a server in offline mode gives to a name: version 3. */
function offlineUuid(name: string): string {
  const hex = createHash('md5').update(`OfflinePlayer:${name}`).digest('hex');
  return hex.replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12})$/, '$1-$2-3$3-8$4-$5');
}

/** How long Teller waits for an answer. Some answers come later. */
const RECEIVER_TIMEOUT_MS = 300;
const MAX_HANG_MS = 500;

type Behaviour = 'answer' | 'hang' | 'fault' | 'refuse' | 'close' | 'break-off';

/** The probability of each fault. Teller pauses for a second after most of them, so few fit into one lifetime. */
const CHANCES: readonly (readonly [Behaviour, number])[] = [
  ['hang', 0.1],
  ['fault', 0.05],
  ['refuse', 0.05],
  ['close', 0.05],
  ['break-off', 0.05],
];

const REPLY: Readonly<Record<Behaviour, Reply>> = {
  ...{ answer: 'confirmed', hang: 'confirmed', refuse: 'refused' },
  ...{ fault: 'neither', close: 'neither', 'break-off': 'neither' },
};

/** The game server of kind `http`. It counts signed commands; some answers are missing or cut off. */
export class HttpReceiver {
  readonly received = new ReceivedCommands();
  /** Requests that it must not get, in words. */
  readonly faults: string[] = [];
  private readonly ids = new Set<unknown>();
  private areFaultsOff = false;

  private constructor(
    private readonly game: HttpGame,
    private readonly random: Seeded,
    private readonly triggers: KillTriggers,
  ) {}

  static async start(random: Seeded, triggers: KillTriggers): Promise<HttpReceiver> {
    const game = await httpGame({ commandTimeout: `${RECEIVER_TIMEOUT_MS}ms` });
    const receiver = new HttpReceiver(game, random, triggers);
    game.answer(async (asked) => {
      const behaviour = receiver.behaviour();
      receiver.count(asked, REPLY[behaviour]);
      triggers.fire(behaviour === 'hang' ? 'hang' : 'command');
      if (behaviour === 'hang') await pause(random.next() * MAX_HANG_MS);
      return ANSWERS[behaviour];
    });
    return receiver;
  }

  get entry(): object {
    return this.game.entry;
  }

  /** From now on it answers every command. */
  stopFaults(): void {
    this.areFaultsOff = true;
  }

  private count({ said, body, headers }: HttpGame['received'][number], reply: Reply): void {
    const signature = headers[SIGNATURE_HEADER.toLowerCase()];
    if (typeof signature !== 'string' || !verifySignature(signature, body, HTTP_SECRET)) {
      this.faults.push(`a command with a wrong signature was received: ${body}`);
      return;
    }
    const { id, command, server } = said;
    if (this.ids.has(id)) this.faults.push(`the command ID ${id} was received twice (“${command}”)`);
    if (server !== 'city') this.faults.push(`“${command}” was received for the game server ${server}`);
    this.ids.add(id);
    this.received.add(String(command), reply);
  }

  private behaviour(): Behaviour {
    if (this.areFaultsOff) return 'answer';
    let left = this.random.next();
    if (this.triggers.isAwaited('hang')) return 'hang';
    for (const [behaviour, chance] of CHANCES) {
      left -= chance;
      if (left < 0) return behaviour;
    }
    return 'answer';
  }
}

const ANSWERS: Readonly<Record<Behaviour, HttpAnswer>> = {
  answer: { body: 'done' },
  hang: { body: 'done late' },
  fault: { status: 500, body: 'internal error' },
  refuse: { status: 422, body: 'no such user' },
  close: (socket) => socket.destroy(),
  'break-off': (socket) =>
    socket.write('HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\ndone', () => socket.destroy()),
};
