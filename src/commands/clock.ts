import type { Clock } from '../core/clock.ts';
import { doubtSentence } from '../core/clock-doubt.ts';
import { durationText } from '../core/duration.ts';
import { isoTime, isoTimeOrNull } from '../core/instant.ts';
import { Problem } from '../core/problem.ts';
import { type ClockReport, clockReport, type Release, releaseClock } from '../operator/clock.ts';
import type { Terminal } from '../platform/terminal.ts';
import { action, type ExitCode, printJson, printTable } from './command.ts';
import { Command } from './commander.ts';
import { CONFIG_FLAG } from './config-flag.ts';
import { type Ask, agreed, askAtTerminal } from './confirm.ts';
import { changeLedger, readLedger } from './with-ledger.ts';

interface ClockFlags {
  readonly config: string;
  readonly json?: boolean;
  readonly yes?: boolean;
}

export const clockCommand = (terminal: Terminal, clock: Clock, ask: Ask = askAtTerminal) =>
  new Command('clock')
    .description(
      'show this machine’s clock, whether Teller doubts it and why, and how many rewards are held because of it',
    )
    .option(...CONFIG_FLAG)
    .option('--json', 'print JSON, for scripts')
    .action(action(terminal, (flags) => show(flags, terminal, clock)))
    .addCommand(
      new Command('release')
        .description('trust the clock from now on, and pay the rewards that were held while it was doubtful')
        .option('--yes', 'do not ask')
        .configureHelp({ showGlobalOptions: true })
        .action(
          action(terminal, (_, command) =>
            release(command.optsWithGlobals() as ClockFlags, terminal, clock, ask),
          ),
        ),
    );

/** Exits with 1 while the clock is doubted. */
async function show(flags: ClockFlags, terminal: Terminal, clock: Clock): Promise<ExitCode> {
  const report = await readLedger(flags.config, terminal, clock, (ledger) => clockReport(ledger, clock));
  if (flags.json) printJson(terminal, [reportJson(report)]);
  else printReport(terminal, report);
  return report.doubt === null ? 0 : 1;
}

const reportJson = ({ shows, doubt, newestAt, held, doubts }: ClockReport) => ({
  shows: isoTime(shows),
  doubt: doubt && { ...doubt, shownAt: isoTime(doubt.shownAt) },
  newestAt: isoTimeOrNull(newestAt),
  held,
  doubts: doubts.map((one) => ({ ...one, shownAt: isoTime(one.shownAt) })),
});

function printReport(terminal: Terminal, { shows, doubt, held, doubts }: ClockReport): void {
  terminal.out(`this machine’s clock shows ${isoTime(shows)}`);
  terminal.out(doubt === null ? 'the clock is trusted' : doubtSentence(doubt));
  terminal.out(heldText(held));
  if (held > 0 || doubt !== null)
    terminal.err(
      'compare the clock with one that you trust, set it if it is wrong, then `teller clock release`',
    );
  if (doubts.length === 0) return;
  terminal.err('');
  printTable(terminal, [
    ['SHOWED', 'WRONG BY', 'REASON', 'VOTES', 'ENDED'],
    ...doubts.map(({ shownAt, aheadMs, reason, firstVote, lastVote, endedBy }) => [
      isoTime(shownAt),
      `${aheadMs > 0 ? '+' : '-'}${durationText(aheadMs)}`,
      reason,
      lastVote !== null && lastVote < firstVote ? 'none' : `${firstVote} to ${lastVote ?? 'now'}`,
      endedBy ?? '',
    ]),
  ]);
}

const heldText = (held: number): string =>
  held === 1 ? '1 reward is held because of it' : `${held} rewards are held because of it`;

async function release(flags: ClockFlags, terminal: Terminal, clock: Clock, ask: Ask): Promise<ExitCode> {
  const agree = ({ shows, held }: ClockReport) =>
    agreed(
      terminal,
      ask,
      flags.yes === true,
      `The clock shows ${isoTime(shows)}; ${heldText(held)}. Trust the clock from now on, and pay these rewards?`,
    );
  const released = await changeLedger(flags.config, clock, (ledger) => releaseClock(ledger, clock, agree));
  if (released.kind === 'clock-not-set') throw notSet(released.shows);
  if (flags.json) printJson(terminal, [released]);
  else terminal.out(releasedText(released));
  return 0;
}

const notSet = (shows: number): Problem =>
  new Problem(
    'clock-not-set',
    `This machine’s clock shows ${isoTime(shows)}, so it is not set. Set it, then run \`teller clock release\` again.`,
  );

function releasedText(released: Exclude<Release, { kind: 'clock-not-set' }>): string {
  if (released.kind === 'nothing-to-release')
    return 'nothing to release: the clock is trusted, and no reward is held because of it';
  const rewards = released.released === 1 ? '1 reward' : `${released.released} rewards`;
  return `the clock is trusted from now on; ${rewards} will be paid`;
}
