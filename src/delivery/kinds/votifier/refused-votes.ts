import type { Clock } from '../../../core/clock.ts';

/** A vote is given up after so many error answers, and not before so much time. */
const ANSWERS_LEAST = 6;
const REFUSED_LEAST_MS = 5 * 60_000;
/** Senders choose service names, so no more of them are remembered. */
const SERVICES_MAX = 100;

interface Refused {
  readonly vote: string;
  readonly answers: number;
  readonly since: number;
}

interface GivenUp {
  readonly reason: string;
  /** Whether the listener has accepted a vote of another service since. */
  readonly isOfService: boolean;
}

/**
 * Decides when a vote that a listener answers with errors is given up. Until then the votes after it wait: errors are
 * mostly trouble of the whole listener, and order is kept. If it accepts votes of other services after one was given up,
 * its error is about the service. The next votes of that service are then given up at their first such error, so that a
 * service without a token there does not hold up all others.
 */
export class RefusedVotes {
  private current: Refused | null = null;
  /** By service. */
  private readonly givenUp = new Map<string, GivenUp>();

  constructor(private readonly clock: Pick<Clock, 'monotonic'>) {}

  accepted(service: string): void {
    this.current = null;
    this.givenUp.delete(service);
    for (const [other, { reason }] of this.givenUp) this.givenUp.set(other, { reason, isOfService: true });
  }

  /** @returns whether the vote is given up. */
  refused(vote: string, service: string, reason: string): boolean {
    const known = this.givenUp.get(service);
    if (known?.isOfService && known.reason === reason) return true;
    if (!this.isLongEnough(vote)) return false;
    this.current = null;
    if (this.givenUp.size < SERVICES_MAX) this.givenUp.set(service, { reason, isOfService: false });
    return true;
  }

  private isLongEnough(vote: string): boolean {
    const now = this.clock.monotonic();
    const { answers, since } = this.current?.vote === vote ? this.current : { answers: 0, since: now };
    this.current = { vote, answers: answers + 1, since };
    return answers + 1 >= ANSWERS_LEAST && now - since >= REFUSED_LEAST_MS;
  }
}
