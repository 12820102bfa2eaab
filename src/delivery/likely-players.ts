import { bedrockNamesOf, playerKey } from '../core/player-name.ts';
import type { GrantLedger, QueueKey } from '../ledger/ledger.ts';
import type { Attendance } from './attendance.ts';

/** How many stored names are remembered. Beyond that, all are stored again, which does not change the ledger. */
const STORED_MAX = 1_000;

/**
 * Some sites strip the prefix of a Bedrock name, so a reward waits for `BedHead` while `.BedHead` plays. That is a
 * guess, so it is not paid: the name is stored with the grant for the operator.
 */
export class LikelyPlayers {
  prefixes: readonly string[] = [];
  private readonly stored = new Set<string>();

  constructor(
    private readonly ledger: GrantLedger,
    private readonly queue: QueueKey,
    private readonly attendance: Attendance,
  ) {}

  /** Call this for a grant that has just begun to wait. */
  async store(name: string): Promise<void> {
    const likely = this.likely(name);
    if (likely !== null) await this.ledger.storeLikelyPlayer(this.queue, playerKey(name), likely);
  }

  /** Call this for grants that have been waiting. It runs every few seconds, so each name is stored only once. */
  async storeFor(names: readonly string[]): Promise<void> {
    for (const name of names) {
      const likely = this.likely(name);
      const pair = `${name} ${likely}`;
      if (likely === null || this.stored.has(pair)) continue;
      await this.store(name);
      if (this.stored.size >= STORED_MAX) this.stored.clear();
      this.stored.add(pair);
    }
  }

  /** A player who is online under the name that the bridge would give this one. */
  private likely(name: string): string | null {
    const online = bedrockNamesOf(name, this.prefixes).map((other) =>
      this.attendance.spelling(playerKey(other)),
    );
    return online.find((other) => other !== null) ?? null;
  }
}
