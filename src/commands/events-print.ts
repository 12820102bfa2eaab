import type { EventPayload } from '../../protocol/webhook/events.ts';
import { isoTime } from '../core/instant.ts';
import { printable } from '../core/printable.ts';
import { eventSentence } from '../notify/events/payload.ts';
import type { EventsReport, ReceiverReport } from '../operator/events/report.ts';
import type { Terminal } from '../platform/terminal.ts';
import { printTable } from './command.ts';

export function printEvents(terminal: Terminal, { receivers, events }: EventsReport): void {
  if (receivers.length === 0) terminal.out('the config has no `events`, so no receiver is told');
  else printReceivers(terminal, receivers);
  if (events.length === 0) terminal.err('no events are kept');
  else
    printTable(terminal, [
      ['TIME', 'EVENT', 'WHAT'],
      ...events.map((event) => [event.timestamp, event.event, sentenceOf(event)]),
    ]);
}

/** Names in it were sent by strangers, and a name of a reward may have any character. */
export const sentenceOf = (payload: EventPayload): string => printable(eventSentence(payload), SENTENCE_MAX);

const SENTENCE_MAX = 1_000;

function printReceivers(terminal: Terminal, receivers: readonly ReceiverReport[]): void {
  printTable(terminal, [
    ['RECEIVER', 'WAITING', 'UNDELIVERED', 'DELIVERED', 'DROPPED', 'LAST ATTEMPT', 'EVENTS'],
    ...receivers.map(({ name, on, waiting, undelivered, delivered, dropped, ...receiver }) => [
      printable(name),
      ...[waiting, undelivered, delivered, dropped].map(String),
      lastText(receiver),
      on.join(', '),
    ]),
  ]);
  for (const { name, last } of receivers)
    if (last !== null && last.failure !== null) printFailure(terminal, name, last.failure);
  if (receivers.some(({ undelivered }) => undelivered > 0))
    terminal.out('`teller events resend` sends undelivered events again');
}

function lastText({ form, last }: Pick<ReceiverReport, 'form' | 'last'>): string {
  if (form === null) return 'unknown: its URL cannot be read here';
  if (last === null) return 'none yet';
  const { at, failure, status } = last;
  const how = status === null ? '' : ` (HTTP ${status})`;
  return `${failure === null ? 'arrived' : 'failed'} ${isoTime(at)}${how}`;
}

function printFailure(
  terminal: Terminal,
  name: string,
  { sentence, code, toDo }: { readonly sentence: string; readonly code: string; readonly toDo: string },
): void {
  terminal.out(`${printable(name)}: ${sentence} [${code}]${toDo === '' ? '' : ` → ${toDo}`}`);
}
