import type { Cancel, Clock } from '../core/clock.ts';
import type { Log } from '../core/log.ts';
import { type EndingCode, endingOf, type Facts } from './answers.ts';

/** How often the log is told what it was spared. */
export const INTERVAL_MS = 10_000;

interface Cause {
  readonly code: EndingCode;
  readonly facts: Facts;
  count: number;
}

/**
 * Says how requests ended: the first of a cause at once, and at the end of the interval how many there were (rule
 * 11). A cause is an answer and a site, so strangers cannot multiply them.
 */
export class AnswerLog {
  private readonly log: Log;
  private readonly clock: Clock;
  private causes = new Map<string, Cause>();
  private cancelEnd: Cancel | null = null;

  constructor(log: Log, clock: Clock) {
    this.log = log;
    this.clock = clock;
  }

  /** @param from the peer's address. */
  tell(code: EndingCode, facts: Facts, from: string | null): void {
    const key = `${code} ${facts.site}`;
    const known = this.causes.get(key);
    if (known !== undefined) {
      known.count += 1;
      return;
    }
    this.causes.set(key, { code, facts, count: 1 });
    this.cancelEnd ??= this.clock.after(INTERVAL_MS, () => this.end());
    this.line(code, { site: facts.site, from }, sentenceOf(code, facts));
  }

  /** Ends the interval early, for when the process ends. */
  end(): void {
    this.cancelEnd?.();
    this.cancelEnd = null;
    const { causes } = this;
    this.causes = new Map();
    for (const { code, facts, count } of causes.values()) {
      if (count === 1) continue;
      const span = `${count} times in the last ${INTERVAL_MS / 1000} s`;
      this.line(code, { site: facts.site, count }, `${span}: ${sentenceOf(code, facts)}`);
    }
  }

  private line(code: EndingCode, fields: object, sentence: string): void {
    const { log } = endingOf(code);
    if (log !== null) this.log[log.level]({ code: `webhook-${code}`, ...fields }, sentence);
  }
}

const sentenceOf = (code: EndingCode, facts: Facts): string => endingOf(code).log?.sentence(facts) ?? '';
