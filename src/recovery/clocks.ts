import { durationText } from '../core/duration.ts';
import { isoTime } from '../core/instant.ts';
import type { Log } from '../core/log.ts';
import { printable } from '../core/printable.ts';

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

/** Tells once that the clock of a site's listing and ours disagree, and again when they have agreed in between. */
export class ListingClock {
  private readonly site: string;
  private readonly log: Log;
  private isTold = false;

  constructor(site: string, log: Log) {
    this.site = site;
    this.log = log;
  }

  compare(serviceTime: number | null, now: number): void {
    const apart = clocksApart(serviceTime, now);
    if (apart !== null && !this.isTold) {
      const sentence = `the API of ${printable(this.site)}: ${apart}; set this machine’s clock by NTP, since windows of 24 h are only as good as both`;
      this.log.warn({ code: 'clocks-apart', site: this.site }, sentence);
    }
    this.isTold = apart !== null;
  }
}
