import type { MiddlewareHandler } from 'hono';
import { refuse } from './refusal.ts';
import type { Site } from './site.ts';

/** Allows nothing inline and nothing from other sites. `img-src` is for the favicon. */
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
  // Not no-referrer: browsers would then send `Origin: null` with our own forms.
  'Referrer-Policy': 'same-origin',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Permissions-Policy': 'camera=(), geolocation=(), microphone=()',
};

/** Set on every response, including those of other guards and of faults. A Cache-Control that is already set stays. */
export const securityHeaders: MiddlewareHandler = async (c, next) => {
  await next();
  for (const [name, value] of Object.entries(HEADERS)) c.res.headers.set(name, value);
  if (!c.res.headers.has('Cache-Control')) c.res.headers.set('Cache-Control', 'no-store');
};

/** Rule 12: refuses requests under any other host name, which stops DNS rebinding. */
export const listedHost =
  <Person>(site: Site<Person>): MiddlewareHandler =>
  async (c, next) => {
    const isListed = site.hosts === 'any' || isListedHost(c.req.header('host'), site.hosts);
    return isListed ? next() : refuse(c, site, 'host-not-listed');
  };

/** @param hosts without port, IPv6 in brackets */
export const isListedHost = (header: string | undefined, hosts: readonly string[]): boolean =>
  hosts.includes(header?.toLowerCase().replace(/:\d+$/, '') ?? '');

const CHANGES_NOTHING: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);

export const isChange = (method: string): boolean => !CHANGES_NOTHING.has(method);

/**
 * Rule 12: a request that changes something has to come from our own pages or be JSON. A page of another site can send
 * JSON only after a preflight, which is never allowed.
 */
export const sameOrigin =
  <Person>(site: Site<Person>): MiddlewareHandler =>
  async (c, next) => {
    if (!isChange(c.req.method)) return next();
    const own = `${site.https ? 'https' : 'http'}://${c.req.header('host')?.toLowerCase()}`;
    const origin = c.req.header('origin');
    const fetchSite = c.req.header('sec-fetch-site');
    const isForeign = (origin ?? own) !== own || (fetchSite ?? 'same-origin') !== 'same-origin';
    const isAttributable =
      origin !== undefined || fetchSite !== undefined || isJson(c.req.header('content-type'));
    return isAttributable && !isForeign ? next() : refuse(c, site, 'cross-site');
  };

const mediaType = (contentType: string | undefined): string =>
  contentType?.split(';', 1)[0]?.trim().toLowerCase() ?? '';

export const isJson = (contentType: string | undefined): boolean =>
  mediaType(contentType) === 'application/json';

export const isForm = (contentType: string | undefined): boolean =>
  mediaType(contentType) === 'application/x-www-form-urlencoded';
