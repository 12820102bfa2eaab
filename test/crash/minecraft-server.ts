import type { Random } from '../../src/core/random.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { systemRandom } from '../../src/platform/random.ts';
import type { FaultName } from '../../src/practice/faults.ts';
import { type PracticeServer, startPracticeServer } from '../../src/practice/server.ts';
import { silentLog } from '../support/log.ts';
import { Attendance } from './attendance.ts';
import { happens, oneOf } from './chance.ts';
import type { KillTriggers } from './kill-triggers.ts';
import { ReceivedCommands } from './received-commands.ts';

const JOINS = 0.4;
const LEAVES = 0.15;
/** In the middle of a grant. */
const LEAVES_DURING_GRANT = 0.1;
const HAS_FAULT = 0.4;
/** Each makes the outcome of a command unknown, some until the kill. */
const FAULTS: readonly FaultName[] = [
  'run-and-close',
  'run-and-silent',
  'close-before-running',
  'silent-without-running',
  'half-reply',
  'garbage-length',
];

/** A command as the game server itself recorded it. */
export interface RecordedCommand {
  /** In ms since the Unix epoch. */
  readonly at: number;
  readonly command: string;
  readonly reply: string;
}

/** A game server behind RCON. It keeps running when Teller is killed; players join and leave. */
export class MinecraftServer {
  private areFaultsOff = false;

  private constructor(
    readonly practice: PracticeServer,
    readonly attendance: Attendance,
    private readonly random: Random,
  ) {}

  static async start(random: Random, triggers: KillTriggers): Promise<MinecraftServer> {
    const onCommand = (command: string): void => {
      triggers.fire('command');
      server.leaveDuringGrant(command);
    };
    // The practice server logs a command after it has run and before it is answered.
    const log = {
      ...silentLog,
      debug: (fields: object) => onCommand('command' in fields ? `${fields.command}` : ''),
    };
    const practice = await startPracticeServer({ clock: systemClock, random: systemRandom, log });
    const attendance = new Attendance();
    const server = new MinecraftServer(attendance.watching(practice), attendance, random);
    return server;
  }

  /** Sets a fault for one command in some lifetimes. */
  startLifetime(): void {
    this.practice.clearFaults();
    if (happens(this.random, HAS_FAULT)) this.practice.setFault(oneOf(this.random, FAULTS), 1);
  }

  /** Lets some of these players join, and sometimes one player leave. */
  joinAndLeave(players: readonly string[]): void {
    for (const player of players) if (happens(this.random, JOINS)) this.practice.join(player);
    const leaving = happens(this.random, LEAVES) ? oneOf(this.random, this.practice.players()) : undefined;
    if (leaving !== undefined) this.practice.leave(leaving);
  }

  /** From now on it answers every command, and these players stay online. */
  joinAll(players: readonly string[]): void {
    this.areFaultsOff = true;
    this.practice.clearFaults();
    for (const player of players) this.practice.join(player);
  }

  /** What it was sent, in order. */
  recorded(): readonly RecordedCommand[] {
    return this.practice
      .commands()
      .map(({ time, command, reply }) => ({ at: Date.parse(time), command, reply }));
  }

  /** The commands that ran by its own record. */
  received(): ReceivedCommands {
    const received = new ReceivedCommands();
    for (const recorded of this.recorded()) if (hasRun(recorded)) received.add(recorded.command, 'confirmed');
    return received;
  }

  /** Players online who own more or fewer items than `give` gave them. */
  inventoryFaults(received: ReceivedCommands): string[] {
    return this.practice.players().flatMap((player) => {
      const owned = this.practice.inventory(player);
      return ['diamond', 'emerald', 'apple', 'bread'].flatMap((item) => {
        const given = received.of(`give ${player} ${item} 1`).times;
        const has = owned[item] ?? 0;
        return given === has ? [] : [`${player} was given ${given} ${item} and has ${has}`];
      });
    });
  }

  private leaveDuringGrant(command: string): void {
    const [, player] = /^give (\S+) (?:diamond|apple)/.exec(command) ?? [];
    if (player === undefined || this.areFaultsOff) return;
    if (happens(this.random, LEAVES_DURING_GRANT)) this.practice.leave(player);
  }
}

/** The replies to commands that ran; for a player who was offline, for example, `give` did not. */
const RAN: Readonly<Record<string, (reply: string) => boolean>> = {
  say: () => true,
  give: (reply) => reply.startsWith('Gave '),
  tag: (reply) => /^(?:Added|Removed) /.test(reply),
  tellraw: (reply) => reply === '',
};

export const hasRun = ({ command, reply }: RecordedCommand): boolean =>
  RAN[command.replace(/ .*/s, '')]?.(reply) ?? false;
