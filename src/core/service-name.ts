import { escaped, UNPRINTABLE } from './printable.ts';

/** The most characters that a service name can have. Longer names are refused; real ones are far shorter. */
export const SERVICE_NAME_MAX = 128;

/** The entry of `sites` that all services without an entry of their own share. */
export const DEFAULT_SITE = 'default';

/** Shown for the empty service name, with which one public library sends every v1 vote. */
export const NO_SERVICE_NAME = '(no service name)';

/** In statistics: all unlisted names without statistics of their own. No real service name begins with a space. */
export const OTHER_SERVICES = ' others';

/**
 * A service name as it is stored and compared: without surrounding white space, which includes a byte order mark and
 * CR, and with U+FFFD for half a surrogate pair, as in UTF-8. Everything else stays as it was received.
 */
export const serviceNameOf = (received: string): string => received.toWellFormed().trim();

/** A service name for logs, terminals and pages, on one line. Unprintable characters are shown as `\u200d`. */
export function shownService(name: string, max = 200): string {
  if (name === '') return NO_SERVICE_NAME;
  const shown = name.replaceAll(UNPRINTABLE, (found) => SHORT[found] ?? escaped(found));
  return shown.length > max ? `${shown.slice(0, max - 1).toWellFormed()}…` : shown;
}

const SHORT: Readonly<Record<string, string>> = { '\t': '\\t', '\r': '\\r', '\n': '\\n' };
