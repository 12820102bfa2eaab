import { once } from 'node:events';
import { appendFileSync, writeFileSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import type { Clock } from '../core/clock.ts';
import { isoTime } from '../core/instant.ts';
import type { Log } from '../core/log.ts';
import type { Random } from '../core/random.ts';
import { listen } from '../platform/listen.ts';
import { GameConsole } from './console.ts';
import { answerControl } from './control.ts';
import { type FaultName, FaultSwitches } from './faults.ts';
import { Session, type SessionHost } from './session.ts';
import { World } from './world.ts';

export interface PracticeSettings {
  /** By default loopback. */
  readonly host?: string;
  /** By default 0, which means a free port. */
  readonly port?: number;
  /** By default a new random one. */
  readonly password?: string;
  /** Every executed command is appended, one JSON line each. */
  readonly logFile?: string;
  /** The delay of the fault `slow-reply`. */
  readonly slowReplyMs?: number;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
}

/** A small game server that speaks RCON and can simulate every fault that was seen on real servers (`faults`). */
export interface PracticeServer {
  readonly host: string;
  readonly port: number;
  readonly password: string;
  /**
   * @param uuid a known one under another name is a rename. Default: whoever had the name last.
   * @returns false if they, or someone else with the name, were already on the server.
   */
  join(name: string, uuid?: string): boolean;
  /** @returns false if they were not on the server. */
  leave(name: string): boolean;
  /** In the spelling they joined with, in order of joining. */
  players(): string[];
  /** Counts by item, without the prefix `minecraft:`. Players keep their items when they leave. */
  inventory(name: string): Record<string, number>;
  /** Every game command that was executed, in order. */
  commands(): readonly CommandRecord[];
  /** @param times how many commands or logins it affects; absent: until cleared. */
  setFault(name: FaultName, times?: number): void;
  clearFaults(): void;
  close(): Promise<void>;
}

const PASSWORD_BYTES = 16;
const SLOW_REPLY_MS = 3_000;

/** Resolves once it listens. @throws Problem `port-in-use`, `port-not-allowed` */
export async function startPracticeServer(settings: PracticeSettings): Promise<PracticeServer> {
  const world = new World();
  const faults = new FaultSwitches();
  const records = new CommandLog(settings.clock, settings.logFile ?? null);
  const sockets = new Set<Socket>();
  const host = sessionHost(settings, { world, faults, records });
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    new Session(socket, host);
  });
  const address = await listen(server, {
    host: settings.host ?? '127.0.0.1',
    port: settings.port ?? 0,
    key: '--port',
    likelyHolder: 'another practice server',
  });
  server.on('error', (error) =>
    settings.log.error({ code: 'practice-socket', error }, 'practice server failed'),
  );
  return {
    ...address,
    password: host.password,
    join: (name, uuid) => world.join(name, uuid) === 'joined',
    leave: (name) => world.leave(name),
    players: () => world.online().map(({ name }) => name),
    inventory: (name) => world.inventory(name),
    commands: () => records.all(),
    setFault: (name, times) => faults.set(name, times),
    clearFaults: () => faults.clear(),
    close: () => closeAll(server, sockets),
  };
}

interface HostParts {
  readonly world: World;
  readonly faults: FaultSwitches;
  readonly records: CommandLog;
}

function sessionHost(
  { clock, random, log, password, slowReplyMs }: PracticeSettings,
  { world, faults, records }: HostParts,
): SessionHost {
  const game = new GameConsole(world, faults);
  return {
    password: password ?? random.bytes(PASSWORD_BYTES).toString('hex'),
    faults,
    clock,
    slowReplyMs: slowReplyMs ?? SLOW_REPLY_MS,
    execute: (command) => {
      const reply = game.run(command);
      // Recorded before the reply is sent: a client that has the reply can find the command in the record.
      records.add(command, reply);
      log.debug({ code: 'practice-command', command, reply }, 'practice server ran a command');
      return reply;
    },
    control: (command) => answerControl(command, { world, faults, clock }),
  };
}

async function closeAll(server: Server, sockets: ReadonlySet<Socket>): Promise<void> {
  if (!server.listening) return;
  const closed = once(server, 'close');
  server.close();
  for (const socket of sockets) socket.destroy();
  await closed;
}

/** One command that was executed, even if its reply was lost. */
interface CommandRecord {
  /** ISO 8601, UTC. */
  readonly time: string;
  readonly command: string;
  /** The game's answer, even if a fault prevented sending it. */
  readonly reply: string;
}

/** How many of the latest commands are kept in memory; a log file has all of them. */
const KEPT = 100_000;

/** The commands that the game executed, to compare with Teller's own record. */
class CommandLog {
  private readonly records: CommandRecord[] = [];

  /** @param file appended to, and created at once, so that a wrong path fails at the start instead of with a reward. */
  constructor(
    private readonly clock: Clock,
    private readonly file: string | null,
  ) {
    if (file !== null) writeFileSync(file, '', { flag: 'a', mode: 0o600 });
  }

  /** Returns when the kernel has the line, so that every reply that was sent is in the file even after a crash. */
  add(command: string, reply: string): void {
    const record = { time: isoTime(this.clock.now()), command, reply };
    if (this.file !== null) appendFileSync(this.file, `${JSON.stringify(record)}\n`);
    this.records.push(record);
    if (this.records.length > KEPT * 2) this.records.splice(0, KEPT);
  }

  all(): readonly CommandRecord[] {
    return [...this.records];
  }
}
