import type { FaultName } from './faults.ts';
import type { GameTime } from './game-time.ts';
import type { World } from './world.ts';

/** What the fault is that `Crashes` acts out. */
export const CRASH: FaultName = 'crash-with-rollback';

/** Lets the game server crash: its world goes back to when it was saved last, and for a while it is down. */
export class Crashes {
  private saved: { readonly restore: () => void; readonly ticks: number } | null = null;
  private upAt = Number.NEGATIVE_INFINITY;

  /** @param downMs from the crash until it accepts connections again, in ms of monotonic time. */
  constructor(
    private readonly world: World,
    private readonly gameTime: GameTime,
    private readonly clock: { monotonic(): number },
    private readonly downMs: number,
  ) {}

  get isDown(): boolean {
    return this.clock.monotonic() < this.upAt;
  }

  /** Saves the world, as a game server does every few minutes. */
  save(): void {
    this.saved = { restore: this.world.save(), ticks: this.gameTime.ticks };
  }

  /** Players who were on the server are back at once. */
  crash(): void {
    this.upAt = this.clock.monotonic() + this.downMs;
    this.saved?.restore();
    this.gameTime.restart(this.saved?.ticks ?? this.gameTime.ticks, this.downMs);
  }
}
