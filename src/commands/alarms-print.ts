import { isoTime } from '../core/instant.ts';
import type { AlarmsReport } from '../operator/alarms/report.ts';
import type { Terminal } from '../platform/terminal.ts';
import { printTable } from './command.ts';

/** At most this many messages are shown; `--json` has all that are kept. */
const SENT_SHOWN = 5;

export function printAlarms(terminal: Terminal, report: AlarmsReport): void {
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
