import { type PluginSetup, readVotifierPlugin } from '../config/votifier-plugin.ts';
import { openLedger } from '../ledger/sqlite/in-process.ts';
import { type ImportOutcome, importPlugin } from '../operator/import-plugin.ts';
import { printingSafely, type Terminal } from '../platform/terminal.ts';
import { action, type ExitCode, printJson, printTable } from './command.ts';
import { Command } from './commander.ts';
import { DEFAULT_CONFIG } from './config-flag.ts';
import { type ImportTools, votingPluginCommand } from './import-conversion.ts';
import { importPlayersCommand } from './import-players.ts';
import { importVotesCommand } from './import-votes.ts';

export function importCommand(given: Terminal, tools: ImportTools) {
  const terminal = printingSafely(given);
  return new Command('import')
    .description(
      'import keys, tokens, sites and rewards from another listener or vote plugin, players and votes',
    )
    .addCommand(nuvotifierCommand(terminal, tools))
    .addCommand(importPlayersCommand(terminal, tools.clock))
    .addCommand(importVotesCommand(terminal, tools.clock))
    .addCommand(votingPluginCommand(terminal, tools));
}

const nuvotifierCommand = (terminal: Terminal, { clock, random }: ImportTools) =>
  new Command('nuvotifier')
    .description(
      "import from a NuVotifier plugin's folder; keys and tokens that votes have used are never replaced",
    )
    .argument('<dir>', 'the folder of the plugin, the game server or the proxy')
    .option('--keep-existing', 'if Teller keeps some values of its own, import the rest anyway')
    .option('--config <file>', 'the config file; created if it does not exist', DEFAULT_CONFIG)
    .option('--json', 'print JSON, for scripts')
    .action(
      action(terminal, async (dir, options): Promise<ExitCode> => {
        const { config, keepExisting = false, json = false } = options;
        const setup = await readVotifierPlugin(dir);
        const parts = {
          ...{ clock, random, keepExisting },
          openLedger: (file: string) => openLedger(file, 'read', { clock }),
        };
        const outcome = await importPlugin(setup, config, parts);
        if (json) printJson(terminal, outcome.rows);
        else printOutcome(terminal, setup, outcome);
        return outcome.rows.some(({ result }) => result === 'kept') ? 1 : 0;
      }),
    );

function printOutcome(terminal: Terminal, setup: PluginSetup, outcome: ImportOutcome): void {
  terminal.out(`importing from ${setup.folder}`);
  printTable(
    terminal,
    outcome.rows.map(({ what, result, sentence }) => [result, what, sentence]),
  );
  for (const line of [...missing(setup), ...next(outcome)]) terminal.err(line);
}

const missing = ({ pair, tokens, acceptsV1 }: PluginSetup): readonly string[] => [
  ...(pair === null && acceptsV1
    ? [
        'The plugin has no RSA key pair: for v1 votes, paste the public key that `teller keys` shows at the listings.',
      ]
    : []),
  ...(tokens.size === 0
    ? ['The plugin has no tokens: for v2 votes, paste the tokens that `teller keys` shows at the listings.']
    : []),
];

/** What is left to do. The plugin stays in place until the listings no longer need it. */
function next({ rows, isWritten, isComplete, isRunning }: ImportOutcome): readonly string[] {
  if (!isWritten) {
    return [
      'Nothing was written, because Teller keeps other values. Next: fix the lines marked “kept” and import again, or import the rest with --keep-existing. Leave the plugin in place until then.',
    ];
  }
  const start = isRunning
    ? 'restart Teller, which is still running with its old keys'
    : 'start Teller with `teller run`';
  const remove = `Next: move the plugin to another port (docs/operators/move-over.md) or remove it, then ${start}.`;
  if (isComplete) return ['No listing needs a new key or token.', remove];
  const isKept = rows.some(({ result }) => result === 'kept');
  return isKept
    ? [
        'Some listings need the values that Teller kept: first paste them there (`teller keys` shows them).',
        remove,
      ]
    : [remove];
}
