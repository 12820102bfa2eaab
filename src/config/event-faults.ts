import { type Form, formOf, type ReceiverFormat } from '../core/receiver-form.ts';
import type { Secret } from '../core/secret-value.ts';
import { type FaultAtPath, type Path, pathText } from './fault.ts';
import type { Outline } from './outline.ts';

/** The secrets of one receiver, by key. */
export type ReceiverSecrets = ReadonlyMap<string, Secret>;

/** Faults that show only when the URLs are known. No sentence contains a URL (rule 10). */
export const receiverFaults = (
  receivers: Outline['events'],
  secrets: readonly ReceiverSecrets[],
): readonly FaultAtPath[] => [...sharedUrls(secrets), ...unsigned(receivers, secrets)];

/** Each event is posted to a URL once, so that what arrived there is known. */
function sharedUrls(secrets: readonly ReceiverSecrets[]): readonly FaultAtPath[] {
  const urls = secrets.map((own) => urlOf(own)?.href ?? null);
  return urls.flatMap((url, at) => {
    const other = urls.indexOf(url);
    if (url === null || other === at) return [];
    const sentence = `is the same URL as that of ${pathText(['events', other])}; put the kinds of both into one entry`;
    return [{ code: 'config-value' as const, path: pathOf(at, 'url'), sentence }];
  });
}

function unsigned(receivers: Outline['events'], secrets: readonly ReceiverSecrets[]): readonly FaultAtPath[] {
  return receivers.flatMap((receiver, at) => {
    const format = formatOf(receiver?.format);
    if (receiver === undefined || receiver.secret !== undefined || format === null) return [];
    if (formIn(secrets[at], format) !== 'json') return [];
    const chat = format === 'auto' ? '; for a chat channel, set "format": "chat" instead' : '';
    const sentence = `is missing; events in JSON are signed, so put a secret there, such as "file:data/secrets/events.secret"${chat}`;
    return [{ code: 'secret-missing' as const, path: pathOf(at, 'secret'), sentence }];
  });
}

export const pathOf = (at: number, key: 'url' | 'secret'): Path => ['events', at, key];

/** null: it has a fault of its own. */
const formatOf = (written = 'auto'): ReceiverFormat | null =>
  written === 'auto' || written === 'chat' || written === 'json' ? written : null;

/** What is posted to a receiver; null if that depends on a URL that is not available here. */
export function formIn(secrets: ReceiverSecrets | undefined, format: ReceiverFormat): Form | null {
  if (format === 'json') return 'json';
  const url = urlOf(secrets);
  return url === null ? null : formOf(url, format);
}

/** Without its fragment, which is not sent. null: it is missing here. */
function urlOf(secrets: ReceiverSecrets | undefined): URL | null {
  const secret = secrets?.get('url');
  if (secret === undefined || secret.missing !== null) return null;
  const url = new URL(secret.reveal());
  url.hash = '';
  return url;
}
