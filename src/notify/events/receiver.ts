import { createHash } from 'node:crypto';
import { type EventReceiver, receiverName } from '../../config/config.ts';
import type { EventKind } from '../../core/event-kind.ts';
import { type Form, formOf } from '../../core/receiver-form.ts';
import type { Secret } from '../../core/secret-value.ts';
import type { ReceiverWants } from '../../ledger/ledger.ts';

/** A receiver of events, ready to be sent to. */
export interface Receiver {
  /** How the ledger identifies it. It depends only on the URL, so changing the name or the kinds loses nothing. */
  readonly id: string;
  /** As people are told it. */
  readonly name: string;
  /** Its place in the config, such as `events[0]`. */
  readonly at: string;
  readonly url: URL;
  readonly form: Form;
  /** null: a chat takes no signature. */
  readonly secret: Secret | null;
  readonly kinds: readonly EventKind[];
}

/** The receivers whose URL is available here. */
export const receiversOf = (entries: readonly EventReceiver[]): readonly Receiver[] =>
  entries.flatMap((entry, index) => {
    if (entry.url.missing !== null) return [];
    const url = new URL(entry.url.reveal());
    url.hash = '';
    return [
      {
        ...{ id: receiverId(url), name: receiverName(entry, index), at: `events[${index}]`, url },
        ...{ form: formOf(url, entry.format), secret: entry.secret, kinds: entry.on },
      },
    ];
  });

/** Which receivers the ledger stores which events for. */
export const wantsOf = (entries: readonly EventReceiver[]): readonly ReceiverWants[] =>
  receiversOf(entries).map(({ id, kinds }) => ({ receiver: id, kinds }));

/** A digest, because a URL is a secret. */
const receiverId = (url: URL): string => createHash('sha256').update(url.href).digest('hex').slice(0, 32);
