import type { Clock } from '../core/clock.ts';
import type { GrantLedger } from '../ledger/ledger.ts';

/**
 * Ends the delays of grants and lets grants expire, on all game servers at once: one that cannot be reached, or is not
 * asked because nothing is to be paid there, needs no turn for it.
 */
export class Terms {
  constructor(
    private readonly ledger: Pick<GrantLedger, 'hasTermsDue' | 'applyTerms'>,
    private readonly clock: Clock,
  ) {}

  /**
   * @param isStopped asked between two portions.
   * @returns whether grants can be paid now whose delay was not over before. Rejects with the ledger's Problem.
   */
  async apply(isStopped: () => boolean): Promise<boolean> {
    if (!(await this.ledger.hasTermsDue(this.clock.now()))) return false;
    let hasEnded = false;
    for (let hasMore = true; hasMore && !isStopped(); ) {
      const applied = await this.ledger.applyTerms(this.clock.now());
      hasEnded ||= applied.ended > 0;
      hasMore = applied.hasMore;
    }
    return hasEnded;
  }
}
