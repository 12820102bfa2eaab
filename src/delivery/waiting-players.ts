import type { Ledger, QueueKey } from '../ledger/ledger.ts';

/** How many players are asked about in one turn if the server's list cannot be relied on. */
const PAGE = 100;

/** The players whom one game server's grants wait for, a page at a time. The first page follows the last. */
export class WaitingPlayers {
  private after = 0;

  constructor(
    private readonly ledger: Ledger,
    private readonly queue: QueueKey,
  ) {}

  /** Their names as voted; empty if no grant waits for a player. */
  async nextPage(): Promise<readonly string[]> {
    const page = await this.ledger.waitingFor(this.queue, PAGE, this.after);
    const last = page.at(-1);
    const isWhole = this.after === 0;
    this.after = page.length === PAGE && last !== undefined ? last.recipientId : 0;
    return page.length === 0 && !isWhole
      ? this.nextPage()
      : page.flatMap(({ player, otherNames }) => [player, ...otherNames]);
  }
}
