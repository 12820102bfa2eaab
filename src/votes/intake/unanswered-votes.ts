import type { Cancel, Clock } from '../../core/clock.ts';
import type { Log } from '../../core/log.ts';
import { printable } from '../../core/printable.ts';
import { Problem } from '../../core/problem.ts';
import { shownService } from '../../core/service-name.ts';
import type { Vote } from '../../core/vote.ts';
import type { Arrival } from '../../rewards/reward.ts';

const RETRY_MS = 1_000;
/** About 10 MB: enough for an hour of a full disk at three votes a second. */
const VOTES_MAX = 10_000;
/** On a disk whose commits take 20 ms, 10,000 votes one after another would take four minutes, also at the end. */
const STORED_AT_ONCE = 500;

/**
 * v1 senders get no answer and never send again, so a v1 vote that cannot be stored is kept here, in memory only, and
 * retried until it can. v2 senders get an error instead.
 */
export class UnansweredVotes {
  /** In order of arrival, by block: a sender that repeats a block uses one place only. */
  private readonly votes = new Map<string | Arrival, Arrival>();
  private cancelRetry: Cancel | null = null;
  private storing: Promise<void> = Promise.resolve();
  private isClosed = false;

  /**
   * @param record rejects with the ledger's Problem.
   * @param onLost called with each vote that is given up.
   */
  constructor(
    private readonly record: (arrival: Arrival) => Promise<unknown>,
    private readonly clock: Clock,
    private readonly log: Log,
    private readonly onLost: (vote: Vote) => void,
  ) {}

  /** If too many votes are kept already, this one is lost and logged. */
  keep(arrival: Arrival): void {
    const key = keyOf(arrival);
    if (this.votes.has(key)) return;
    if (this.votes.size >= VOTES_MAX) {
      this.lose(arrival);
      return;
    }
    this.votes.set(key, arrival);
    this.retryLater();
  }

  /**
   * Tries once more. Votes that still cannot be stored are logged by name, so that an operator can pay them by hand.
   */
  async close(): Promise<void> {
    this.isClosed = true;
    this.cancelRetry?.();
    await this.storeAll();
    for (const arrival of this.votes.values()) this.lose(arrival);
  }

  private retryLater(): void {
    this.cancelRetry ??= this.clock.after(RETRY_MS, () => void this.retry());
  }

  private async retry(): Promise<void> {
    await this.storeAll();
    this.cancelRetry = null;
    if (this.votes.size > 0 && !this.isClosed) this.retryLater();
  }

  /** One run at a time: two at once would remove each other's votes from the list. */
  private storeAll(): Promise<void> {
    this.storing = this.storing.then(() => this.storeEach());
    return this.storing;
  }

  /**
   * Tries each vote once, so that one that can never be stored does not block the others. The first is tried alone,
   * because a disk that is nearly full may have room for one but not for hundreds; the others share commits.
   */
  private async storeEach(): Promise<void> {
    const votes = [...this.votes];
    let isAvailable = await this.store(votes.splice(0, 1));
    while (isAvailable && votes.length > 0) isAvailable = await this.store(votes.splice(0, STORED_AT_ONCE));
  }

  /** @returns whether other votes can be stored. */
  private async store(votes: readonly (readonly [string | Arrival, Arrival])[]): Promise<boolean> {
    const tries = votes.map(async ([key, arrival]) => {
      await this.record(arrival);
      this.votes.delete(key);
    });
    const failures = (await Promise.allSettled(tries)).filter(({ status }) => status === 'rejected');
    return !failures.some((failure) => isLedgerUnavailable((failure as PromiseRejectedResult).reason));
  }

  private lose({ vote }: Arrival): void {
    const { service, recipient, receivedAt } = vote;
    const fields = { code: 'vote-lost', service, recipient: recipient.key, receivedAt };
    const whose = `${printable(recipient.key)} on ${shownService(service)}`;
    this.log.error(fields, `a v1 vote of ${whose} could not be stored and is lost`);
    this.onLost(vote);
  }
}

function keyOf(arrival: Arrival): string | Arrival {
  const { blockDigest } = arrival.vote;
  return blockDigest === null ? arrival : Buffer.from(blockDigest).toString('hex');
}

/** The other votes would fail as well: with a locked ledger, each of 10,000 would first wait three seconds. */
const isLedgerUnavailable = (error: unknown): boolean =>
  error instanceof Problem && ['ledger-full', 'ledger-locked', 'ledger-replaced'].includes(error.code);
