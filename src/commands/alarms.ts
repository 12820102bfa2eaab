import { loadConfig } from '../config/load.ts';
import type { Clock } from '../core/clock.ts';
import { durationText } from '../core/duration.ts';
import { isoTime, isoTimeOrNull } from '../core/instant.ts';
import { printable } from '../core/printable.ts';
import { Problem } from '../core/problem.ts';
import type { Random } from '../core/random.ts';
import { type AlarmsReport, alarmsReport } from '../operator/alarms/report.ts';
import { type AlarmsTest, testAlarms } from '../operator/alarms/test-message.ts';
import { ledgerClock } from '../operator/practice-clock.ts';
import type { Terminal } from '../platform/terminal.ts';
import { action, type ExitCode, printJson, printTable } from './command.ts';
import { Command } from './commander.ts';
import { CONFIG_FLAG } from './config-flag.ts';
import { readConfig } from './with-ledger.ts';

interface AlarmsFlags {
  readonly config: string;
  readonly json?: boolean;
}

interface Tools {
  readonly clock: Clock;
  readonly random: Random;
}

export const alarmsCommand = (terminal: Terminal, tools: Tools) =>
  new Command('alarms')
    .description('show the alarms that hold now, and what you were notified of')
    .option(...CONFIG_FLAG)
    .option('--json', 'print JSON, for scripts')
    .action(action(terminal, (flags) => show(flags, terminal, tools)))
    .addCommand(
      new Command('test')
        .description('post a test message to the URL of `alarms`, and show what came back')
        .configureHelp({ showGlobalOptions: true })
        .action(
          action(terminal, (_, command) => test(command.optsWithGlobals() as AlarmsFlags, terminal, tools)),
        ),
    );

/** Exits with 1 while an alarm holds. */
async function show(flags: AlarmsFlags, terminal: Terminal, { clock }: Tools): Promise<ExitCode> {
  const { config, clock: time } = await readConfig(flags.config, terminal, clock);
  const report = await alarmsReport(config, time);
  if (flags.json) printJson(terminal, [reportJson(report)]);
  else printAlarms(terminal, report);
  return report.alarms.some(({ alarm }) => alarm.end === null) ? 1 : 0;
}

const alarmJson = ({ alarm, sentence, toDo }: AlarmsReport['alarms'][number]) => ({
  alarm: alarm.code,
  subject: alarm.subject,
  since: isoTime(alarm.since),
  until: isoTimeOrNull(alarm.end?.at ?? null),
  notifiedAt: isoTimeOrNull(alarm.notifiedAt),
  sentence,
  toDo,
});

const reportJson = ({ isConfigured, form, writtenAt, alarms, waiting, lastPost, sent }: AlarmsReport) => ({
  configured: isConfigured,
  form,
  writtenAt: isoTimeOrNull(writtenAt),
  alarms: alarms.map(alarmJson),
  waiting: waiting && { ...waiting, since: isoTime(waiting.since) },
  lastPost: lastPost && { ...lastPost, at: isoTime(lastPost.at) },
  sent: sent.map(({ at, notice: { eventId, began, ended } }) => ({
    at: isoTime(at),
    eventId,
    began: began.map(alarmJson),
    ended: ended.map(alarmJson),
  })),
});

/** Exits with 1 if the message did not arrive. */
async function test(
  { config, json = false }: AlarmsFlags,
  terminal: Terminal,
  tools: Tools,
): Promise<ExitCode> {
  const loaded = await loadConfig(config);
  const result = await testAlarms(loaded, { ...tools, clock: ledgerClock(loaded, tools.clock) });
  if (result.kind === 'not-configured')
    throw new Problem(
      'alarms-none',
      'The config has no `alarms`, so nobody is notified; add `alarms` with a `url`.',
    );
  if (json) printJson(terminal, [result]);
  else printTest(terminal, result);
  return result.kind === 'arrived' ? 0 : 1;
}

function printTest(terminal: Terminal, result: Exclude<AlarmsTest, { kind: 'not-configured' }>): void {
  const took = durationText(result.durationMs);
  if (result.kind === 'arrived') terminal.out(`the test message arrived (HTTP ${result.status}, ${took})`);
  else {
    terminal.out(`the test message did not arrive: ${result.sentence} [${result.code}]`);
    terminal.err(`what to do: ${result.toDo}`);
  }
  if (result.response !== '') terminal.out(`the receiver answered: ${printable(result.response)}`);
}

/** At most this many messages are shown; `--json` has all that are kept. */
const SENT_SHOWN = 5;

function printAlarms(terminal: Terminal, report: AlarmsReport): void {
  if (!report.isConfigured) terminal.out('the config has no `alarms`, so nobody is notified');
  const { alarms, writtenAt } = report;
  if (alarms.length > 0) printHolding(terminal, alarms);
  else if (writtenAt !== null) terminal.out('no alarm holds');
  else if (report.isConfigured) terminal.out('no Teller has run with these alarms yet');
  printPosts(terminal, report);
  printSent(terminal, report.sent);
  if (writtenAt !== null) terminal.err(`as the running Teller wrote it at ${isoTime(writtenAt)}`);
}

function printHolding(terminal: Terminal, alarms: AlarmsReport['alarms']): void {
  printTable(terminal, [
    ['ALARM', 'SINCE', 'NOTIFIED', 'WHAT'],
    ...alarms.map(({ alarm, sentence, toDo }) => [
      alarm.subject === null ? alarm.code : `${alarm.code} ${alarm.subject}`,
      isoTime(alarm.since),
      alarm.notifiedAt === null ? 'not yet' : isoTime(alarm.notifiedAt),
      `${sentence}${toDo === '' ? '' : ` → ${toDo}`}`,
    ]),
  ]);
}

function printPosts(terminal: Terminal, { lastPost, waiting }: AlarmsReport): void {
  if (waiting !== null)
    terminal.out(`a message waits since ${isoTime(waiting.since)}; failed attempts: ${waiting.attempts}`);
  if (lastPost === null) return;
  const { at, failure } = lastPost;
  if (failure === null) terminal.out(`the last message arrived at ${isoTime(at)}`);
  else
    terminal.out(
      `the last attempt failed at ${isoTime(at)}: ${failure.sentence} [${failure.code}] → ${failure.toDo}`,
    );
}

function printSent(terminal: Terminal, sent: AlarmsReport['sent']): void {
  for (const { at, notice } of sent.slice(0, SENT_SHOWN)) {
    for (const { sentence } of [...notice.began, ...notice.ended])
      terminal.out(`${isoTime(at)}  ${sentence}`);
  }
}
