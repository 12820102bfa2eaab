/**
 * What can keep Teller from finding the missed votes of a site, what the log says about it, and how long Teller waits
 * before it tries again. Nothing is ever given up, because a vote that is skipped is lost.
 */
import { type Clock, isClockSet, pause } from '../core/clock.ts';
import { durationText } from '../core/duration.ts';
import { isoTime } from '../core/instant.ts';
import type { Log } from '../core/log.ts';
import { printable } from '../core/printable.ts';
import { Problem } from '../core/problem.ts';
import type { Random } from '../core/random.ts';
import { retryDelayMs } from '../core/retry.ts';
import { shownService } from '../core/service-name.ts';
import type { CallFailure, FailureCode } from './listing-client.ts';

export interface RecoveryFault {
  readonly code: FailureCode | Problem['code'] | 'dates-ignored' | 'vote-not-stored' | 'clock-unset' | 'bug';
  /** What happened, and what the operator can do about it. */
  readonly sentence: string;
  /** Whether the fault may go away without a fix, so that it is worth retrying soon. */
  readonly mayPass: boolean;
  /** How long the service asked to wait; 0: it did not. */
  readonly retryAfterMs: number;
}

const fault = (code: RecoveryFault['code'], sentence: string, mayPass: boolean): RecoveryFault => ({
  code,
  sentence,
  mayPass,
  retryAfterMs: 0,
});

/** What the operator of a listener can do beyond what the client says. */
const remedies: Partial<Record<FailureCode, (site: string) => string>> = {
  INVALID_TOKEN: (site) =>
    `Put this listing’s current API token where sites.${JSON.stringify(site)}.api.token is read from, and run \`teller reload\`.`,
  MISSING_SCOPE: (site) =>
    `The token lacks the scope votes:read: create one that has it in the listing’s dashboard, put it where sites.${JSON.stringify(site)}.api.token is read from, and run \`teller reload\`.`,
  NOT_FOUND: (site) => `Check sites.${JSON.stringify(site)}.api.baseUrl.`,
};

/** The fault that a failed call means for recovery. */
export const faultOf = ({ kind: _, ...failure }: CallFailure, site: string): RecoveryFault => ({
  ...failure,
  sentence: `${failure.sentence} ${remedies[failure.code]?.(site) ?? ''}`.trim(),
});

export const DATES_IGNORED = fault(
  'dates-ignored',
  'The listing’s API answers with 100 votes that are newer than the requested endDate, so older ones cannot be reached; it has to respect startDate and endDate.',
  false,
);

/** The answer is a list, but no record in it is a vote. */
export const unfitFault = (why: string): RecoveryFault =>
  fault(
    'unfit',
    `The listing’s API sent records that do not match its specification (${printable(why)}), so they are ignored: is this Teller too old for the service, or is it another service?`,
    false,
  );

export const CLOCK_UNSET = fault(
  'clock-unset',
  'This machine’s clock shows a year before 2026, so Teller cannot tell which votes were missed. Set it; until then Teller does not look for missed votes.',
  true,
);

/** The intake has logged the reason. */
export const VOTE_NOT_STORED = fault(
  'vote-not-stored',
  'A missed vote was found but could not be stored; the previous log line gives the reason. It is retried, and later votes wait.',
  true,
);

export type Attempt<Value> =
  | { readonly kind: 'done'; readonly value: Value }
  | { readonly kind: 'failed'; readonly fault: RecoveryFault };

const FIRST_RETRY_MS = 1000;
/** The longest wait after a fault that may go away, even if the interval is a day. */
const LONGEST_RETRY_MS = 10 * 60_000;
/**
 * The API accepts 30 requests a minute for each listing. Five are left for other programs that use the same
 * listing's token, and for requests that arrive closer together than they were sent.
 */
const REQUESTS_PER_MINUTE = 25;
const MINUTE_MS = 60_000;

/** The waits and retries of one site. It retries without end, and logs each cause once. */
export class Retries {
  /** The fault that blocks it now. */
  fault: RecoveryFault | null = null;
  private readonly ending = new AbortController();
  private readonly logged = new Set<string>();
  private failures = 0;
  /** When the requests of the last minute were sent, in monotonic time. */
  private requests: number[] = [];

  constructor(
    private readonly site: string,
    private readonly intervalMs: number,
    private readonly clock: Clock,
    private readonly random: Random,
    private readonly log: Log,
  ) {}

  /** Aborts when it is closed. */
  get signal(): AbortSignal {
    return this.ending.signal;
  }

  /** Ends the current wait, and makes it and later ones throw. */
  close(): void {
    this.ending.abort();
  }

  /** Throws when it is closed, and whatever `attempt` throws. */
  async untilDone<Value>(attempt: () => Promise<Attempt<Value>>): Promise<Value> {
    for (;;) {
      const result = await attempt();
      this.signal.throwIfAborted();
      if (result.kind === 'failed') await this.waitAfter(result.fault);
      else {
        this.failures = 0;
        this.fault = null;
        return result.value;
      }
    }
  }

  /** The same for the ledger's methods, which reject with a Problem if they fail. */
  ledger<Value>(ask: () => Promise<Value>): Promise<Value> {
    return this.untilDone(async () => {
      try {
        return { kind: 'done', value: await ask() };
      } catch (error) {
        if (!(error instanceof Problem)) throw error;
        return { kind: 'failed', fault: fault(error.code, error.message, true) };
      }
    });
  }

  /** A bug must stop neither the process nor the recovery. Never rejects. */
  async survive(error: unknown): Promise<void> {
    const { message, stack } = error instanceof Error ? error : new Error(String(error));
    this.log.error({ code: 'bug', stack }, `looking for missed votes failed: ${message}`);
    await this.waitAfter(fault('bug', `A bug in Teller: ${message}`, false)).catch(() => {});
  }

  /** A wait that the service asks for is kept in full. */
  async waitAfter(found: RecoveryFault): Promise<void> {
    const { site, intervalMs, clock, log } = this;
    const { code, sentence, mayPass, retryAfterMs } = found;
    this.fault = found;
    this.failures++;
    if (!this.logged.has(code)) {
      this.logged.add(code);
      const fields = { code: 'recovery-fault', site, cause: code };
      const line = `cannot look for missed votes of ${shownService(site)} now; Teller keeps trying. ${sentence}`;
      if (mayPass) log.warn(fields, line);
      else log.error(fields, line);
    }
    if (retryAfterMs > LONGEST_RETRY_MS) {
      // Without this line, nobody would know why nothing happens for hours.
      const until = isoTime(clock.now() + retryAfterMs);
      const line = `the API of ${shownService(site)} asked to wait ${durationText(retryAfterMs)}: Teller looks for missed votes again at ${until}`;
      log.warn({ code: 'recovery-left-alone', site, until }, line);
    }
    const schedule = { firstMs: FIRST_RETRY_MS, longestMs: Math.min(intervalMs, LONGEST_RETRY_MS) };
    const delayMs = mayPass ? retryDelayMs(schedule, this.failures, this.random) : intervalMs;
    await this.wait(retryAfterMs || delayMs);
  }

  /** Throws when it is closed. */
  async wait(ms: number): Promise<void> {
    await pause(this.clock, ms, this.signal);
    this.signal.throwIfAborted();
  }

  /** Waits until another request may be sent, and counts it: never more than `REQUESTS_PER_MINUTE` in any 60 s. */
  async takeTurn(): Promise<void> {
    for (;;) {
      const now = this.clock.monotonic();
      this.requests = this.requests.filter((at) => now - at < MINUTE_MS);
      const [first = now] = this.requests;
      if (this.requests.length < REQUESTS_PER_MINUTE) break;
      await this.wait(Math.ceil(first + MINUTE_MS - now));
    }
    this.requests.push(this.clock.monotonic());
  }

  /** Call this when everything was read: the logged faults are over, and are logged again if they return. */
  recovered(): void {
    if (this.logged.size === 0) return;
    const sentence = `looking for missed votes of ${shownService(this.site)} works again`;
    this.log.info({ code: 'recovery-mended', site: this.site }, sentence);
    this.logged.clear();
  }
}

/** A service states its time in whole seconds, and its answer takes time to arrive: smaller differences are ignored. */
const CLOCKS_APART_MS = 60_000;

/**
 * Describes the difference between the two clocks, or null if they agree. If ours is behind, votes seem to be cast in
 * the future and have to wait; if it is ahead, the times that votes to the listener claim are not believed.
 */
export function clocksApart(serviceTime: number | null, now: number): string | null {
  if (serviceTime === null || Math.abs(serviceTime - now) < CLOCKS_APART_MS) return null;
  const side = now > serviceTime ? 'ahead of it' : 'behind it';
  const apart = durationText(Math.abs(now - serviceTime));
  return `its clock shows ${isoTime(serviceTime)}, and this machine’s is ${apart} ${side}`;
}

/** The clock of a site's listing, which its API reports in the Date header of every answer. */
export class ListingClock {
  private isDifferenceLogged = false;
  /** What that clock showed, and when in monotonic time; null until an answer reports it. */
  private shown: { readonly time: number; readonly heardAt: number } | null = null;

  constructor(
    private readonly site: string,
    private readonly clock: Clock,
    private readonly log: Log,
  ) {}

  /** The present time by the listing's clock or ours, whichever is earlier, because ours may be ahead. */
  earlier(): number {
    const { clock, shown } = this;
    if (shown === null) return clock.now();
    return Math.min(clock.now(), Math.floor(shown.time + clock.monotonic() - shown.heardAt));
  }

  /** Logs once that the two clocks disagree, and again if they have agreed in between. */
  compare(serviceTime: number | null): void {
    const { clock, site, log } = this;
    if (serviceTime !== null && isClockSet(serviceTime))
      this.shown = { time: serviceTime, heardAt: clock.monotonic() };
    const apart = clocksApart(serviceTime, clock.now());
    if (apart !== null && !this.isDifferenceLogged) {
      const sentence = `the API of ${shownService(site)}: ${apart}; set this machine’s clock by NTP, because vote windows depend on both clocks`;
      log.warn({ code: 'clocks-apart', site }, sentence);
    }
    this.isDifferenceLogged = apart !== null;
  }
}
