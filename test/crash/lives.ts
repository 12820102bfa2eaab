import type { Random } from '../../src/core/random.ts';
import { systemClock } from '../../src/runtime/clock.ts';
import { oneOf } from './chance.ts';
import type { Moment } from './moments.ts';
import { startVictim, type TellerAddresses, type Victim } from './victim.ts';
import type { World } from './world.ts';

const LIFE_LEAST_MS = 30;
const LIFE_MOST_MS = 400;
/** How long votes go on coming to a Teller that was asked to end. */
const ENDING_MS = 20;
const ENDING_MOST_MS = 30;
const MOMENT_WITHIN_MS = 150;
/** It has a second for requests under way, and one for a command in flight. */
const ENDS_WITHIN_MS = 15_000;
/** Until one start has been measured. */
const FIRST_START_MS = 400;

export type Death = 'kill' | 'kill at start-up' | 'end' | 'kill while ending';
/** A Teller that was asked to may have ended before the kill. */
const MAY_END: ReadonlySet<Death> = new Set(['end', 'kill while ending']);

interface Plan {
  readonly death: Death;
  /** From the ready line on. */
  readonly lifeMs: number;
  /** What the blow waits for then, for a while: the gap between an answer and what it promises is short. */
  readonly until: Moment | null;
  /** Of the time that a start takes. */
  readonly startUp: number;
  readonly endingMs: number;
}

/** How a Teller lives: when it is ended and how is the random's word, and all the while votes pour in. */
export class Lives {
  readonly deaths: Record<Death, number> = { kill: 0, 'kill at start-up': 0, end: 0, 'kill while ending': 0 };
  /** What it did without being told to, and what it did not do. */
  readonly faults: string[] = [];
  private readonly start: () => Victim;
  private startMs = FIRST_START_MS;

  constructor(
    private readonly world: World,
    private readonly random: Random,
    command: readonly string[],
    folder: string,
  ) {
    this.start = () => startVictim(command, folder);
  }

  /** With kill -9. */
  get kills(): number {
    return this.deaths.kill + this.deaths['kill at start-up'] + this.deaths['kill while ending'];
  }

  async one(): Promise<void> {
    const plan = this.plan();
    this.world.beginLife();
    const victim = this.start();
    if (plan.death === 'kill at start-up') {
      await pause(plan.startUp * this.startMs);
      victim.send('SIGKILL');
    } else await this.live(victim, plan);
    await this.bury(victim, plan.death);
  }

  /** The last one, which nobody ends before `work` is done. */
  async lastOne(work: (at: TellerAddresses) => Promise<void>): Promise<void> {
    this.world.telling.beginLife();
    this.world.calmDown();
    const victim = this.start();
    const at = await victim.ready;
    if (at !== null) await work(at);
    victim.send('SIGTERM');
    await this.bury(victim, 'end');
  }

  private plan(): Plan {
    const roll = this.random.next();
    const death =
      roll < 0.6 ? 'kill' : roll < 0.75 ? 'kill at start-up' : roll < 0.9 ? 'end' : 'kill while ending';
    const lifeMs = LIFE_LEAST_MS + this.random.next() * (LIFE_MOST_MS - LIFE_LEAST_MS);
    // The first half of a start is spent on loading the program.
    const startUp = 0.5 + this.random.next() * 0.6;
    const until = oneOf(this.random, ['answer', 'command', 'hang', null] as const);
    return { death, lifeMs, until, startUp, endingMs: this.random.next() * ENDING_MOST_MS };
  }

  private async live(victim: Victim, plan: Plan): Promise<void> {
    const startedAt = systemClock.monotonic();
    const at = await victim.ready;
    if (at === null) return;
    this.startMs = systemClock.monotonic() - startedAt;
    let isAlive = true;
    const pouring = (async () => {
      while (isAlive) await this.world.voteSome(at);
    })();
    await pause(plan.lifeMs);
    await this.moment(plan.until);
    await strike(victim, plan);
    isAlive = false;
    await pouring;
  }

  private async moment(until: Moment | null): Promise<void> {
    if (until !== null) await Promise.race([this.world.moments.next(until), pause(MOMENT_WITHIN_MS)]);
  }

  private async bury(victim: Victim, death: Death): Promise<void> {
    const tooLate = systemClock.after(ENDS_WITHIN_MS, () => {
      this.faults.push(`Teller had not ended ${ENDS_WITHIN_MS} ms after it was asked to`);
      victim.send('SIGKILL');
    });
    const exit = await victim.ended;
    tooLate();
    this.deaths[death] += 1;
    const isExpected = exit.signal === 'SIGKILL' ? death !== 'end' : exit.code === 0 && MAY_END.has(death);
    if (!isExpected) this.faults.push(`Teller ended with ${exit.code ?? exit.signal} (${death})`);
  }
}

async function strike(victim: Victim, { death, endingMs }: Plan): Promise<void> {
  if (death !== 'kill') {
    victim.send('SIGTERM');
    await pause(death === 'end' ? ENDING_MS : endingMs);
  }
  if (death !== 'end') victim.send('SIGKILL');
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => systemClock.after(ms, () => resolve()));
