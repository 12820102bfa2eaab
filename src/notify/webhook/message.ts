import { deliveryHeaders, SIGNATURE_HEADER, signBody } from '../../../protocol/webhook.ts';
import type { Form } from '../../core/receiver-form.ts';
import type { Posting } from './post.ts';

/** Who posts, and where to. */
export interface Route {
  readonly url: URL;
  /** The header `User-Agent`. */
  readonly agent: string;
}

/** One attempt: its ID and its number, from 1. */
export interface Attempt {
  readonly deliveryId: string;
  readonly number: number;
}

/** An event as it is posted to a program. */
export interface JsonMessage {
  readonly event: string;
  readonly eventId: string;
  readonly body: Buffer;
  /** What it is signed with; null: it is not signed. */
  readonly secret: string | null;
}

/** A request with an event in JSON. */
export function jsonPosting(
  { event, eventId, body, secret }: JsonMessage,
  { url, agent }: Route,
  { deliveryId, number }: Attempt,
): Posting {
  const headers = {
    'User-Agent': agent,
    ...deliveryHeaders(eventId, deliveryId, number, event),
    ...(secret === null ? {} : { [SIGNATURE_HEADER]: signBody(body, secret) }),
  };
  return { url, headers, body };
}

/** A request with a chat message. @param command as for `chatBody`. */
export const chatPosting = (
  paragraphs: readonly string[],
  form: Exclude<Form, 'json'>,
  command: string,
  { url, agent }: Route,
): Posting => ({
  url,
  headers: { 'User-Agent': agent, 'Content-Type': 'application/json' },
  body: chatBody(paragraphs, form, command),
});

/** Discord takes 2,000 characters, and other chats more. */
const CHARACTERS_MAX = 1_900;

/**
 * A chat message. It mentions nobody.
 *
 * @param command the command that shows paragraphs that do not fit, such as `teller alarms`.
 */
function chatBody(paragraphs: readonly string[], form: Exclude<Form, 'json'>, command: string): Buffer {
  const content = { content: fitted(paragraphs, inDiscord, command), allowed_mentions: { parse: [] } };
  const text = { text: fitted(paragraphs, inSlack, command) };
  const bodies = { content, text, both: { ...text, ...content } };
  return Buffer.from(JSON.stringify(bodies[form]));
}

/** As many paragraphs as fit, and how many more there are. */
function fitted(paragraphs: readonly string[], shown: (text: string) => string, command: string): string {
  const all = paragraphs.map(shown);
  for (let count = all.length; count > 0; count--) {
    const left = all.length - count;
    const rest = left === 0 ? [] : [shown(`And ${left} more: see \`${command}\`.`)];
    const text = [...all.slice(0, count), ...rest].join('\n\n');
    if (text.length <= CHARACTERS_MAX) return text;
  }
  return (all[0] ?? '').slice(0, CHARACTERS_MAX).toWellFormed();
}

/** Commands in backticks are shown as code by both. */
const outsideCode = (text: string, change: (part: string) => string): string =>
  text
    .split(/(`[^`]*`)/)
    .map((part) => (part.startsWith('`') && part.length > 1 ? part : change(part)))
    .join('');

/** Escapes only what would change a name: a phone shows the message with its backslashes before it is opened. */
const inDiscord = (text: string): string =>
  outsideCode(text, (part) => part.replaceAll(/[\\*_~`|<[\]]/g, String.raw`\$&`));

/** Slack reads `<!channel>` as a mention, and Mattermost reads `@channel`. */
const inSlack = (text: string): string =>
  text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('@', `@${ZERO_WIDTH_SPACE}`);

const ZERO_WIDTH_SPACE = '\u200b';
