import type { MiddlewareHandler } from 'hono';
import { refuse } from './refusal.ts';
import type { Site } from './site.ts';

/** Nothing inline and nothing from elsewhere; `img-src` is for the mark in the browser's tab. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "style-src 'self'",
  "script-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ');

const HEADERS: Readonly<Record<string, string>> = {
  'Content-Security-Policy': CONTENT_SECURITY_POLICY,
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
  // Not no-referrer: with that, browsers send `Origin: null` with our own forms.
  'Referrer-Policy': 'same-origin',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Permissions-Policy': 'camera=(), geolocation=(), microphone=()',
};

/** On every answer, those of the other guards and of faults included; what an answer set itself stays. */
export const securityHeaders: MiddlewareHandler = async (c, next) => {
  await next();
  for (const [name, value] of Object.entries(HEADERS)) c.res.headers.set(name, value);
  if (!c.res.headers.has('Cache-Control')) c.res.headers.set('Cache-Control', 'no-store');
};

/** Rule 12: a name that somebody else pointed at this address (DNS rebinding) does not open the pages. */
export const listedHost =
  <Person>(site: Site<Person>): MiddlewareHandler =>
  async (c, next) => {
    const host = c.req.header('host')?.toLowerCase().replace(/:\d+$/, '') ?? '';
    return site.hosts.includes(host) ? next() : refuse(c, site, 'host-not-listed');
  };

const CHANGES_NOTHING: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);

export const isChange = (method: string): boolean => !CHANGES_NOTHING.has(method);

/**
 * Rule 12: what changes something comes from our own pages, or is JSON, which no page of another site can send
 * without asking us first (and nobody here says yes to that).
 */
export const sameOrigin =
  <Person>(site: Site<Person>): MiddlewareHandler =>
  async (c, next) => {
    if (!isChange(c.req.method)) return next();
    const own = `${site.https ? 'https' : 'http'}://${c.req.header('host')?.toLowerCase()}`;
    const origin = c.req.header('origin');
    const fetchSite = c.req.header('sec-fetch-site');
    const isForeign = (origin ?? own) !== own || (fetchSite ?? 'same-origin') !== 'same-origin';
    const isVouchedFor =
      origin !== undefined || fetchSite !== undefined || isJson(c.req.header('content-type'));
    return isVouchedFor && !isForeign ? next() : refuse(c, site, 'cross-site');
  };

const mediaType = (contentType: string | undefined): string =>
  contentType?.split(';', 1)[0]?.trim().toLowerCase() ?? '';

export const isJson = (contentType: string | undefined): boolean =>
  mediaType(contentType) === 'application/json';

export const isForm = (contentType: string | undefined): boolean =>
  mediaType(contentType) === 'application/x-www-form-urlencoded';
