import type { GrantLedger, QueueKey } from '../ledger/ledger.ts';

/** For how many players at a time a server is asked one by one where its list cannot be relied on. */
const PAGE = 100;

/** The players that grants of one game server wait for, a page at a time; after the last page the first one again. */
export class WaitingPlayers {
  private after = 0;

  constructor(
    private readonly ledger: GrantLedger,
    private readonly queue: QueueKey,
  ) {}

  /** Their names as voted; empty where nobody is waited for. */
  async nextPage(): Promise<readonly string[]> {
    const page = await this.ledger.waitingFor(this.queue, PAGE, this.after);
    const last = page.at(-1);
    const isWhole = this.after === 0;
    this.after = page.length === PAGE && last !== undefined ? last.recipientId : 0;
    return page.length === 0 && !isWhole ? this.nextPage() : page.map(({ player }) => player);
  }
}
