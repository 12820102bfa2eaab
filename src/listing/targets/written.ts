import { isIP } from 'node:net';
import { plainName } from './host-name.ts';

const LONGEST_URL = 2048;
/** URL parsers silently remove or change these, so the result would differ from what was entered. */
const SILENTLY_CHANGED = /[\s\p{C}\\]/u;
const WEB_URL = /^https?:\/\/[^/]/i;

/** Reads a URL that an owner entered; null if it is not an http(s) URL. */
export function readUrl(text: string): URL | null {
  if (text.length > LONGEST_URL || SILENTLY_CHANGED.test(text) || !WEB_URL.test(text)) return null;
  if (!URL.canParse(text)) return null;
  const url = new URL(text);
  // Nothing can be sent to port 0.
  return url.port === '0' ? null : url;
}

/**
 * Reads a host that an owner entered: a name, or an address (IPv6 with or without brackets); null if it is neither. It is
 * parsed as a URL's host, because that parser knows all notations of an address: decimal, hex, octal, short, full-width.
 */
export function readHost(text: string): string | null {
  const written = isIP(text) === 6 ? `[${text}]` : text;
  if (!/^(?:\[[^\]]*\]|[^:[\]/?#@%]+)$/.test(written)) return null;
  const url = readUrl(`http://${written}/`);
  return url === null ? null : bareHost(url);
}

/** The host without IPv6 brackets and without a dot at the end. */
export const bareHost = ({ hostname }: URL): string => plainName(hostname.replace(/^\[(.*)\]$/, '$1'));
