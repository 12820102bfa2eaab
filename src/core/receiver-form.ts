/** What the config can say about the form. `auto`: by the host of the URL. */
export const RECEIVER_FORMATS = ['auto', 'chat', 'json'] as const;

export type ReceiverFormat = (typeof RECEIVER_FORMATS)[number];

/**
 * The body that a receiver takes. `content`: Discord. `text`: Slack and what is compatible with it. `both`: a chat whose
 * kind the URL does not show; it reads the key that it knows. `json`: an event.
 */
export type Form = 'content' | 'text' | 'both' | 'json';

/** Discord has more hosts, such as those of its test versions. */
const CONTENT_HOST = /^(?:.+\.)?(?:discord|discordapp)\.com$/;

/** They refuse keys that they do not know. */
const TEXT_HOSTS: ReadonlySet<string> = new Set([
  'hooks.slack.com',
  'hooks.slack-gov.com',
  'chat.googleapis.com',
]);

/** `/api/webhooks/<id>/<token>`, also on proxies of Discord. */
const CONTENT_PATH = /^\/api(?:\/v\d{1,2})?\/webhooks\/\d+\//;

/** A webhook of Discord takes the body of Slack at the same path with this ending. */
const SLACK_PATH = /\/slack\/?$/;

export function formOf(url: URL, format: ReceiverFormat): Form {
  if (format === 'json') return 'json';
  const isContent = CONTENT_HOST.test(url.hostname) || (format === 'chat' && CONTENT_PATH.test(url.pathname));
  if (isContent) return SLACK_PATH.test(url.pathname) ? 'text' : 'content';
  if (TEXT_HOSTS.has(url.hostname)) return 'text';
  return format === 'chat' ? 'both' : 'json';
}
