import { type RefusalCode, refusalEntry } from '../../protocol/votifier/refusals.ts';
import type { Cancel, Clock } from '../core/clock.ts';
import type { Log } from '../core/log.ts';
import type { RefusalCount, VoteLedger } from '../ledger/ledger.ts';

/** How often the figures are stored and the log is told what it was spared. */
const INTERVAL_MS = 10_000;
const HOUR_MS = 60 * 60 * 1000;
/**
 * Services and senders that are kept apart within an hour for each code; the rest share one row. For each code, so
 * that a flood of one does not hide another; for the hour, because the ledger has a row for each hour: bounded by
 * the interval alone, a flood from many addresses would have stored 180,000 an hour.
 */
const KEPT_APART_MAX = 200;
const OTHERS = '(others)';
const SERVICE_SHOWN_CHARACTERS = 64;

/** Nobody has to do anything about these: they are what reaches any open port. */
export const NOISE: ReadonlySet<string> = new Set<RefusalCode>([
  'empty',
  'incomplete',
  'deadline',
  'crowded',
  'http',
  'tls',
  'ssh',
]);

interface Figure {
  count: number;
  lastAt: number;
  readonly code: RefusalCode;
  readonly service: string;
  readonly sender: string;
}

/**
 * Refusals as bounded figures instead of lines (rules 7 and 11): the first of each code in an interval is logged
 * at once, with what to do about it; the rest is one line with the count when the interval ends.
 */
export class RefusalFigures {
  private readonly ledger: VoteLedger;
  private readonly clock: Clock;
  private readonly log: Log;
  private figures = new Map<string, Figure>();
  private readonly keptApart = new Map<RefusalCode, Set<string>>();
  private hour = 0;
  private readonly announced = new Set<RefusalCode>();
  private cancelStore: Cancel | null = null;

  constructor(ledger: VoteLedger, clock: Clock, log: Log) {
    this.ledger = ledger;
    this.clock = clock;
    this.log = log;
  }

  count(code: RefusalCode, service: string, sender: string): void {
    const shown = showable(service);
    if (!this.announced.has(code)) this.logFirst(code, shown, sender);
    this.announced.add(code);
    const figure = this.figureOf(code, shown, sender);
    figure.count++;
    figure.lastAt = this.clock.now();
    this.cancelStore ??= this.clock.after(INTERVAL_MS, () => void this.store());
  }

  /** Stores what has been counted; called once more when the process ends. */
  async store(): Promise<void> {
    this.cancelStore?.();
    this.cancelStore = null;
    const counts = [...this.figures.values()];
    this.figures = new Map();
    this.announced.clear();
    if (counts.length === 0) return;
    this.logRest(counts);
    try {
      await this.ledger.countRefusals(counts);
    } catch (error) {
      this.log.warn(
        { code: 'refusals-not-stored', error: String(error) },
        'refusal figures could not be stored',
      );
    }
  }

  private figureOf(code: RefusalCode, service: string, sender: string): Figure {
    const shown = this.isKeptApart(code, service, sender)
      ? { code, service, sender }
      : { code, service: '', sender: OTHERS };
    const key = JSON.stringify(Object.values(shown));
    const figure = this.figures.get(key) ?? { ...shown, count: 0, lastAt: 0 };
    this.figures.set(key, figure);
    return figure;
  }

  private isKeptApart(code: RefusalCode, service: string, sender: string): boolean {
    const hour = Math.floor(this.clock.now() / HOUR_MS);
    if (hour !== this.hour) this.keptApart.clear();
    this.hour = hour;
    const apart = this.keptApart.get(code) ?? new Set();
    this.keptApart.set(code, apart);
    const who = JSON.stringify([service, sender]);
    if (apart.size < KEPT_APART_MAX) apart.add(who);
    return apart.has(who);
  }

  private logFirst(code: RefusalCode, service: string, sender: string): void {
    const fields = { code, sender, ...(service === '' ? {} : { service }) };
    const sentence = `${sender}${service === '' ? '' : ` (“${service}”)`} ${refusalEntry(code).log}`;
    if (NOISE.has(code)) this.log.debug(fields, sentence);
    else this.log.warn(fields, sentence);
  }

  private logRest(figures: readonly RefusalCount[]): void {
    const totals = new Map<string, number>();
    for (const { code, count } of figures) totals.set(code, (totals.get(code) ?? 0) + count);
    const refused = [...totals.values()].reduce((sum, count) => sum + count, 0);
    if (refused === totals.size && [...totals.keys()].every((code) => !NOISE.has(code))) return;
    const parts = [...totals].map(([code, count]) => `${count} ${code}`).join(', ');
    this.log.info(
      { code: 'refusals', refused },
      `refused ${refused} in the last ${INTERVAL_MS / 1000} s: ${parts}`,
    );
  }
}

/** Escaped and shortened: what strangers call themselves reaches terminals and pages. */
export const showable = (service: string): string =>
  JSON.stringify(service.slice(0, SERVICE_SHOWN_CHARACTERS))
    .slice(1, -1)
    .replaceAll(/[^\x20-\x7e]/g, '?');
