import type { EventPayload } from '../../../protocol/events.ts';
import { type Config, receiverName } from '../../config/config.ts';
import type { EventKind } from '../../core/event-kind.ts';
import type { Form } from '../../core/receiver-form.ts';
import type { Ledger, ReceiverState } from '../../ledger/ledger.ts';
import { payloadOf } from '../../notify/events/payload.ts';
import { type Receiver, receiversOf } from '../../notify/events/receiver.ts';
import { failureText, isPostFailure, postFailures } from '../../notify/webhook/post-result.ts';

/** Whom Teller tells of events, and what happened lately. Times are milliseconds since the Unix epoch. */
export interface EventsReport {
  /** Those of the config. */
  readonly receivers: readonly ReceiverReport[];
  /** The newest first. */
  readonly events: readonly EventPayload[];
}

export interface ReceiverReport extends Omit<ReceiverState, 'receiver' | 'last'> {
  readonly name: string;
  /** Its place in the config, such as `events[0]`. */
  readonly place: string;
  /** null: the URL is not available here, so nothing is known of it either. */
  readonly form: Form | null;
  readonly on: readonly EventKind[];
  /** How the latest attempt ended; null: there was none. */
  readonly last: LastAttempt | null;
}

export interface LastAttempt {
  readonly at: number;
  /** null: no complete answer came. */
  readonly status: number | null;
  /** Why it did not arrive and what to do; null: it arrived. */
  readonly failure: { readonly code: string; readonly sentence: string; readonly toDo: string } | null;
}

/** @param limit of the events. Rejects with the ledger's Problem. */
export async function eventsReport(
  { events }: Pick<Config, 'events'>,
  ledger: Ledger,
  { kinds, limit }: { readonly kinds: readonly EventKind[]; readonly limit: number },
): Promise<EventsReport> {
  const [states, rows] = [await ledger.receiverStates(), await ledger.latestEvents(kinds, limit)];
  const known = receiversOf(events);
  return {
    receivers: events.map((entry, index) => {
      const place = `events[${index}]`;
      const receiver = known.find(({ at }) => at === place) ?? null;
      return { name: receiverName(entry, index), place, on: entry.on, ...stateOf(receiver, states) };
    }),
    events: await Promise.all(rows.map((row) => payloadOf(row, ledger))),
  };
}

type State = Omit<ReceiverReport, 'name' | 'place' | 'on'>;

/** Of a receiver that no Teller has run with, nothing is known yet. */
function stateOf(receiver: Receiver | null, states: readonly ReceiverState[]): State {
  const state = states.find((one) => one.receiver === receiver?.id);
  const { waiting = 0, undelivered = 0, delivered = 0, dropped = 0, last = null } = state ?? {};
  return {
    ...{ form: receiver?.form ?? null, waiting, undelivered, delivered, dropped },
    last: last && { at: last.at, status: last.status, failure: failureOf(last, receiver?.at ?? '') },
  };
}

function failureOf(
  { status, reason }: NonNullable<ReceiverState['last']>,
  place: string,
): LastAttempt['failure'] {
  if (reason === null) return null;
  if (!isPostFailure(reason)) return { code: reason, sentence: reason, toDo: '' };
  const sentence = failureText({ code: reason, status, detail: null });
  return { code: reason, sentence, toDo: postFailures[reason].toDo(place) };
}
