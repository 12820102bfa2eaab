import type { Clock } from '../core/clock.ts';
import { isoTime, isoTimeOrNull } from '../core/instant.ts';
import { PERS } from '../core/period.ts';
import { printable } from '../core/printable.ts';
import { type TopState, topStates } from '../operator/together/top-places.ts';
import type { Terminal } from '../platform/terminal.ts';
import { action, type ExitCode, type FlagsOf, printJson, printTable } from './command.ts';
import { Command } from './commander.ts';
import { CONFIG_FLAG } from './config-flag.ts';
import { Flags, given } from './flags.ts';
import { noteOlderConfig } from './older-config.ts';
import { readLedger } from './with-ledger.ts';

const newCommand = () =>
  new Command('tops')
    .description('show who has the most votes of a day, week or month, now or when it was over')
    .option('--period <period>', 'day, week or month (default: those of the config’s `tops`, or month)')
    .option('--at <time>', 'in the period of this time: an ISO date or date-time (default: now)')
    .option('--limit <number>', 'show so many places of a period that is not over', '10')
    .option(...CONFIG_FLAG)
    .option('--json', 'print JSON, for scripts');

export const topsCommand = (terminal: Terminal, clock: Clock) =>
  newCommand().action(action(terminal, (flags) => run(flags, terminal, clock)));

function run(written: FlagsOf<typeof newCommand>, terminal: Terminal, clock: Clock): Promise<ExitCode> {
  const flags = new Flags();
  const per = flags.oneOf('--period', written.period, PERS);
  const at = flags.instant('--at', written.at);
  const limit = flags.wholeNumber('--limit', written.limit, 1, 10_000) ?? 0;
  flags.done();
  return readLedger(written.config, terminal, clock, async (ledger, config, time): Promise<ExitCode> => {
    await noteOlderConfig(config, terminal, written.json);
    const states = await topStates(ledger, config, { ...given({ per }), at: at ?? time.now(), limit });
    if (written.json) printJson(terminal, states.map(stateJson));
    else for (const state of states) print(terminal, state);
    return 0;
  });
}

const stateJson = ({ places, finalFrom, ...state }: TopState) => ({
  ...state,
  finalFrom: isoTimeOrNull(finalFrom),
  places: places.map(({ reachedAt, ...place }) => ({ ...place, reachedAt: isoTime(reachedAt) })),
});

function print(terminal: Terminal, { top, period, isSettled, finalFrom, places }: TopState): void {
  const of = top === null ? 'all votes' : top;
  const until = finalFrom === null ? '' : ` before ${isoTime(finalFrom)}`;
  terminal.out(`${of}, ${period}, ${isSettled ? 'final' : `not final${until}`}`);
  if (places.length === 0) {
    terminal.out('  no votes');
    return;
  }
  const rows = places.map(({ place, player, votes, reachedAt, prize }) => [
    String(place),
    printable(player, 40),
    String(votes),
    isoTime(reachedAt),
    prize ?? '-',
  ]);
  printTable(terminal, [['PLACE', 'PLAYER', 'VOTES', 'LATEST', 'PRIZE'], ...rows]);
}
