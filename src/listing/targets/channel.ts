import { isInAny, type Networks } from './address.ts';

/** `/api/webhooks/<id>/<token>`, optionally with a version of the platform's API (NS-50). */
const CHANNEL_PATH = /^\/api(?:\/v\d{1,2})?\/webhooks\/\d{1,32}\/([\w-]{1,128})\/?$/;

/**
 * Whether a target is a channel's webhook on the chat platform. Checks the parsed URL, because a string prefix would also
 * match other hosts and paths. Plain http is allowed for addresses that the operator opened (NS-46).
 */
export const isChannelWebhook = (url: URL, hosts: readonly string[], allowed: Networks): boolean =>
  hosts.includes(url.hostname) &&
  CHANNEL_PATH.test(url.pathname) &&
  (url.protocol === 'https:' || isInAny(url.hostname, allowed));

/** A channel's URL is its password: the log shows it without the token. */
export function withoutChannelToken(url: URL): string {
  const [, token = ''] = CHANNEL_PATH.exec(url.pathname) ?? [];
  return token === '' ? url.href : url.href.replace(`/${token}`, '/…');
}
