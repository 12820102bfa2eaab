import type { Clock } from '../core/clock.ts';
import type { Random } from '../core/random.ts';
import { durationText } from '../core/duration.ts';
import { isoTime } from '../core/instant.ts';
import type { Log } from '../core/log.ts';
import { retryDelayMs } from '../core/retry.ts';
import { shownService } from '../core/service-name.ts';
import { faultOfLedger, type RecoveryFault } from './faults.ts';
import type { Pause } from './pause.ts';

export type Attempt<Value> =
  | { readonly kind: 'done'; readonly value: Value }
  | { readonly kind: 'failed'; readonly fault: RecoveryFault };

export interface LastFault extends Pick<RecoveryFault, 'code' | 'sentence'> {
  readonly at: number;
}

const FIRST_RETRY_MS = 1000;
/** However long the interval is: what may pass by itself is not left alone for a day. */
const LONGEST_RETRY_MS = 10 * 60_000;

export interface RetriesParts {
  readonly site: string;
  readonly intervalMs: number;
  readonly pause: Pause;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
}

/** Retries again what fails, however long it takes, and tells each cause once. */
export class Retries {
  private readonly told = new Set<string>();
  private failures = 0;
  /** What is in the way now. */
  fault: LastFault | null = null;

  constructor(private readonly parts: RetriesParts) {}

  /** Throws when it is closed, and what `attempt` throws. */
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

  /** The same for the ledger's methods, which reject with a Problem where they cannot do it now. */
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

  /** What the service asks for is waited for in any case; a nudge shortens only what is waited beyond it. */
  async waitAfter(fault: RecoveryFault): Promise<void> {
    const { intervalMs, pause, random } = this.parts;
    this.tell(fault);
    this.failures++;
    const schedule = { firstMs: FIRST_RETRY_MS, longestMs: Math.min(intervalMs, LONGEST_RETRY_MS) };
    const delayMs = fault.mayPass ? retryDelayMs(schedule, this.failures, random) : intervalMs;
    this.tellPatience(fault.retryAfterMs);
    if (fault.retryAfterMs > 0) await pause.fully(fault.retryAfterMs);
    else await pause.atMost(delayMs);
  }

  /** Nobody else would know why nothing happens for hours. */
  private tellPatience(retryAfterMs: number): void {
    if (retryAfterMs <= LONGEST_RETRY_MS) return;
    const { site, clock, log } = this.parts;
    const until = isoTime(clock.now() + retryAfterMs);
    const sentence = `the API of ${shownService(site)} asks to be left alone for ${durationText(retryAfterMs)}: its missed votes are looked for again at ${until}`;
    log.warn({ code: 'recovery-left-alone', site, until }, sentence);
  }

  /** Everything was read: whatever was told before has passed, and is told again where it comes back. */
  recovered(): void {
    if (this.told.size === 0) return;
    const { site, log } = this.parts;
    log.info(
      { code: 'recovery-mended', site },
      `missed votes of ${shownService(site)} can be looked for again`,
    );
    this.told.clear();
  }

  private tell({ code, sentence, mayPass }: RecoveryFault): void {
    const { site, clock, log } = this.parts;
    this.fault = { code, sentence, at: clock.now() };
    if (this.told.has(code)) return;
    this.told.add(code);
    const fields = { code: 'recovery-fault', site, cause: code };
    const line = `missed votes of ${shownService(site)} cannot be looked for now; it is tried again. ${sentence}`;
    if (mayPass) log.warn(fields, line);
    else log.error(fields, line);
  }
}
