import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { CLI, launchScript } from '../support/processes.ts';
import type { Seeded } from '../support/seeded.ts';
import type { Environment } from './environment.ts';
import type { KillTrigger } from './game-servers.ts';
import type { TellerAddresses } from './traffic.ts';

const MIN_LIFETIME_MS = 30;
const MAX_LIFETIME_MS = 400;
/** Teller looks for tops to settle every 10 s. Until shortly before, a long lifetime is idle. */
const IS_LONG = 0.06;
const LONG_LIFETIME_MS = 9_900;
/** With kill -9 soon after, often while the reload is in progress. */
const IS_RELOADED = 0.4;
/** How long votes are still sent to a process that was asked to stop. */
const STOPPING_MS = 20;
const MAX_STOPPING_MS = 30;
const TRIGGER_WITHIN_MS = 150;
/** A stopping process has a second for open requests, and one for a running command. */
const EXITS_WITHIN_MS = 15_000;
/** The assumed duration of a start until one has been measured. */
const FIRST_START_MS = 400;

export type Ending = 'kill' | 'kill at start-up' | 'stop' | 'kill while stopping';

type Plan = ReturnType<typeof planned>;

function planned(random: Seeded) {
  const draw = random.next();
  const ending: Ending =
    draw < 0.6 ? 'kill' : draw < 0.75 ? 'kill at start-up' : draw < 0.9 ? 'stop' : 'kill while stopping';
  return {
    ending,
    /** Measured from the ready line, or the end of the idle time. */
    lifetimeMs: MIN_LIFETIME_MS + random.next() * (MAX_LIFETIME_MS - MIN_LIFETIME_MS),
    /** The share of a start after which the process is killed. The first half is spent on loading the program. */
    startUp: 0.5 + random.next() * 0.6,
    /** The event that the end then waits for, up to a limit: the gap between an answer and what it promises is short. */
    until: random.pick<KillTrigger | null>(['answer', 'command', 'hang', null]),
    /** Before the lifetime proper. */
    idleMs: ending !== 'kill at start-up' && random.chance(IS_LONG) ? LONG_LIFETIME_MS : 0,
    stoppingMs: random.next() * MAX_STOPPING_MS,
    isReloaded: random.chance(IS_RELOADED),
    /** The share of the lifetime after which the config is reloaded. */
    reloadAt: random.next(),
  };
}

/** A `teller run` in a process of its own. */
type TellerProcess = ReturnType<typeof started>;

function started({ place, within }: Environment) {
  const words = ['run', '--config', place.config, '--json'];
  const { process, ready, ended } = launchScript<TellerAddresses>(CLI, words, place.folder, within);
  const send = (signal: NodeJS.Signals): void => void process.kill(signal);
  /** `ready` is null if it ends before it listens. */
  return { ready: ready.catch(() => null), ended, process, send };
}

/** Starts Teller again and again, and ends it at random times and in random ways while votes are sent to it. */
export class Lifetimes {
  readonly endings: Record<Ending, number> = {
    ...{ kill: 0, 'kill at start-up': 0, stop: 0, 'kill while stopping': 0 },
  };
  /** Exits that were not asked for, and those that did not happen. */
  readonly faults: string[] = [];
  private startMs = FIRST_START_MS;

  constructor(private readonly environment: Environment) {}

  /** The number of times that Teller was killed with kill -9. */
  get kills(): number {
    return this.endings.kill + this.endings['kill at start-up'] + this.endings['kill while stopping'];
  }

  /** @returns whether it was so long that tops may have been settled. */
  async runOne(): Promise<{ readonly isLong: boolean }> {
    const plan = planned(this.environment.random);
    this.environment.startLifetime();
    const teller = started(this.environment);
    if (plan.ending === 'kill at start-up') {
      await pause(plan.startUp * this.startMs);
      teller.send('SIGKILL');
    } else await this.voteUntilEnd(teller, plan);
    await this.awaitExit(teller, plan.ending);
    return { isLong: plan.idleMs > 0 };
  }

  /** The last process, which is stopped when `work` is done. */
  async runLast(work: (at: TellerAddresses) => Promise<void>): Promise<void> {
    this.environment.traffic.startLifetime();
    this.environment.stopFaults();
    const teller = started(this.environment);
    const at = await teller.ready;
    if (at !== null) await work(at);
    teller.send('SIGTERM');
    await this.awaitExit(teller, 'stop');
  }

  private async voteUntilEnd(teller: TellerProcess, plan: Plan): Promise<void> {
    const { voteSome, operator, events } = this.environment;
    const startedAt = performance.now();
    const at = await teller.ready;
    if (at === null) return;
    this.startMs = performance.now() - startedAt;
    await pause(plan.idleMs);
    let isAlive = true;
    const voting = (async () => {
      while (isAlive) await voteSome(at);
    })();
    await pause(plan.lifetimeMs * plan.reloadAt);
    if (plan.isReloaded && operator.edit()) teller.send('SIGHUP');
    await pause(plan.lifetimeMs * (1 - plan.reloadAt));
    if (plan.until !== null) await Promise.race([once(events, plan.until), pause(TRIGGER_WITHIN_MS)]);
    if (plan.ending !== 'kill') {
      teller.send('SIGTERM');
      await pause(plan.ending === 'stop' ? STOPPING_MS : plan.stoppingMs);
    }
    if (plan.ending !== 'stop') teller.send('SIGKILL');
    isAlive = false;
    await voting;
  }

  private async awaitExit({ ended, process, send }: TellerProcess, ending: Ending): Promise<void> {
    const limit = setTimeout(() => {
      this.faults.push(`Teller had not exited ${EXITS_WITHIN_MS} ms after it was asked to`);
      send('SIGKILL');
    }, EXITS_WITHIN_MS);
    await ended();
    clearTimeout(limit);
    this.endings[ending] += 1;
    const { exitCode, signalCode } = process;
    // A process that was asked to stop may have exited before the kill.
    const isExpected = signalCode === 'SIGKILL' ? ending !== 'stop' : exitCode === 0 && /stop/.test(ending);
    if (!isExpected) this.faults.push(`Teller exited with ${exitCode ?? signalCode} (${ending})`);
  }
}
