import { type Config, zoneOf } from '../../../config/config.ts';
import type { Clock } from '../../../core/clock.ts';
import { localDay } from '../../../core/local-time.ts';
import type { LedgerReader } from '../../../ledger/ledger.ts';
import type { Progress } from './coming.ts';
import { type ComingMonth, comingMonth, type MonthWish } from './coming-month.ts';

/** How far a month is that was looked at. */
export type MonthState =
  /** null: its votes are being read. */
  | { readonly kind: 'running'; readonly progress: Progress | null }
  | { readonly kind: 'done'; readonly month: ComingMonth; readonly endedAt: number }
  | { readonly kind: 'failed'; readonly error: unknown };

interface Parts {
  readonly ledger: Pick<LedgerReader, 'firstVotes' | 'votesCast' | 'playerTotals'>;
  readonly clock: Clock;
  /** Called when a month is done, or has come further. */
  readonly onChange: () => void;
}

/** What a month depends on. */
const SECTIONS = new Set<unknown>([
  'rewards',
  'party',
  'tops',
  'sites',
  'gameServers',
  'players',
  'timeZone',
]);

/** Months that pages look at: one is simulated at a time, in the background, and the last one is kept. */
export class ComingMonths {
  private key = '';
  private state: MonthState = { kind: 'running', progress: null };
  private stop = new AbortController();
  private running: Promise<void> = Promise.resolve();

  constructor(private readonly parts: Parts) {}

  /** Starts it if it is another one than the last, which then ends. Waits for nothing. */
  look(config: Config, wish: MonthWish): MonthState {
    const key = this.keyOf(config, wish);
    if (key !== this.key) this.start(key, config, wish);
    return this.state;
  }

  async close(): Promise<void> {
    this.stop.abort();
    await this.running;
  }

  private start(key: string, config: Config, wish: MonthWish): void {
    this.stop.abort();
    this.stop = new AbortController();
    this.key = key;
    this.state = { kind: 'running', progress: null };
    const { signal } = this.stop;
    // Not before the last one has ended, so that there is never a second thread.
    this.running = this.running.then(() => this.run(config, wish, signal));
  }

  private async run(config: Config, wish: MonthWish, signal: AbortSignal): Promise<void> {
    if (signal.aborted) return;
    const set = (state: MonthState): void => {
      if (signal.aborted) return;
      this.state = state;
      this.parts.onChange();
    };
    const onProgress = (progress: Progress): void => set({ kind: 'running', progress });
    try {
      const month = await comingMonth(config, wish, { ...this.parts, onProgress, signal });
      set({ kind: 'done', month, endedAt: this.parts.clock.now() });
    } catch (error) {
      set({ kind: 'failed', error });
    }
  }

  /** Another day is another month. */
  private keyOf(config: Config, wish: MonthWish): string {
    const zone = zoneOf(config, this.parts.clock);
    const values = [...config.settings.values()].flatMap(({ path: [top], value }) =>
      SECTIONS.has(top) && typeof value === 'string' ? [value] : [],
    );
    return JSON.stringify([wish, zone, localDay(this.parts.clock.now(), zone), values]);
  }
}
