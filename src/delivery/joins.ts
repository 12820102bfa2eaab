import { playerKey } from '../core/player-name.ts';
import type { AbsenceReading, GrantLedger, QueueKey } from '../ledger/ledger.ts';
import type { Presence } from './game-server.ts';

/** Stores which players were absent, for grants that wait until their player joins. Methods reject with the ledger's Problem. */
export class Joins {
  constructor(
    private readonly ledger: GrantLedger,
    private readonly queue: QueueKey,
  ) {}

  /**
   * Call this before the game server is asked. Only an answer to a later question counts for the grants that there are
   * now: an earlier one may be older than they are.
   *
   * @returns null if no grant waits for an absence.
   */
  async newest(): Promise<number | null> {
    return this.ledger.newestUnjoined(this.queue);
  }

  /** @param wanted the players whom the game server was asked about, if it answers only for them. */
  async store(presence: Presence, wanted: readonly string[], upTo: number): Promise<void> {
    const reading = readingOf(presence, wanted, upTo);
    if (reading === null) return;
    while (await this.ledger.seeAbsent(this.queue, reading));
  }
}

/** null if the answer does not say who is absent. */
function readingOf(presence: Presence, wanted: readonly string[], upTo: number): AbsenceReading | null {
  if (presence.kind === 'unreachable' || presence.kind === 'cannot-tell') return null;
  const asked = presence.kind === 'asked' ? wanted.map(playerKey) : null;
  return { upTo, present: presence.names.map(playerKey), asked };
}
