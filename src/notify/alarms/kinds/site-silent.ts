import { DAY_MS, durationText, HOUR_MS } from '../../../core/duration.ts';
import { shownService } from '../../../core/service-name.ts';
import { type Absences, absentMs } from '../absences.ts';
import type { Seen } from '../alarm.ts';
import type { AlarmKind, Around, KindParts, Look } from '../kind.ts';

type Facts = {
  readonly lastAt: number;
  readonly longestMs: number;
  /** When the last vote had come when it was over. */
  readonly backAt?: number;
};

/** How far back gaps count. */
export const WINDOW_MS = 14 * DAY_MS;
const TIMES_LONGEST = 3;
const SHORTEST_MS = 6 * HOUR_MS;

/**
 * A site is silent when no vote has come for three times its longest gap of the last 14 days, and for at least 6 hours. Time
 * in which no Teller ran does not count. It is over with the next vote. Without a gap to compare with, nothing is known.
 */
function judgeSite(
  subject: string,
  history: ReceiptHistory | undefined,
  absences: Absences,
  now: number,
): Seen<Facts> {
  if (history === undefined) return { subject, state: 'unknown' };
  const { lastAt } = history;
  const silentMs = now - lastAt - absentMs(absences, lastAt, now);
  const longestMs = longestGapMs(history, now - WINDOW_MS);
  if (silentMs < SHORTEST_MS) return { subject, state: 'over', facts: { backAt: lastAt } };
  if (longestMs === null) return { subject, state: 'unknown' };
  return silentMs >= TIMES_LONGEST * longestMs
    ? { subject, state: 'holds', since: lastAt, facts: { lastAt, longestMs } }
    : { subject, state: 'over', facts: { backAt: lastAt } };
}

/** Pages of votes in one look: after a start, all votes of 14 days are read. */
const PAGES_AT_ONCE = 20;

/** Reads each vote once. */
class Receipts {
  private services = '';
  private readonly histories = new Map<string, ReceiptHistory>();
  private upTo: number | null = null;

  constructor(private readonly parts: KindParts) {}

  async look({ watched: { sites }, absences }: Around): Promise<readonly Seen<Facts>[]> {
    this.startOverIfOthers(sites);
    const isRead = await this.readOn(sites, absences);
    const now = this.parts.clock.now();
    return sites.map((subject) =>
      isRead ? judgeSite(subject, this.histories.get(subject), absences, now) : { subject, state: 'unknown' },
    );
  }

  private startOverIfOthers(sites: readonly string[]): void {
    const services = JSON.stringify(sites);
    if (services === this.services) return;
    this.services = services;
    this.histories.clear();
    this.upTo = null;
  }

  /** @returns whether all votes are read now. */
  private async readOn(services: readonly string[], absences: Absences): Promise<boolean> {
    const { ledger, clock } = this.parts;
    const since = clock.now() - WINDOW_MS;
    const gapMs = (start: number, end: number): number => end - start - absentMs(absences, start, end);
    for (let pages = 0; pages < PAGES_AT_ONCE; pages++) {
      const { byService, upTo, isLast } = await ledger.receipts(services, this.upTo, since);
      this.upTo = upTo;
      for (const [service, times] of Object.entries(byService)) {
        const before = this.histories.get(service);
        const after = times.reduce<ReceiptHistory | undefined>(
          (sum, at) => withReceipt(sum, at, gapMs),
          before,
        );
        if (after !== undefined) this.histories.set(service, after);
      }
      if (isLast) return true;
    }
    return false;
  }
}

function watch(parts: KindParts): Look<Facts> {
  const receipts = new Receipts(parts);
  return async (around) => (around.watched.sites.length === 0 ? [] : receipts.look(around));
}

const nameOf = (subject: string | null): string => shownService(subject ?? '', 64);

export const siteSilent: AlarmKind<Facts> = {
  code: 'site-silent',
  means:
    'No vote has come from a site for three times its longest gap of the last 14 days, and for at least 6 hours.',
  lastsMs: 0,
  watch,
  began: ({ subject, facts: { lastAt, longestMs } }, say) =>
    `No vote has come from ${nameOf(subject)} since ${say(lastAt)}. Its longest gap in the 14 days before was ${durationText(longestMs)}.`,
  toDo: () => 'See whether the site is up and still lists your server, then run `teller check`.',
  // Without a vote, it is over when wall time was set back.
  ended: ({ subject, facts: { lastAt, backAt = lastAt } }, say) =>
    backAt > lastAt
      ? `Votes come from ${nameOf(subject)} again. None had come since ${say(lastAt)}.`
      : `${nameOf(subject)} no longer counts as silent.`,
};

/** A time without a vote between two votes. */
interface Gap {
  readonly endedAt: number;
  readonly ms: number;
}

/** When votes of one service were received, as far as its gaps need it. */
export interface ReceiptHistory {
  readonly lastAt: number;
  /** From the longest to the shortest, each later than the one before: a gap is forgotten when a longer one ends. */
  readonly gaps: readonly Gap[];
}

/**
 * With one more vote. A vote that was recorded late, or under a wrong clock, may be older than the one before.
 *
 * @param gapMs how long the time between two votes counts.
 */
function withReceipt(
  history: ReceiptHistory | undefined,
  at: number,
  gapMs: (start: number, end: number) => number,
): ReceiptHistory {
  if (history === undefined) return { lastAt: at, gaps: [] };
  if (at <= history.lastAt) return history;
  const gap = { endedAt: at, ms: gapMs(history.lastAt, at) };
  return { lastAt: at, gaps: [...history.gaps.filter(({ ms }) => ms > gap.ms), gap] };
}

/** The longest gap that ended after `since`; null if none did. */
const longestGapMs = ({ gaps }: ReceiptHistory, since: number): number | null =>
  gaps.find(({ endedAt }) => endedAt > since)?.ms ?? null;
