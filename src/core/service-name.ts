import { escaped, UNPRINTABLE } from './printable.ts';

/** Characters of a service name. Longer ones are no names; nothing in the wild comes near. */
export const SERVICE_NAME_MAX = 128;

/** The entry of `sites` that all services without one of their own share. */
export const DEFAULT_SITE = 'default';

/** How the empty service name is shown: one public library sends every v1 vote with it. */
export const NO_SERVICE_NAME = '(no service name)';

/** In figures, unlisted names that are not kept apart. No name begins with a space, so it is no service's. */
export const OTHER_SERVICES = ' others';

/**
 * A service name as it is stored and compared: without the white space around it (a byte order mark and CR are white
 * space), and with U+FFFD for half a surrogate pair, as UTF-8 has it. Everything else stays as it was received.
 */
export const serviceNameOf = (received: string): string => received.toWellFormed().trim();

/** A service name for logs, terminals and pages, on one line: what could move a cursor or hide is shown as `\u200d`. */
export function shownService(name: string, most = 200): string {
  if (name === '') return NO_SERVICE_NAME;
  const shown = name.replaceAll(UNPRINTABLE, (found) => SHORT[found] ?? escaped(found));
  return shown.length > most ? `${shown.slice(0, most - 1).toWellFormed()}…` : shown;
}

const SHORT: Readonly<Record<string, string>> = { '\t': '\\t', '\r': '\\r', '\n': '\\n' };
