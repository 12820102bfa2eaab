import { isIP } from 'node:net';

/** The name or address in a Host header, in lower case: without port, brackets, or the dot that ends a full name. */
export function hostOf(header: string | undefined): string {
  const host = (header ?? '').toLowerCase();
  return /^\[([^\]]*)\](?::\d*)?$/.exec(host)?.[1] ?? host.replace(/:\d*$/, '').replace(/\.$/, '');
}

/**
 * Rule 12: a name that somebody pointed here (DNS rebinding) opens nothing. An address is nobody's to point, and
 * listings that were given one use it.
 *
 * @param names as `hostOf` gives them.
 */
export function isListedHost(header: string | undefined, names: readonly string[]): boolean {
  const host = hostOf(header);
  return isIP(host) !== 0 || host === 'localhost' || names.includes(host);
}
