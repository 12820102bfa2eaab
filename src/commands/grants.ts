import type { Clock } from '../core/clock.ts';
import { isPausedBy, type Pause } from '../core/pause.ts';
import { printable } from '../core/printable.ts';
import type { GrantFilter, GrantRow } from '../ledger/ledger.ts';
import { actionText } from '../operator/trace/grant-actions.ts';
import { grantReasonSentence } from '../operator/trace/grant-reasons.ts';
import { payeeOf } from '../operator/trace/payee.ts';
import { grantJson, pauseJson } from '../operator/trace/rows.ts';
import type { Terminal } from '../platform/terminal.ts';
import { action, type ExitCode, type FlagsOf, printJson, printTable } from './command.ts';
import { Command } from './commander.ts';
import { CONFIG_FLAG } from './config-flag.ts';
import { type Ask, askAtTerminal } from './confirm.ts';
import { Flags } from './flags.ts';
import { changeCommands } from './grants-change.ts';
import { readGrantFilter, withGrantFilter } from './grants-filter.ts';
import { noteOlderConfig } from './older-config.ts';
import { afterFlag, LIMIT_FLAG, mentionOlder, readPaging } from './paging.ts';
import { printPauses } from './pause.ts';
import { readLedger } from './with-ledger.ts';

const newCommand = () =>
  withGrantFilter(new Command('grants'))
    .description(
      'list the rewards that are owed and paid, newest first; pay, ran, mark-paid and cancel change them',
    )
    .option(...afterFlag('grant'))
    .option(...LIMIT_FLAG)
    .option(...CONFIG_FLAG)
    .option('--json', 'print JSON, for scripts');

type GrantsFlags = FlagsOf<typeof newCommand>;

export function grantsCommand(terminal: Terminal, clock: Clock, ask: Ask = askAtTerminal) {
  const command = newCommand()
    // In `grants pay --state held` the flag belongs to `pay`.
    .enablePositionalOptions()
    .action(action(terminal, (flags) => grants(flags, terminal, clock)));
  for (const change of changeCommands(terminal, clock, ask)) command.addCommand(change);
  return command;
}

async function grants(flags: GrantsFlags, terminal: Terminal, clock: Clock): Promise<ExitCode> {
  const { rows, pauses, filter } = await readLedger(
    flags.config,
    terminal,
    clock,
    async (ledger, config, time) => {
      const filter = readFilter(flags, time.now());
      await noteOlderConfig(config, terminal, flags.json);
      return { rows: await ledger.grants(filter), pauses: await ledger.pauses(), filter };
    },
  );
  if (flags.json)
    printJson(
      terminal,
      rows.map((row) => ({ ...grantJson(row), pauses: stopping(row, pauses) })),
    );
  else {
    printPauses(terminal, pauses);
    printGrants(terminal, rows, filter.limit);
  }
  return 0;
}

const stopping = (grant: GrantRow, pauses: readonly Pause[]) =>
  pauses.filter((pause) => isPausedBy(grant, pause)).map(pauseJson);

function readFilter(written: GrantsFlags, now: number): GrantFilter {
  const flags = new Flags();
  const filter = { ...readGrantFilter(written, flags, now), ...readPaging(written, flags) };
  flags.done();
  return filter;
}

function printGrants(terminal: Terminal, rows: readonly GrantRow[], limit: number): void {
  if (rows.length === 0) {
    terminal.err('no grants match');
    return;
  }
  const heading = ['GRANT', 'VOTE', 'PLAYER', 'REWARD', 'SERVER', 'STATE', 'COMMANDS', 'NOTE'];
  printTable(terminal, [heading, ...rows.map(cellsOf)]);
  mentionOlder(terminal, rows, limit);
}

function cellsOf(grant: GrantRow): string[] {
  const ran = grant.commands.filter(({ outcome }) => outcome === 'delivered').length;
  return [
    String(grant.id),
    grant.voteId === null ? '-' : String(grant.voteId),
    payeeOf(grant),
    grant.reward,
    grant.practice ? `${grant.server} (practice)` : grant.server,
    grant.state,
    `${ran} of ${grant.commands.length} ran`,
    noteText(grant),
  ];
}

function noteText({ given, reason, redirected, actions }: GrantRow): string {
  const last = actions.at(-1);
  const parts = [
    ...(given === null ? [] : [`given by ${printable(given.by, 40)}`]),
    ...(reason === null ? [] : [printable(grantReasonSentence(reason), 80)]),
    ...(redirected === null ? [] : [`instead of ${redirected.insteadOf}`]),
    ...(last === undefined ? [] : [actionText(last)]),
  ];
  return parts.join('; ');
}
