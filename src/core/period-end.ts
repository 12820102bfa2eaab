import { instantOf } from './local-time.ts';
import { daysOf, type Per } from './period.ts';

/** When a period is over, in milliseconds since the Unix epoch. @param zone the IANA name of the time zone of its days. */
export const periodEnd = (per: Per, period: number, zone: string): number =>
  instantOf({ day: daysOf(per, period).to + 1, minute: 0 }, zone);
