import { type Clock, isClockSet } from '../core/clock.ts';
import { durationText } from '../core/duration.ts';
import { isoTime } from '../core/instant.ts';
import type { Log } from '../core/log.ts';
import { shownService } from '../core/service-name.ts';

/** A service says its time in whole seconds, and the answer was under way for some: less is no difference. */
export const CLOCKS_APART_MS = 60_000;

/**
 * How two clocks that disagree are told of, or null where they agree. What one of ours that is behind means: its votes
 * seem to be cast in the future, and wait; one that is ahead: times that votes claim by listener are not believed.
 */
export function clocksApart(serviceTime: number | null, now: number): string | null {
  if (serviceTime === null || Math.abs(serviceTime - now) < CLOCKS_APART_MS) return null;
  const side = now > serviceTime ? 'ahead of it' : 'behind it';
  const apart = durationText(Math.abs(now - serviceTime));
  return `its clock shows ${isoTime(serviceTime)}, and this machine’s is ${apart} ${side}`;
}

/** The clock of a site's listing, as its API tells it beside every answer. */
export class ListingClock {
  private isApartTold = false;
  /** What it showed, and when in monotonic time; null while it has not said. */
  private shown: { readonly time: number; readonly heardAt: number } | null = null;

  constructor(
    private readonly site: string,
    private readonly clock: Clock,
    private readonly log: Log,
  ) {}

  /** The present by it or by ours, whichever is earlier: where ours is ahead, what it shows is the listing's future. */
  earlier(): number {
    const { clock, shown } = this;
    if (shown === null) return clock.now();
    return Math.min(clock.now(), Math.floor(shown.time + clock.monotonic() - shown.heardAt));
  }

  /** Tells once that it and ours disagree, and again when they have agreed in between. */
  compare(serviceTime: number | null): void {
    const { clock, site, log } = this;
    if (serviceTime !== null && isClockSet(serviceTime)) {
      this.shown = { time: serviceTime, heardAt: clock.monotonic() };
    }
    const apart = clocksApart(serviceTime, clock.now());
    if (apart !== null && !this.isApartTold) {
      const sentence = `the API of ${shownService(site)}: ${apart}; set this machine’s clock by NTP, since windows of 24 h are only as good as both`;
      log.warn({ code: 'clocks-apart', site }, sentence);
    }
    this.isApartTold = apart !== null;
  }
}
