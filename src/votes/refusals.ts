/**
 * What is refused, on any channel, is counted under one of the codes here (rule 7), by code, service, sender and hour. The counts are
 * bounded however many strangers there are, and so is the log (rule 11): the first of each cause in an interval is logged at once, with
 * what to do about it; when the interval ends, one line gives the counts.
 */
import {
  nameFaults,
  type RefusalCode,
  type RefusalNote,
  refusals,
} from '../../protocol/votifier/refusals.ts';
import {
  type WebhookClosingCode,
  type WebhookRefusalCode,
  webhookClosings,
  webhookRefusals,
} from '../../protocol/webhook.ts';
import { addressGroup } from '../core/address.ts';
import type { Clock } from '../core/clock.ts';
import { HOUR_MS } from '../core/duration.ts';
import { INTERVAL_MS, IntervalTally } from '../core/interval-tally.ts';
import type { Log } from '../core/log.ts';
import type { Observer } from '../core/observer.ts';
import { SERVICE_NAME_MAX, serviceNameOf, shownService } from '../core/service-name.ts';
import type { Ledger, RefusalCount } from '../ledger/ledger.ts';
import type { ReportRefusal } from './judge-vote.ts';

export type CountedCode =
  | RefusalCode
  | `webhook-${WebhookRefusalCode | WebhookClosingCode}`
  | `api-${ApiRefusal}`;

type ApiRefusal = ReportRefusal | 'not-a-vote';

/** Votes that a listing's API reported and that cannot be recorded. */
const apiRefusals = {
  'not-a-vote': 'sent an entry that is not a valid vote: report it to the listing’s operator',
  'user-not-allowed': 'reported a vote whose userId is not valid',
  'name-too-long': `reported a vote ${nameFaults['name-too-long']}`,
  'name-not-allowed': `reported a vote ${nameFaults['name-not-allowed']}`,
  'name-unknown-prefix': `reported a vote ${nameFaults['name-unknown-prefix']}`,
} as const satisfies Record<ApiRefusal, string>;

const counted: readonly (readonly [string, RefusalNote])[] = [
  ...Object.entries(refusals),
  ...Object.entries({ ...webhookRefusals, ...webhookClosings }).map(
    ([code, refusal]) => [`webhook-${code}`, refusal] as const,
  ),
  ...Object.entries(apiRefusals).map(([code, log]) => [`api-${code}`, { log }] as const),
];

/** What the sender did, and what to do about it: the end of a sentence that starts with its address. */
export const refusalCauses = Object.fromEntries(counted.map(([code, { log }]) => [code, log])) as Readonly<
  Record<CountedCode, string>
>;

/** Noise that reaches any open port: the operator has nothing to do. */
export const NOISE: ReadonlySet<string> = new Set(
  counted.filter(([, { isNoise }]) => isNoise).map(([code]) => code),
);

/** Refusals whose cause is gone once a later vote of the same service is recorded. */
export const FIXED_BY_A_VOTE: ReadonlySet<string> = new Set(
  counted.filter(([, { isFixedByAVote }]) => isFixedByAVote).map(([code]) => code),
);

/**
 * At most this many pairs of service and sender get a row of their own per code and hour; the rest share one row. The
 * limit is per code, so that a flood of one does not hide another, and per hour, because the ledger has one row for
 * each hour: with a limit per interval, a flood from many addresses would store 180,000 rows an hour.
 */
const OWN_ROWS_MAX = 200;
/** At most this many of them belong to one sender, so that invented service names cannot hide other senders. */
const OWN_ROWS_PER_SENDER_MAX = 20;
/**
 * Senders with a row of their own for each listed site, in addition; the rest share a row that keeps the site's name.
 */
const LISTED_SENDERS_MAX = 20;
const OTHERS = '(others)';
/** The address is unknown when a sender resets before its connection is accepted. */
const UNKNOWN_SENDER = 'a sender with an unknown address';
const SERVICE_SHOWN_CHARACTERS = 64;

interface Figure extends Pick<RefusalCount, 'code' | 'service' | 'sender'> {
  count: number;
  lastAt: number;
}

/** The pairs of service and sender that have their own row for one code in one hour, for one listed site or for all unlisted names. */
interface OwnRows {
  readonly pairs: Set<string>;
  readonly bySender: Map<string, number>;
}

/** A code, with the listed site if there is one: each may need a fix, and strangers cannot add more of them. */
type Cause = `${CountedCode}` | `${CountedCode} of ${string}`;

/** Accepts refusals. */
export type RefusalCounter = Pick<RefusalFigures, 'count'>;

export class RefusalFigures {
  private listed: ReadonlySet<string>;
  private readonly tally: IntervalTally<Cause>;
  /** For each cause, the first sender in its last interval. */
  private readonly examples = new Map<Cause, string>();
  /** What has not been stored yet, by code, service and sender. */
  private figures = new Map<string, Figure>();
  private readonly ownRows = new Map<string, OwnRows>();
  private hour = 0;
  private storing: Promise<void> = Promise.resolve();

  /** @param listed the names in `sites`. */
  constructor(
    private readonly ledger: Ledger,
    private readonly clock: Clock,
    private readonly log: Log,
    listed: Iterable<string>,
    private readonly observer: Pick<Observer, 'refused'>,
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

  /**
   * @param received the service as received, or the entry of `sites` that it is for; null if neither is known.
   * @param address of the sender, or the name of a site whose API reported it; empty if neither is known.
   * @param detail printable; logged beside the cause, and not stored.
   */
  count(code: CountedCode, received: string | null, address: string, detail = ''): void {
    this.observer.refused(code);
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
    // An operator who sends a test vote runs `explain` right away to see why it was refused.
    if (isFirst && !NOISE.has(code)) this.storeNext();
  }

  /** Stores what has been counted; also called when the process stops. */
  store(): Promise<void> {
    const before = this.storing;
    this.tally.end();
    if (this.storing === before) this.storeNext(); // there may be only figures that could not be stored before
    return this.storing;
  }

  private storeNext(): void {
    this.storing = this.storing.then(() => this.storeFigures());
  }

  /** Counts that cannot be stored are kept and added to those counted since. */
  private async storeFigures(): Promise<void> {
    const figures = this.figures;
    this.figures = new Map();
    if (figures.size === 0) return;
    try {
      await this.ledger.countRefusals([...figures.values()]);
    } catch (error) {
      for (const [key, figure] of figures) {
        const later = this.figures.get(key);
        if (later === undefined) this.figures.set(key, figure);
        else later.count += figure.count;
      }
      this.log.warn(
        { code: 'refusals-not-stored', error: String(error) },
        'refusal counts could not be stored; they are kept and stored with the next ones',
      );
    }
  }

  private isListed(service: string | null): service is string {
    return service !== null && this.listed.has(service);
  }

  private figureOf(code: CountedCode, service: string | null, sender: string): Figure {
    const shown = this.hasOwnRow(code, service, sender)
      ? { code, service, sender }
      : { code, service: this.isListed(service) ? service : null, sender: OTHERS };
    const key = JSON.stringify(Object.values(shown));
    const figure = this.figures.get(key) ?? { ...shown, count: 0, lastAt: 0 };
    this.figures.set(key, figure);
    return figure;
  }

  /** Whether the pair had a row of its own in this hour already, or there is room for one more. */
  private hasOwnRow(code: CountedCode, service: string | null, sender: string): boolean {
    const hour = Math.floor(this.clock.now() / HOUR_MS);
    if (hour !== this.hour) this.ownRows.clear();
    this.hour = hour;
    const isListed = this.isListed(service);
    const kind = JSON.stringify([code, isListed ? service : null]);
    const { pairs, bySender } = this.ownRows.get(kind) ?? { pairs: new Set(), bySender: new Map() };
    this.ownRows.set(kind, { pairs, bySender });
    const pair = JSON.stringify([service, sender]);
    if (pairs.has(pair)) return true;
    if (pairs.size >= (isListed ? LISTED_SENDERS_MAX : OWN_ROWS_MAX)) return false;
    const group = addressGroup(sender);
    const ofSender = bySender.get(group) ?? 0;
    if (ofSender >= OWN_ROWS_PER_SENDER_MAX) return false;
    pairs.add(pair);
    bySender.set(group, ofSender + 1);
    return true;
  }

  private logFirst(code: CountedCode, service: string | null, sender: string, detail: string): void {
    const fields = { code, sender, ...(service === null ? {} : { service }) };
    const whose = service === null ? '' : ` (“${shownService(service, SERVICE_SHOWN_CHARACTERS)}”)`;
    const sentence = `${sender}${whose} ${refusalCauses[code]}${detail === '' ? '' : ` (${detail})`}`;
    if (NOISE.has(code)) this.log.debug(fields, sentence);
    else this.log.warn(fields, sentence);
  }

  /** Only noise is shown with a sender, because for other causes the first line has named one. */
  private logRest(totals: ReadonlyMap<Cause, number>): void {
    const refused = [...totals.values()].reduce((sum, count) => sum + count, 0);
    const isNoise = (cause: Cause): boolean => NOISE.has(cause.split(' ', 1)[0] ?? '');
    if (refused === totals.size && ![...totals.keys()].some(isNoise)) return;
    const parts = [...totals].map(
      ([cause, count]) => `${count} ${cause}${isNoise(cause) ? ` (${this.examples.get(cause)})` : ''}`,
    );
    this.log.info(
      { code: 'refusals', refused },
      `refused ${refused} in the last ${INTERVAL_MS / 1000} s: ${parts.join(', ')}`,
    );
  }
}

const namesOf = (listed: Iterable<string>): ReadonlySet<string> => new Set([...listed].map(serviceNameOf));

/** The whole name, so that the operator can be shown the entry to add. Names too long for any service are truncated. */
function storable(received: string): string {
  const name = serviceNameOf(received);
  return name.length <= SERVICE_NAME_MAX ? name : `${name.slice(0, SERVICE_NAME_MAX).toWellFormed()}…`;
}
