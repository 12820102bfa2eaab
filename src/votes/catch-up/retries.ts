import type { Clock } from '../../core/clock.ts';
import { durationText } from '../../core/duration.ts';
import { isoTime } from '../../core/instant.ts';
import type { Log } from '../../core/log.ts';
import type { Random } from '../../core/random.ts';
import { retryDelayMs } from '../../core/retry.ts';
import { shownService } from '../../core/service-name.ts';
import { faultOfLedger, type RecoveryFault } from './faults.ts';
import type { Pause } from './pause.ts';

export type Attempt<Value> =
  | { readonly kind: 'done'; readonly value: Value }
  | { readonly kind: 'failed'; readonly fault: RecoveryFault };

export interface LastFault extends Pick<RecoveryFault, 'code' | 'sentence'> {
  readonly at: number;
}

const FIRST_RETRY_MS = 1000;
/** The longest wait after a fault that may go away, even if the interval is a day. */
const LONGEST_RETRY_MS = 10 * 60_000;

export interface RetriesParts {
  readonly site: string;
  readonly intervalMs: number;
  readonly pause: Pause;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
}

/** Retries without end, and logs each cause once. */
export class Retries {
  private readonly logged = new Set<string>();
  private failures = 0;
  /** The fault that blocks it now. */
  fault: LastFault | null = null;

  constructor(private readonly parts: RetriesParts) {}

  /** Throws when the pause is closed, and whatever `attempt` throws. */
  async untilDone<Value>(attempt: () => Promise<Attempt<Value>>): Promise<Value> {
    for (;;) {
      const result = await attempt();
      this.parts.pause.signal.throwIfAborted();
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
        const fault = faultOfLedger(error);
        if (fault === null) throw error;
        return { kind: 'failed', fault };
      }
    });
  }

  /** A wait that the service asks for is never shortened; a nudge can end the other waits early. */
  async waitAfter(fault: RecoveryFault): Promise<void> {
    const { intervalMs, pause, random } = this.parts;
    this.logFault(fault);
    this.failures++;
    const schedule = { firstMs: FIRST_RETRY_MS, longestMs: Math.min(intervalMs, LONGEST_RETRY_MS) };
    const delayMs = fault.mayPass ? retryDelayMs(schedule, this.failures, random) : intervalMs;
    this.logLongWait(fault.retryAfterMs);
    if (fault.retryAfterMs > 0) await pause.fully(fault.retryAfterMs);
    else await pause.atMost(delayMs);
  }

  /** Without this line, nobody would know why nothing happens for hours. */
  private logLongWait(retryAfterMs: number): void {
    if (retryAfterMs <= LONGEST_RETRY_MS) return;
    const { site, clock, log } = this.parts;
    const until = isoTime(clock.now() + retryAfterMs);
    const sentence = `the API of ${shownService(site)} asked to wait ${durationText(retryAfterMs)}: Teller looks for missed votes again at ${until}`;
    log.warn({ code: 'recovery-left-alone', site, until }, sentence);
  }

  /** Call this when everything was read: the logged faults are over, and are logged again if they return. */
  recovered(): void {
    if (this.logged.size === 0) return;
    const { site, log } = this.parts;
    log.info(
      { code: 'recovery-mended', site },
      `looking for missed votes of ${shownService(site)} works again`,
    );
    this.logged.clear();
  }

  private logFault({ code, sentence, mayPass }: RecoveryFault): void {
    const { site, clock, log } = this.parts;
    this.fault = { code, sentence, at: clock.now() };
    if (this.logged.has(code)) return;
    this.logged.add(code);
    const fields = { code: 'recovery-fault', site, cause: code };
    const line = `cannot look for missed votes of ${shownService(site)} now; Teller keeps trying. ${sentence}`;
    if (mayPass) log.warn(fields, line);
    else log.error(fields, line);
  }
}
