import { isIP } from 'node:net';
import { plainName } from './host-name.ts';

const LONGEST_URL = 2048;
/** A URL parser drops or turns these silently, so that what is read would not be what was written. */
const SILENTLY_CHANGED = /[\s\p{C}\\]/u;
const WEB_URL = /^https?:\/\/[^/]/i;

/** A URL as an owner wrote it; null where it is no http(s) URL. */
export function readUrl(text: string): URL | null {
  if (text.length > LONGEST_URL || SILENTLY_CHANGED.test(text) || !WEB_URL.test(text)) return null;
  if (!URL.canParse(text)) return null;
  const url = new URL(text);
  // Nothing can be sent to port 0.
  return url.port === '0' ? null : url;
}

/**
 * A bare host as an owner wrote it: a name, or an address, IPv6 with brackets or without; null where it is neither.
 * It is read as a URL's host, because that parser knows every spelling of an address: decimal, hex, octal, short,
 * full-width.
 */
export function readHost(text: string): string | null {
  const written = isIP(text) === 6 ? `[${text}]` : text;
  if (!/^(?:\[[^\]]*\]|[^:[\]/?#@%]+)$/.test(written)) return null;
  const url = readUrl(`http://${written}/`);
  return url === null ? null : bareHost(url);
}

/** The host without an IPv6 address's brackets and without a last dot. */
export const bareHost = ({ hostname }: URL): string => plainName(hostname.replace(/^\[(.*)\]$/, '$1'));
