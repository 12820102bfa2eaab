import type { CommandUnknownOpts } from '@commander-js/extra-typings';
import type { Config } from '../config/config.ts';
import type { Clock } from '../core/clock.ts';
import { askedName, type PlayerName } from '../core/player-name.ts';
import type { Ledger } from '../ledger/ledger.ts';
import {
  type Changer,
  forgetPlayer,
  mergePlayers,
  readPlayer,
  refusal,
  splitPlayer,
} from '../operator/change-player.ts';
import { accountName } from '../platform/account.ts';
import type { Terminal } from '../platform/terminal.ts';
import { action, type ExitCode, printJson } from './command.ts';
import { Command } from './commander.ts';
import { CONFIG_FLAG } from './config-flag.ts';
import { type Ask, agreed, askAtTerminal } from './confirm.ts';
import { playerJson, printPlayers } from './players-print.ts';
import { changeLedger, readLedger } from './with-ledger.ts';

interface Tools {
  readonly terminal: Terminal;
  readonly clock: Clock;
  readonly ask: Ask;
}

interface Flags {
  readonly config: string;
  readonly json?: true | undefined;
  readonly yes?: true | undefined;
}

const JSON_FLAG = ['--json', 'print JSON, for scripts'] as const;
const YES_FLAG = ['--yes', 'do not ask'] as const;

export const playersCommand = (terminal: Terminal, clock: Clock, ask: Ask = askAtTerminal) => {
  const tools = { terminal, clock, ask };
  const players = new Command('players').description(
    'who a player is: their names and UUIDs; join names, split them again, or forget a player',
  );
  const subcommands: readonly CommandUnknownOpts[] = [
    ...[showCommand(tools), mergeCommand(tools), splitCommand(tools), forgetCommand(tools)],
  ];
  for (const command of subcommands) players.addCommand(command);
  return players;
};

/** The flags of all commands that change a player. */
const changing = (name: string) =>
  new Command(name)
    .option(...YES_FLAG)
    .option(...CONFIG_FLAG)
    .option(...JSON_FLAG);

const showCommand = ({ terminal, clock }: Tools) =>
  new Command('show')
    .description('the names of a player, their UUIDs, what was imported for them, and what changed')
    .argument('<name>', 'any name that the player has or had')
    .option(...CONFIG_FLAG)
    .option(...JSON_FLAG)
    .action(
      action(terminal, (name, flags) =>
        readLedger(flags.config, terminal, clock, (ledger, { players }) =>
          show(ledger, askedName(name, players.bedrockPrefixes), flags, terminal),
        ),
      ),
    );

const mergeCommand = ({ terminal, clock, ask }: Tools) =>
  changing('merge')
    .description('join a name to another player, who then has the votes of both; joining pays nothing')
    .argument('<name>', 'the name that is joined')
    .requiredOption('--into <name>', 'the player who keeps their UUID and history')
    .action(
      action(terminal, (name, flags) =>
        change(name, flags, { terminal, clock, ask }, async (ledger, config, player, changer) => {
          const into = readPlayer(flags.into, config);
          const confirm = `Join ${player} to ${into}? \`teller players split ${player}\` undoes it.`;
          await agreed(terminal, ask, flags.yes === true, confirm);
          await mergePlayers(ledger, { name: player, into }, changer);
          return into;
        }),
      ),
    );

const splitCommand = ({ terminal, clock, ask }: Tools) =>
  changing('split')
    .description('give a name that was joined its own history back: the votes that were cast for it')
    .argument('<name>', 'the name that was joined')
    .action(
      action(terminal, (name, flags) =>
        change(name, flags, { terminal, clock, ask }, async (ledger, _, player, changer) => {
          const confirm = `Split ${player} from the player that it was joined to?`;
          await agreed(terminal, ask, flags.yes === true, confirm);
          await splitPlayer(ledger, player, changer);
          return player;
        }),
      ),
    );

const STILL_ON_DISK =
  'note: another program, such as a backup, is reading the ledger, so its -wal file still holds what said who they were; the running Teller erases it within ten minutes after that program is done';

const forgetCommand = ({ terminal, clock, ask }: Tools) =>
  changing('forget')
    .description(
      'replace the names, UUIDs, addresses and received bytes of a player in the whole ledger; their votes stay counted',
    )
    .argument('<name>', 'any name of the player')
    .action(
      action(terminal, (name, flags) =>
        change(name, flags, { terminal, clock, ask }, async (ledger, _, player, changer) => {
          const [found] = await ledger.players(player);
          if (found === undefined) throw refusal('player-missing', player);
          const names = found.names.map((each) => each.name).join(', ');
          const confirm = `Forget ${names}? What is still owed to them is cancelled. This cannot be undone.`;
          await agreed(terminal, ask, flags.yes === true, confirm);
          const forgotten = await forgetPlayer(ledger, player, changer);
          if (!forgotten.isErased) terminal.err(STILL_ON_DISK);
          return forgotten.name;
        }),
      ),
    );

/** @param apply returns a name by which the player is found afterwards. */
function change(
  name: string,
  flags: Flags,
  { terminal, clock }: Tools,
  apply: (ledger: Ledger, config: Config, name: PlayerName, changer: Changer) => Promise<string>,
): Promise<ExitCode> {
  return changeLedger(flags.config, clock, async (ledger, config, time): Promise<ExitCode> => {
    const changer = { by: accountName(), now: time.now() };
    const left = await apply(ledger, config, readPlayer(name, config), changer);
    return show(ledger, left, flags, terminal);
  });
}

async function show(
  ledger: Ledger,
  name: string,
  { json }: Pick<Flags, 'json'>,
  terminal: Terminal,
): Promise<ExitCode> {
  const players = await ledger.players(name);
  if (players.length === 0) throw refusal('player-missing', name);
  if (json) printJson(terminal, players.map(playerJson));
  else printPlayers(terminal, players);
  return 0;
}
