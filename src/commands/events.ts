import type { EventPayload } from '../../protocol/events.ts';
import { EVENT_KINDS } from '../core/event-kind.ts';
import { isoTime } from '../core/instant.ts';
import { printable } from '../core/printable.ts';
import { eventSentence } from '../notify/events/payload.ts';
import { type EventsReport, eventsReport, type ReceiverReport } from '../operator/events/report.ts';
import type { Terminal } from '../platform/terminal.ts';
import { action, type ExitCode, type FlagsOf, printJson, printTable } from './command.ts';
import { Command } from './commander.ts';
import { CONFIG_FLAG } from './config-flag.ts';
import { type EventsTools, eventsResendCommand, eventsTestCommand } from './events-send.ts';
import { Flags } from './flags.ts';
import { noteOlderConfig } from './older-config.ts';
import { LIMIT_FLAG, readPaging } from './paging.ts';
import { readLedger } from './with-ledger.ts';

const NOTES = `
Events are kept for 7 days, the newest 200,000. An event is stored only if a receiver in the config wants its kind.
vote.refused sums up each hour, some minutes after its end.

To see events as they come, run \`teller webhook sink\`, and name it as a receiver.
`;

const newCommand = () =>
  new Command('events')
    .description(
      'show who is told of events, and the latest events; test posts a test event, resend sends undelivered ones again',
    )
    .option('--on <kinds...>', `only events of these kinds: ${EVENT_KINDS.join(', ')}`)
    .option(...LIMIT_FLAG)
    .option(...CONFIG_FLAG)
    .option('--json', 'print JSON, for scripts')
    .addHelpText('after', NOTES);

type EventsFlags = FlagsOf<typeof newCommand>;

export const eventsCommand = (terminal: Terminal, tools: EventsTools) =>
  newCommand()
    // In `events test --json` the flag belongs to `test`.
    .enablePositionalOptions()
    .action(action(terminal, (flags) => show(readFlags(flags), terminal, tools)))
    .addCommand(eventsTestCommand(terminal, tools))
    .addCommand(eventsResendCommand(terminal, tools));

/** @throws Problem `usage` */
function readFlags({ config, json, on, limit }: EventsFlags) {
  const flags = new Flags();
  const kinds = on?.flatMap((kind) => flags.oneOf('--on', kind, EVENT_KINDS) ?? []) ?? EVENT_KINDS;
  const paging = readPaging({ limit }, flags);
  flags.done();
  return { config, json: json === true, kinds, limit: paging.limit };
}

async function show(
  wanted: ReturnType<typeof readFlags>,
  terminal: Terminal,
  { clock }: EventsTools,
): Promise<ExitCode> {
  return readLedger(wanted.config, terminal, clock, async (ledger, config): Promise<ExitCode> => {
    await noteOlderConfig(config, terminal, wanted.json);
    const report = await eventsReport(config, ledger, wanted);
    if (wanted.json) printJson(terminal, [reportJson(report)]);
    else printEvents(terminal, report);
    return 0;
  });
}

/** Scripts rely on the fields. */
const reportJson = ({ receivers, events }: EventsReport) => ({
  receivers: receivers.map(({ last, ...receiver }) => ({
    ...receiver,
    last: last && { ...last, at: isoTime(last.at) },
  })),
  events,
});

function printEvents(terminal: Terminal, { receivers, events }: EventsReport): void {
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
const sentenceOf = (payload: EventPayload): string => printable(eventSentence(payload), SENTENCE_MAX);

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
