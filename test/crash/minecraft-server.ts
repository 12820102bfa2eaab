import type { Random } from '../../src/core/random.ts';
import type { FaultName } from '../../src/practice/faults.ts';
import { type PracticeServer, startPracticeServer } from '../../src/practice/server.ts';
import { systemClock } from '../../src/runtime/clock.ts';
import { systemRandom } from '../../src/runtime/random.ts';
import { silentLog } from '../support/log.ts';
import { happens, oneOf } from './chance.ts';
import { HeardCommands } from './heard.ts';
import type { Moments } from './moments.ts';

const JOINS = 0.4;
const LEAVES = 0.15;
/** In the middle of a grant. */
const LEAVES_WHILE_PAID = 0.1;
const MISBEHAVES = 0.4;
/** Each leaves a command in doubt, some until the kill. */
const FAULTS: readonly FaultName[] = [
  'run-and-close',
  'run-and-silent',
  'close-before-running',
  'silent-without-running',
  'half-reply',
  'garbage-length',
];

/** The game server behind RCON: it goes on while Teller dies, and players come to it and go. */
export class MinecraftServer {
  private isCalm = false;

  private constructor(
    readonly practice: PracticeServer,
    private readonly random: Random,
  ) {}

  static async start(random: Random, moments: Moments): Promise<MinecraftServer> {
    const onCommand = (command: string): void => {
      moments.happened('command');
      server.somebodyIsPaid(command);
    };
    // Logged when it has run, before it is answered.
    const log = {
      ...silentLog,
      debug: (fields: object) => onCommand('command' in fields ? `${fields.command}` : ''),
    };
    const practice = await startPracticeServer({ clock: systemClock, random: systemRandom, log });
    const server = new MinecraftServer(practice, random);
    return server;
  }

  /** Now and then it keeps one answer back. */
  beginLife(): void {
    this.practice.clearFaults();
    if (happens(this.random, MISBEHAVES)) this.practice.setFault(oneOf(this.random, FAULTS), 1);
  }

  /** Some of these come, and now and then somebody goes. */
  comeAndGo(players: readonly string[]): void {
    for (const player of players) if (happens(this.random, JOINS)) this.practice.join(player);
    const leaving = happens(this.random, LEAVES) ? oneOf(this.random, this.practice.players()) : undefined;
    if (leaving !== undefined) this.practice.leave(leaving);
  }

  /** From now on it answers everything, and all of these stay. */
  welcomeAll(players: readonly string[]): void {
    this.isCalm = true;
    this.practice.clearFaults();
    for (const player of players) this.practice.join(player);
  }

  /** By its own record. A `give` for somebody who was away was no run. */
  heard(): HeardCommands {
    const heard = new HeardCommands();
    for (const { command, reply } of this.practice.commands()) {
      const hasRun = command.startsWith('say ') || (command.startsWith('give ') && reply.startsWith('Gave '));
      if (hasRun) heard.add(command, 'confirmed');
    }
    return heard;
  }

  /** Players online who own another number of something than `give` ran for them. */
  miscounted(heard: HeardCommands): string[] {
    return this.practice.players().flatMap((player) => {
      const owned = this.practice.inventory(player);
      return ['diamond', 'emerald'].flatMap((item) => {
        const given = heard.of(`give ${player} ${item} 1`).came;
        const has = owned[item] ?? 0;
        return given === has ? [] : [`${player} was given ${given} ${item} and has ${has}`];
      });
    });
  }

  private somebodyIsPaid(command: string): void {
    const [, player] = /^give (\S+) diamond/.exec(command) ?? [];
    if (player === undefined || this.isCalm) return;
    if (happens(this.random, LEAVES_WHILE_PAID)) this.practice.leave(player);
  }
}
