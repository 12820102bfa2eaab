import type { Cancel, Clock } from '../core/clock.ts';
import type { Arrival } from '../core/decide.ts';
import type { Log } from '../core/log.ts';
import { Problem } from '../core/problem.ts';

const RETRY_MS = 1_000;
/** Some 10 MB; a full disk for an hour at three votes a second. */
const VOTES_MAX = 10_000;

/**
 * v1 senders hear nothing and never send again, so a vote of theirs that cannot be stored is kept here, in memory
 * only, and tried again until it can. v2 senders are answered with an error instead, and know.
 */
export class UnansweredVotes {
  private readonly record: (arrival: Arrival) => Promise<void>;
  private readonly clock: Clock;
  private readonly log: Log;
  private readonly votes: Arrival[] = [];
  private cancelRetry: Cancel | null = null;
  private storing: Promise<void> = Promise.resolve();
  private isClosed = false;

  /** @param record rejects with the ledger's Problem. */
  constructor(record: (arrival: Arrival) => Promise<void>, clock: Clock, log: Log) {
    this.record = record;
    this.clock = clock;
    this.log = log;
  }

  /** When there are too many already the vote is lost, and the log says so. */
  keep(arrival: Arrival): void {
    if (this.votes.length >= VOTES_MAX) {
      this.logLost([arrival]);
      return;
    }
    this.votes.push(arrival);
    this.retryLater();
  }

  /** Tries once more; what cannot be stored even now is named in the log, so that it can be made good by hand. */
  async close(): Promise<void> {
    this.isClosed = true;
    this.cancelRetry?.();
    await this.storeAll();
    this.logLost(this.votes);
  }

  private retryLater(): void {
    this.cancelRetry ??= this.clock.after(RETRY_MS, () => void this.retry());
  }

  private async retry(): Promise<void> {
    await this.storeAll();
    this.cancelRetry = null;
    if (this.votes.length > 0 && !this.isClosed) this.retryLater();
  }

  /** One run after another: two at once would take each other's votes off the list. */
  private storeAll(): Promise<void> {
    this.storing = this.storing.then(() => this.storeInOrder());
    return this.storing;
  }

  private async storeInOrder(): Promise<void> {
    try {
      for (let vote = this.votes[0]; vote !== undefined; vote = this.votes[0]) {
        await this.record(vote);
        this.votes.shift();
      }
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
    }
  }

  private logLost(arrivals: readonly Arrival[]): void {
    for (const { vote } of arrivals) {
      const { service, recipient, receivedAt } = vote;
      const fields = { code: 'vote-lost', service, recipient: recipient.key, receivedAt };
      this.log.error(fields, `a v1 vote of ${recipient.key} on ${service} could not be stored and is lost`);
    }
  }
}
