import { isIP } from 'node:net';

/** The name or address in a Host header, without its port and without brackets, in lower case. */
export function hostOf(header: string | undefined): string {
  const host = (header ?? '').toLowerCase();
  return /^\[([^\]]*)\](?::\d+)?$/.exec(host)?.[1] ?? host.replace(/:\d+$/, '');
}

/**
 * Rule 12: a name that somebody pointed here (DNS rebinding) opens nothing. An address is nobody's to point, and
 * listings that were given one use it.
 *
 * @param names in lower case.
 */
export function isListedHost(header: string | undefined, names: readonly string[]): boolean {
  const host = hostOf(header);
  return isIP(host) !== 0 || host === 'localhost' || names.includes(host);
}
