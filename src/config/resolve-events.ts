import { Secret } from '../core/secret-value.ts';
import type { EventReceiver } from './config.ts';
import { formIn, pathOf, type ReceiverSecrets } from './event-faults.ts';
import { pathText } from './fault.ts';
import type { ReceiverEntry } from './schema-events.ts';

/** @param at the receiver's place in the list. */
export function resolveReceiver(
  { on, format, name }: ReceiverEntry,
  secrets: ReceiverSecrets = new Map(),
  at: number,
): EventReceiver {
  const form = formIn(secrets, format);
  const isChat = format === 'chat' || (form !== null && form !== 'json');
  const missing = (key: 'url' | 'secret') => Secret.missing(`${pathText(pathOf(at, key))} is missing`);
  return {
    ...{ on, format, name: name ?? null },
    url: secrets.get('url') ?? missing('url'),
    secret: isChat ? null : (secrets.get('secret') ?? missing('secret')),
  };
}
