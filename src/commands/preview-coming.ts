import type { Clock } from '../core/clock.ts';
import { Problem } from '../core/problem.ts';
import { openLedger } from '../ledger/sqlite/in-process.ts';
import type { CalendarDay, MonthCalendar, ServerFigures } from '../operator/simulation/month/calendar.ts';
import { type ComingMonth, comingMonth } from '../operator/simulation/month/coming-month.ts';
import { PAST_DAYS } from '../operator/simulation/month/past.ts';
import type { Sum } from '../operator/simulation/month/sums.ts';
import type { Terminal } from '../platform/terminal.ts';
import { type ExitCode, printJson, printTable } from './command.ts';
import { noteOlderConfig } from './older-config.ts';
import {
  counted,
  figureRows,
  number,
  printFigureTables,
  rewardedText,
  rightAligned,
} from './preview-month-print.ts';
import { readConfig } from './with-ledger.ts';

export interface ComingOptions {
  readonly config: string;
  readonly json?: true;
  readonly days: number | undefined;
  readonly seed: number;
}

const DAYS = 30;

/** Prints what the coming month would be paid if players vote as they did in the last weeks. */
export async function previewComing(
  { days = DAYS, seed, ...options }: ComingOptions,
  terminal: Terminal,
  systemClock: Clock,
): Promise<ExitCode> {
  const { config, clock } = await readConfig(options.config, terminal, systemClock);
  await noteOlderConfig(config, terminal, options.json);
  const ledger = await openLedger(config.ledger, 'read', { clock });
  const month = await comingMonth(config, { days, seed, voters: null }, { ledger, clock }).finally(() =>
    ledger.close(),
  );
  const calendar = calendarIn(month);
  if (options.json) printJson(terminal, rowsOf(calendar, seed));
  else print(terminal, calendar, seed);
  return 0;
}

function calendarIn(month: ComingMonth): MonthCalendar {
  switch (month.kind) {
    case 'calendar':
      return month.calendar;
    case 'no-votes':
      throw new Problem(
        'vote-missing',
        `nobody voted in the ${PAST_DAYS} days before today, so there is nothing to go by; make up players with --days and --voters`,
      );
    case 'too-many':
      throw new Problem(
        'usage',
        `${number(month.votes)} votes came in the last weeks, and at most ${number(month.most)} are simulated; make up players with --days and --voters`,
      );
    case 'stopped':
      throw new Error('the thread of the month has ended by itself');
  }
}

function print(terminal: Terminal, calendar: MonthCalendar, seed: number): void {
  const { days, servers, votes, players } = calendar;
  terminal.out(
    `${counted(days.length, 'day')} from ${days[0]?.date}, if players vote as in the last ${PAST_DAYS} days: ${counted(votes, 'vote')} by ${counted(players, 'player')}, seed ${seed}`,
  );
  terminal.out(rewardedText(calendar));
  terminal.out('');
  printTable(
    terminal,
    rightAligned([['DAY', 'VOTES', 'GRANTS', 'COMMANDS', 'MOST OF ALL'], ...days.map(dayCells)], [1, 2, 3]),
  );
  terminal.out('');
  printFigureTables(terminal, calendar);
  terminal.out('');
  for (const server of servers) terminal.out(serverText(server));
}

const dayCells = ({ date, votes, grants, commands, sums }: CalendarDay): readonly string[] => {
  const granted = grants.reduce((sum, each) => sum + each.grants, 0);
  return [date, ...[votes, granted, commands].map(number), sums.slice(0, 2).map(sumText).join(', ')];
};

const sumText = ({ command, runs, amount }: Sum): string =>
  amount === null ? `${number(runs)} × ${command}` : `${number(amount)} by ${command}`;

const serverText = ({ server, commands, busiest }: ServerFigures): string =>
  `${server}: ${counted(commands, 'command')}, at most ${number(busiest.commands)} on a day (${busiest.date})`;

/** One row for the whole, one for each day and game server, and then those of `preview --votes`. */
const rowsOf = (
  { days, servers, rewards, together, sums, ...facts }: MonthCalendar,
  seed: number,
): readonly object[] => [
  { kind: 'month', ...facts, seed },
  ...days.map((day) => ({ kind: 'day', ...day })),
  ...servers.map((server) => ({ kind: 'gameServer', ...server })),
  ...figureRows({ rewards, together, sums }),
];
