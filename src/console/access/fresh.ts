import { MINUTE_MS } from '../../core/duration.ts';
import type { Operator } from './operator.ts';

export const FRESH_MS = 5 * MINUTE_MS;

/** For how long a session still counts as just begun, in ms; 0 if it no longer does, also if the clock was set back. */
export function freshMs({ since }: Operator, now: number): number {
  const age = now - since;
  return age < 0 ? 0 : Math.max(0, FRESH_MS - age);
}
