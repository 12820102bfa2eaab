import { Command } from 'commander';
import { type PluginSetup, readVotifierPlugin } from '../config/votifier-plugin.ts';
import type { Clock } from '../core/clock.ts';
import type { Random } from '../core/random.ts';
import { openLedger } from '../ledger/sqlite-ledger.ts';
import { type ImportOutcome, importPlugin } from '../operator/import-plugin.ts';
import type { Terminal } from '../runtime/terminal.ts';
import { action, type ExitCode, printJson, printTable } from './command.ts';
import { DEFAULT_CONFIG } from './config-flag.ts';

interface Tools {
  readonly clock: Clock;
  readonly random: Random;
}

export const importCommand = (terminal: Terminal, tools: Tools): Command =>
  new Command('import')
    .description('import the keys, tokens and port of another listener, so that no listing needs new ones')
    .addCommand(nuvotifierCommand(terminal, tools));

interface ImportOptions {
  readonly config: string;
  readonly keepExisting?: boolean;
  readonly json?: boolean;
}

const nuvotifierCommand = (terminal: Terminal, { clock, random }: Tools): Command =>
  new Command('nuvotifier')
    .description("from a NuVotifier plugin's folder; keys and tokens that a vote came by are never replaced")
    .argument('<dir>', "the plugin's folder, or the server's or the proxy's")
    .option('--keep-existing', 'where Teller has another value that stays, import the rest')
    .option('--config <file>', 'the config; a first one is made where there is none', DEFAULT_CONFIG)
    .option('--json', 'for scripts')
    .action(
      action(terminal, async (dir: string, options: ImportOptions): Promise<ExitCode> => {
        const { config, keepExisting = false, json = false } = options;
        const setup = await readVotifierPlugin(dir);
        const parts = {
          ...{ clock, random, keepExisting },
          openLedger: (file: string) => openLedger(file, 'read', clock),
        };
        const outcome = await importPlugin(setup, config, parts);
        if (json) printJson(terminal, outcome.rows);
        else printOutcome(terminal, setup, outcome);
        return outcome.rows.some(({ result }) => result === 'kept') ? 1 : 0;
      }),
    );

function printOutcome(terminal: Terminal, setup: PluginSetup, outcome: ImportOutcome): void {
  terminal.out(`from ${setup.folder}`);
  printTable(
    terminal,
    outcome.rows.map(({ what, result, sentence }) => [result, what, sentence]),
  );
  for (const line of [...missing(setup), ...next(outcome)]) terminal.err(line);
}

const missing = ({ pair, tokens, acceptsV1 }: PluginSetup): readonly string[] => [
  ...(pair === null && acceptsV1
    ? ['The plugin has no RSA pair: v1 votes need the public key that `teller keys` shows.']
    : []),
  ...(tokens.size === 0 ? ['The plugin has no tokens: v2 votes need those that `teller keys` shows.'] : []),
];

/** Only what is left to do; the plugin stays until its listings can do without it. */
function next({ rows, isWritten, isComplete, isRunning }: ImportOutcome): readonly string[] {
  if (!isWritten) {
    return [
      'Nothing was written. Next: see to what is kept and import again, or import the rest with --keep-existing; leave the plugin in place until then.',
    ];
  }
  const start = isRunning ? 'restart Teller, which still runs with what it had' : '`teller run`';
  const remove = `Next: remove the plugin from the server or the proxy, so that the port is free, then ${start}.`;
  if (isComplete) return ['No listing needs a new key or token.', remove];
  const isKept = rows.some(({ result }) => result === 'kept');
  return isKept
    ? ['Some listings need what Teller kept: give it to them (`teller keys` shows it) first.', remove]
    : [remove];
}
