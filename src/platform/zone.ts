import { isZone } from '../core/local-time.ts';

/** The IANA name of this machine's time zone; `UTC` if the system has no valid one. */
export function systemZone(): string {
  // If TZ is empty or unknown, the name is missing or not accepted by any formatter.
  const { timeZone } = new Intl.DateTimeFormat().resolvedOptions();
  return isZone(timeZone) ? timeZone : 'UTC';
}
