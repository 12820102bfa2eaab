import type { Clock } from '../core/clock.ts';

const TICK_MS = 50;

/** How many ticks the world has existed: 20 a second while the game server runs. It is saved with the world. */
export class GameTime {
  private since: number;
  private before = 0;

  constructor(private readonly clock: Pick<Clock, 'monotonic'>) {
    this.since = clock.monotonic();
  }

  get ticks(): number {
    return this.before + Math.max(0, Math.floor((this.clock.monotonic() - this.since) / TICK_MS));
  }

  /** The game goes on from this time, but not before `downMs` have passed. */
  restart(ticks: number, downMs: number): void {
    this.before = ticks;
    this.since = this.clock.monotonic() + downMs;
  }
}
