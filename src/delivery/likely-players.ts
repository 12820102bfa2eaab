import { bedrockNamesOf, playerKey } from '../core/player-name.ts';
import type { GrantLedger, LikelyPlayer, QueueKey } from '../ledger/ledger.ts';
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

  /** Call this for players for whom grants have just begun to wait. */
  async store(names: readonly string[]): Promise<void> {
    await this.storeAll(names.flatMap((name) => this.likely(name)));
  }

  /** Call this for players whom grants wait for. It runs every few seconds, so each name is stored only once. */
  async storeOnce(names: readonly string[]): Promise<void> {
    const players = names
      .flatMap((name) => this.likely(name))
      .filter((player) => !this.stored.has(pairOf(player)));
    await this.storeAll(players);
    if (this.stored.size >= STORED_MAX) this.stored.clear();
    for (const player of players) this.stored.add(pairOf(player));
  }

  private async storeAll(players: readonly LikelyPlayer[]): Promise<void> {
    if (players.length > 0) await this.ledger.storeLikelyPlayers(this.queue, players);
  }

  /** A player who is online under the name that the bridge would give this one. */
  private likely(name: string): LikelyPlayer[] {
    for (const other of bedrockNamesOf(name, this.prefixes)) {
      const likely = this.attendance.spelling(playerKey(other));
      if (likely !== null) return [{ recipientKey: playerKey(name), likely }];
    }
    return [];
  }
}

const pairOf = ({ recipientKey, likely }: LikelyPlayer): string => `${recipientKey} ${likely}`;
