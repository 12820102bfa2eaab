import { addressGroup } from '../core/address.ts';
import type { Clock } from '../core/clock.ts';
import { HOUR_MS } from '../core/duration.ts';
import type { Log } from '../core/log.ts';
import { SERVICE_NAME_MAX, serviceNameOf, shownService } from '../core/service-name.ts';
import type { VoteLedger } from '../ledger/ledger.ts';
import { INTERVAL_MS, IntervalTally } from './interval-tally.ts';
import { type CountedCode, NOISE, type RefusalCounter, refusalCauses } from './refusal-codes.ts';

/**
 * Services and senders that are kept apart within an hour for each code; the rest share one row. For each code, so
 * that a flood of one does not hide another; for the hour, because the ledger has a row for each hour: bounded by
 * the interval alone, a flood from many addresses would have stored 180,000 an hour.
 */
const KEPT_APART_MAX = 200;
/** Of these at most so many are one sender's, so that nobody hides the others behind invented names. */
const KEPT_APART_PER_SENDER_MAX = 20;
/** Senders kept apart for each listed site, beside those; the rest keeps its name, which nobody can crowd out. */
const LISTED_SENDERS_MAX = 20;
const OTHERS = '(others)';
/** A sender that resets before it is accepted leaves no address behind. */
const UNKNOWN_SENDER = 'somebody of unknown address';
const SERVICE_SHOWN_CHARACTERS = 64;

interface Figure {
  count: number;
  lastAt: number;
  readonly code: CountedCode;
  readonly service: string | null;
  readonly sender: string;
}

/** Who is kept apart for one code in one hour: of one listed site, or of all names that are not listed. */
class KeptApart {
  private readonly callers = new Set<string>();
  private readonly bySender = new Map<string, number>();

  /** @returns whether the caller has a row of its own: it had one, or there is room. */
  has(service: string | null, sender: string, most: number): boolean {
    const caller = JSON.stringify([service, sender]);
    if (this.callers.has(caller)) return true;
    if (this.callers.size >= most) return false;
    const group = addressGroup(sender);
    const ofSender = this.bySender.get(group) ?? 0;
    if (ofSender >= KEPT_APART_PER_SENDER_MAX) return false;
    this.callers.add(caller);
    this.bySender.set(group, ofSender + 1);
    return true;
  }
}

/** One code, of one listed site where it is of one: each may have to be mended, and strangers cannot multiply them. */
type Cause = `${CountedCode}` | `${CountedCode} of ${string}`;

/**
 * Refusals as bounded figures instead of lines (rules 7 and 11): the first of each cause in an interval is logged
 * at once, with what to do about it; the rest is one line with the count when the interval ends.
 */
export class RefusalFigures implements RefusalCounter {
  private listed: ReadonlySet<string>;
  private readonly tally: IntervalTally<Cause>;
  /** Of each cause, who was the first in its last interval. */
  private readonly examples = new Map<Cause, string>();
  private figures = new Map<string, Figure>();
  private readonly keptApart = new Map<string, KeptApart>();
  private hour = 0;
  private storing: Promise<void> = Promise.resolve();

  /** @param listed the names in `sites`. */
  constructor(
    private readonly ledger: VoteLedger,
    private readonly clock: Clock,
    private readonly log: Log,
    listed: Iterable<string>,
  ) {
    this.listed = namesOf(listed);
    this.tally = new IntervalTally(clock, (totals) => {
      this.logRest(totals);
      this.storeNext();
    });
  }

  /** @param listed the names in `sites` from now on. */
  apply(listed: Iterable<string>): void {
    this.listed = namesOf(listed);
  }

  count(code: CountedCode, received: string | null, address: string, detail = ''): void {
    const sender = address === '' ? UNKNOWN_SENDER : address;
    const service = received === null ? null : storable(received);
    const cause: Cause = this.isListed(service) ? `${code} of ${shownService(service)}` : code;
    const isFirst = this.tally.count(cause) === 1;
    if (isFirst) {
      this.examples.set(cause, sender);
      this.logFirst(code, service, sender, detail);
    }
    const figure = this.figureOf(code, service, sender);
    figure.count++;
    figure.lastAt = this.clock.now();
    // Whoever tries a vote asks `explain` at once why it did not count.
    if (isFirst && !NOISE.has(code)) this.storeNext();
  }

  /** Stores what has been counted; called once more when the process ends. */
  store(): Promise<void> {
    const before = this.storing;
    this.tally.end();
    if (this.storing === before) this.storeNext(); // what could not be stored before may be all there is
    return this.storing;
  }

  private storeNext(): void {
    this.storing = this.storing.then(() => this.storeFigures());
  }

  /** What cannot be stored is kept for the next time. */
  private async storeFigures(): Promise<void> {
    const figures = this.figures;
    this.figures = new Map();
    if (figures.size === 0) return;
    try {
      await this.ledger.countRefusals([...figures.values()]);
    } catch (error) {
      this.keep(figures);
      this.log.warn(
        { code: 'refusals-not-stored', error: String(error) },
        'refusal figures could not be stored; they are kept, and tried again with the next ones',
      );
    }
  }

  /** Beside what has been counted meanwhile. */
  private keep(figures: ReadonlyMap<string, Figure>): void {
    for (const [key, figure] of figures) {
      const later = this.figures.get(key);
      if (later === undefined) this.figures.set(key, figure);
      else later.count += figure.count;
    }
  }

  private isListed(service: string | null): service is string {
    return service !== null && this.listed.has(service);
  }

  private figureOf(code: CountedCode, service: string | null, sender: string): Figure {
    const shown = this.isKeptApart(code, service, sender)
      ? { code, service, sender }
      : { code, service: this.isListed(service) ? service : null, sender: OTHERS };
    const key = JSON.stringify(Object.values(shown));
    const figure = this.figures.get(key) ?? { ...shown, count: 0, lastAt: 0 };
    this.figures.set(key, figure);
    return figure;
  }

  private isKeptApart(code: CountedCode, service: string | null, sender: string): boolean {
    const hour = Math.floor(this.clock.now() / HOUR_MS);
    if (hour !== this.hour) this.keptApart.clear();
    this.hour = hour;
    const isListed = this.isListed(service);
    const kind = JSON.stringify([code, isListed ? service : null]);
    const apart = this.keptApart.get(kind) ?? new KeptApart();
    this.keptApart.set(kind, apart);
    return apart.has(service, sender, isListed ? LISTED_SENDERS_MAX : KEPT_APART_MAX);
  }

  private logFirst(code: CountedCode, service: string | null, sender: string, detail: string): void {
    const fields = { code, sender, ...(service === null ? {} : { service }) };
    const whose = service === null ? '' : ` (“${shownService(service, SERVICE_SHOWN_CHARACTERS)}”)`;
    const sentence = `${sender}${whose} ${refusalCauses[code]}${detail === '' ? '' : ` (${detail})`}`;
    if (NOISE.has(code)) this.log.debug(fields, sentence);
    else this.log.warn(fields, sentence);
  }

  /** Who else was one of them stands in the line of the first already. */
  private exampleOf(cause: Cause): string {
    return NOISE.has(codeOf(cause)) ? ` (${this.examples.get(cause)})` : '';
  }

  private logRest(totals: ReadonlyMap<Cause, number>): void {
    const refused = [...totals.values()].reduce((sum, count) => sum + count, 0);
    if (refused === totals.size && [...totals.keys()].every((cause) => !NOISE.has(codeOf(cause)))) return;
    const parts = [...totals].map(([cause, count]) => `${count} ${cause}${this.exampleOf(cause)}`).join(', ');
    this.log.info(
      { code: 'refusals', refused },
      `refused ${refused} in the last ${INTERVAL_MS / 1000} s: ${parts}`,
    );
  }
}

const namesOf = (listed: Iterable<string>): ReadonlySet<string> => new Set([...listed].map(serviceNameOf));

const codeOf = (cause: Cause): string => cause.split(' ', 1)[0] as string;

/** Whole, so that the entry to add for it can be told; a longer one is no service's, and is not told apart by its end. */
function storable(received: string): string {
  const name = serviceNameOf(received);
  return name.length <= SERVICE_NAME_MAX ? name : `${name.slice(0, SERVICE_NAME_MAX).toWellFormed()}…`;
}
