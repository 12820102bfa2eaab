import { once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';
import type { Clock } from '../core/clock.ts';
import type { Random } from '../core/random.ts';
import type { Log } from '../core/log.ts';
import { listen } from '../runtime/listen.ts';
import { GameConsole } from './console.ts';
import { answerControl } from './control.ts';
import { type FaultName, FaultSwitches } from './faults.ts';
import { CommandLog, type CommandRecord } from './record.ts';
import { Session, type SessionHost } from './session.ts';
import { World } from './world.ts';

export interface PracticeSettings {
  /** Loopback unless given. */
  readonly host?: string;
  /** 0, a free one, unless given. */
  readonly port?: number;
  /** A fresh one unless given. */
  readonly password?: string;
  /** Every executed command is appended, one JSON line each. */
  readonly logFile?: string;
  /** How late the fault `slow-reply` is. */
  readonly slowReplyMs?: number;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
}

/** A small game server that speaks RCON and can misbehave in every way that has been seen (`faults`). */
export interface PracticeServer {
  readonly host: string;
  readonly port: number;
  readonly password: string;
  /** @returns whether he was away until now. */
  join(name: string): boolean;
  /** @returns whether he was there until now. */
  leave(name: string): boolean;
  /** In the spelling they joined with, in order of joining. */
  players(): string[];
  /** Counts by item; the prefix `minecraft:` is left out. It stays when a player leaves. */
  inventory(name: string): Record<string, number>;
  /** Every command that was executed, in order; `practice …` is none. */
  commands(): readonly CommandRecord[];
  /** @param times on how many occasions it shows; absent: until cleared. */
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
  const host = sessionHost(settings, world, faults, records);
  const sockets = new Set<Socket>();
  const server = serve(sockets, host);
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
    join: (name) => world.join(name),
    leave: (name) => world.leave(name),
    players: () => world.online().map(({ name }) => name),
    inventory: (name) => world.inventory(name),
    commands: () => records.all(),
    setFault: (name, times) => faults.set(name, times),
    clearFaults: () => faults.clear(),
    close: () => closeAll(server, sockets),
  };
}

function sessionHost(
  { clock, random, log, password, slowReplyMs }: PracticeSettings,
  world: World,
  faults: FaultSwitches,
  records: CommandLog,
): SessionHost {
  const game = new GameConsole(world, faults);
  return {
    password: password ?? random.bytes(PASSWORD_BYTES).toString('hex'),
    faults,
    clock,
    slowReplyMs: slowReplyMs ?? SLOW_REPLY_MS,
    execute: (command) => {
      const reply = game.run(command);
      // Recorded before anybody can hear of it: whoever has seen the reply finds the command in the record.
      records.add(command, reply);
      log.debug({ code: 'practice-command', command, reply }, 'practice server ran a command');
      return reply;
    },
    control: (command) => answerControl(command, { world, faults }),
  };
}

function serve(sockets: Set<Socket>, host: SessionHost): Server {
  return createServer((socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    new Session(socket, host);
  });
}

async function closeAll(server: Server, sockets: ReadonlySet<Socket>): Promise<void> {
  if (!server.listening) return;
  const closed = once(server, 'close');
  server.close();
  for (const socket of sockets) socket.destroy();
  await closed;
}
