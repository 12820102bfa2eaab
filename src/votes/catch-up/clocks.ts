import { type Clock, isClockSet } from '../../core/clock.ts';
import { durationText } from '../../core/duration.ts';
import { isoTime } from '../../core/instant.ts';
import type { Log } from '../../core/log.ts';
import { shownService } from '../../core/service-name.ts';

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
    if (serviceTime !== null && isClockSet(serviceTime)) {
      this.shown = { time: serviceTime, heardAt: clock.monotonic() };
    }
    const apart = clocksApart(serviceTime, clock.now());
    if (apart !== null && !this.isDifferenceLogged) {
      const sentence = `the API of ${shownService(site)}: ${apart}; set this machine’s clock by NTP, because vote windows depend on both clocks`;
      log.warn({ code: 'clocks-apart', site }, sentence);
    }
    this.isDifferenceLogged = apart !== null;
  }
}
