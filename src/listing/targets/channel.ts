import { isInAny, readNetworks } from './address.ts';

/** Which URLs are channels' webhooks, as plain values from the config. */
export interface ChannelRule {
  /** Hosts whose webhooks post to a chat channel (NS-50). */
  readonly channelHosts: readonly string[];
  /** CIDRs that are allowed although they are private (NS-46). */
  readonly allowTargets: readonly string[];
}

/** `/api/webhooks/<id>/<token>`, optionally with a version of the platform's API (NS-50). */
const CHANNEL_PATH = /^\/api(?:\/v\d{1,2})?\/webhooks\/\d{1,32}\/([\w-]{1,128})\/?$/;

/**
 * Whether a target is a channel's webhook on the chat platform. Checks the parsed URL, because a string prefix would also
 * match other hosts and paths. Plain http is allowed for addresses that the operator opened (NS-46).
 */
export const isChannelWebhook = (url: URL, { channelHosts, allowTargets }: ChannelRule): boolean =>
  channelHosts.includes(url.hostname) &&
  CHANNEL_PATH.test(url.pathname) &&
  (url.protocol === 'https:' || isInAny(url.hostname, readNetworks(allowTargets)));

/** A URL as the log shows it. A channel's URL is its password, so it is shown without the token. */
export const shownUrl = (url: URL, rule: ChannelRule): string =>
  isChannelWebhook(url, rule) ? withoutToken(url) : url.href;

function withoutToken(url: URL): string {
  const [, token = ''] = CHANNEL_PATH.exec(url.pathname) ?? [];
  return token === '' ? url.href : url.href.replace(`/${token}`, '/…');
}
