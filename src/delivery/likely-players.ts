import { bedrockNamesOf, playerKey } from '../core/player-name.ts';
import type { GrantLedger, QueueKey } from '../ledger/ledger.ts';
import type { Attendance } from './attendance.ts';

/** Names that are remembered as noted; beyond them all are noted again, which changes nothing in the ledger. */
const NOTED_MAX = 1_000;

/**
 * Some sites strip the prefix of a Bedrock name, so a reward waits for `BedHead` while `.BedHead` plays. Nobody is paid
 * on that guess: it is noted on the grant, for the operator.
 */
export class LikelyPlayers {
  prefixes: readonly string[] = [];
  private readonly noted = new Set<string>();

  constructor(
    private readonly ledger: GrantLedger,
    private readonly queue: QueueKey,
    private readonly attendance: Attendance,
  ) {}

  /** Of a grant that has just begun to wait. */
  async noteNew(name: string): Promise<void> {
    const likely = this.likely(name);
    if (likely !== null) await this.ledger.storeLikelyPlayer(this.queue, playerKey(name), likely);
  }

  /** Of grants that have been waiting, each name once: they are looked at every few seconds. */
  async noteAll(names: readonly string[]): Promise<void> {
    for (const name of names) {
      const likely = this.likely(name);
      const pair = `${name} ${likely}`;
      if (likely === null || this.noted.has(pair)) continue;
      await this.noteNew(name);
      if (this.noted.size >= NOTED_MAX) this.noted.clear();
      this.noted.add(pair);
    }
  }

  /** A player who is online and is called as the bridge would call this one. */
  private likely(name: string): string | null {
    const online = bedrockNamesOf(name, this.prefixes).map((other) =>
      this.attendance.spelling(playerKey(other)),
    );
    return online.find((other) => other !== null) ?? null;
  }
}
