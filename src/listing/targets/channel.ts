import { isInAny, type Networks } from './address.ts';

/** `/api/webhooks/<id>/<token>`, also with a version of the platform's API in it (NS-50). */
const CHANNEL_PATH = /^\/api(?:\/v\d{1,2})?\/webhooks\/\d{1,32}\/([\w-]{1,128})\/?$/;

/**
 * Whether a target is a channel's webhook of the chat platform. Judged by the parsed URL: a prefix compared as text
 * would take other hosts and other paths for one. Plain http counts where the operator opened the address (NS-46).
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
