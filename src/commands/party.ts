import type { Clock } from '../core/clock.ts';
import { partyStates } from '../operator/together/party-progress.ts';
import type { Terminal } from '../platform/terminal.ts';
import { action, type ExitCode, type FlagsOf, printJson, printTable } from './command.ts';
import { Command } from './commander.ts';
import { CONFIG_FLAG } from './config-flag.ts';
import { noteOlderConfig } from './older-config.ts';
import { readLedger } from './with-ledger.ts';

const newCommand = () =>
  new Command('party')
    .description('show how many votes are left until each vote party')
    .option(...CONFIG_FLAG)
    .option('--json', 'print JSON, for scripts');

export const partyCommand = (terminal: Terminal, clock: Clock) =>
  newCommand().action(action(terminal, (flags) => run(flags, terminal, clock)));

function run(flags: FlagsOf<typeof newCommand>, terminal: Terminal, clock: Clock): Promise<ExitCode> {
  return readLedger(flags.config, terminal, clock, async (ledger, config, time): Promise<ExitCode> => {
    await noteOlderConfig(config, terminal, flags.json);
    const states = await partyStates(ledger, config, time.now());
    if (flags.json) printJson(terminal, states);
    else if (states.length === 0) terminal.err('the config has no `party`');
    else {
      const rows = states.map(({ party, number, votes, left, every, for: paid, reset }) => [
        party,
        String(number),
        `${votes} of ${every}`,
        String(left),
        paid,
        reset === null ? 'never' : `each ${reset}`,
      ]);
      printTable(terminal, [['PARTY', 'NEXT', 'VOTES', 'LEFT', 'FOR', 'STARTS AGAIN'], ...rows]);
    }
    return 0;
  });
}
