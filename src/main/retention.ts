import type { Clock } from '../core/clock.ts';
import type { Log } from '../core/log.ts';
import { Repeating } from '../core/repeating.ts';
import type { Ledger } from '../ledger/ledger.ts';

/** How long the ledger keeps what says who voted from where, in milliseconds; null: for ever. */
export interface Keep {
  readonly addressesMs: number | null;
  readonly wireMs: number | null;
}

/** The pause after a portion, so that votes are stored in between. */
const PORTION_PAUSE_MS = 1_000;
/** How often it is looked whether something has become too old, and what was removed by any process is erased from the disk. */
const LOOK_MS = 10 * 60_000;

/**
 * Removes what is older than the config keeps it, in the one process that delivers (rule 6), and sees to it that nothing that was
 * removed stays on the disk for long.
 */
export class Retention {
  private readonly repeating: Repeating;
  /** In monotonic time. */
  private nextAt: number;

  constructor(
    private readonly parts: {
      readonly ledger: Pick<Ledger, 'removeOld' | 'erase'>;
      readonly clock: Clock;
      readonly log: Log;
    },
    private keep: Keep,
  ) {
    // A start has enough to do, and nothing to erase but what another process could not.
    this.nextAt = isForEver(keep) ? parts.clock.monotonic() + LOOK_MS : Number.NEGATIVE_INFINITY;
    this.repeating = new Repeating(parts, PORTION_PAUSE_MS, () => this.removePortion());
  }

  start(): void {
    this.repeating.start();
  }

  apply(keep: Keep): void {
    this.keep = keep;
    this.nextAt = Number.NEGATIVE_INFINITY;
  }

  close(): Promise<void> {
    return this.repeating.close();
  }

  private async removePortion(): Promise<void> {
    const { ledger, clock } = this.parts;
    if (clock.monotonic() < this.nextAt) return;
    const { keep } = this;
    if (await this.removeOld(keep)) return;
    // False if another program reads the ledger at this moment, such as a backup. A limit that was changed meanwhile applies at
    // the next look.
    if ((await ledger.erase(0)) && this.keep === keep) this.nextAt = clock.monotonic() + LOOK_MS;
  }

  /** @returns whether there is more. */
  private async removeOld(keep: Keep): Promise<boolean> {
    const { ledger, clock } = this.parts;
    if (isForEver(keep)) return false;
    const { addressesMs, wireMs } = keep;
    const before = (ms: number | null): number | null => (ms === null ? null : clock.now() - ms);
    return ledger.removeOld({ addresses: before(addressesMs), wire: before(wireMs) });
  }
}

const isForEver = ({ addressesMs, wireMs }: Keep): boolean => addressesMs === null && wireMs === null;
