import { type Clock, nextTurn } from '../../core/clock.ts';
import type { Answer, Call, Request } from './calls.ts';

/** More would make a transaction long, and with it the wait of the calls that come next. */
const BATCH_MAX = 512;

interface Waiting extends Call {
  /** Monotonic. */
  readonly since: number;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
}

export interface GatheringParts {
  readonly clock: Pick<Clock, 'monotonic' | 'nextTurn'>;
  /** How long a call waits if another process has locked the database. */
  readonly patienceMs: number;
  /** Runs a batch. If it rejects, all calls of the batch reject with that error. */
  readonly run: (requests: readonly Request[]) => Promise<readonly Answer[]>;
}

/**
 * Gathers calls into batches: those of one turn of the event loop, and then whatever came while the last batch was
 * being written. There is no window to wait for, so a lone call is run at once, and the slower the disk, the larger
 * the batches.
 */
export class Gathering {
  private waiting: Waiting[] = [];
  private running: Promise<void> | null = null;
  private isPlanned = false;

  constructor(private readonly parts: GatheringParts) {}

  call(name: string, args: readonly unknown[]): Promise<unknown> {
    return new Promise((resolve, reject) => {
      this.waiting.push({ name, args, since: this.parts.clock.monotonic(), resolve, reject });
      this.plan();
    });
  }

  /** Resolves when everything that was called is answered. */
  async finished(): Promise<void> {
    while (this.waiting.length > 0 || this.running !== null) {
      await (this.running ?? nextTurn(this.parts.clock));
    }
  }

  private plan(): void {
    if (this.isPlanned || this.running !== null || this.waiting.length === 0) return;
    this.isPlanned = true;
    this.parts.clock.nextTurn(() => {
      this.isPlanned = false;
      this.running = this.runBatch(this.waiting.splice(0, BATCH_MAX)).finally(() => {
        this.running = null;
        this.plan();
      });
    });
  }

  private async runBatch(batch: readonly Waiting[]): Promise<void> {
    const { clock, run, patienceMs } = this.parts;
    const now = clock.monotonic();
    try {
      const answers = await run(
        batch.map(({ name, args, since }) => ({
          name,
          args,
          patienceMs: Math.max(0, patienceMs - (now - since)),
        })),
      );
      batch.forEach(({ resolve, reject }, index) => {
        const answer = answers[index] as Answer;
        if ('error' in answer) reject(answer.error);
        else resolve(answer.value);
      });
    } catch (error) {
      for (const { reject } of batch) reject(error);
    }
  }
}
