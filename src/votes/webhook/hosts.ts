import { isIP } from 'node:net';

/** The name or address in a Host header, in lower case: without port, brackets, or the dot that ends a full name. */
export function hostOf(header: string | undefined): string {
  const host = (header ?? '').toLowerCase();
  return /^\[([^\]]*)\](?::\d*)?$/.exec(host)?.[1] ?? host.replace(/:\d*$/, '').replace(/\.$/, '');
}

/**
 * Rule 12: host names that are not listed are refused, because anyone can point a name here (DNS rebinding). Addresses
 * are allowed, because listings may have been given one.
 *
 * @param names in the form that `hostOf` returns.
 */
export function isListedHost(header: string | undefined, names: readonly string[]): boolean {
  const host = hostOf(header);
  return isIP(host) !== 0 || host === 'localhost' || names.includes(host);
}
