import type { Config } from '../config/config.ts';
import { type PluginSetup, readVotifierPlugin } from '../config/votifier-plugin.ts';
import type { Clock } from '../core/clock.ts';
import type { Random } from '../core/random.ts';
import { openLedger } from '../ledger/ledger.ts';
import { conversionSteps } from '../operator/import-conversion.ts';
import { type ImportResultOf, importInto } from '../operator/import-into.ts';
import { importSteps, type Step } from '../operator/import-steps.ts';
import { printingSafely, type Terminal } from '../platform/terminal.ts';
import { convertVotingPlugin, readVotingPlugin } from '../plugins/votingplugin-config.ts';
import { action, type ExitCode, printJson, printTable } from './command.ts';
import { Command } from './commander.ts';
import { DEFAULT_CONFIG } from './config-flag.ts';
import { importPlayersCommand, importVotesCommand } from './import-history.ts';

interface ImportTools {
  readonly clock: Clock;
  readonly random: Random;
}

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

/**
 * Imports the plugin's keys, tokens, port and protocols, so that no listing needs new ones. Never overwrites a key or
 * token of Teller's that a listing may use.
 */
const nuvotifierCommand = (terminal: Terminal, tools: ImportTools) =>
  new Command('nuvotifier')
    .description(
      "import from a NuVotifier plugin's folder; keys and tokens that votes have used are never replaced",
    )
    .argument('<dir>', 'the folder of the plugin, the game server or the proxy')
    .option('--keep-existing', 'if Teller keeps some values of its own, import the rest anyway')
    .option('--config <file>', 'the config file; created if it does not exist', DEFAULT_CONFIG)
    .option('--json', 'print JSON, for scripts')
    .action(
      action(terminal, async (dir, { config, keepExisting = false, json = false }): Promise<ExitCode> => {
        const setup = await readVotifierPlugin(dir);
        const imported = await importInto(config, partsOf(tools, keepExisting), (target) =>
          importSteps(setup, target),
        );
        const next = [...missing(setup), ...nextForListener(imported, isComplete(setup, imported))];
        return print(terminal, json, setup.folder, imported, next);
      }),
    );

const votingPluginCommand = (terminal: Terminal, tools: ImportTools) =>
  new Command('votingplugin')
    .description(
      'convert sites and rewards of VotingPlugin; what the config has already is never overwritten',
    )
    .argument('<dir>', 'the folder of the plugin, or of the game server')
    .option(
      '--servers <names>',
      'game servers on which rewards are paid: names, "all" or "where-online"; needed if the config has several',
    )
    .option('--dry-run', 'show what would be written, and write nothing')
    .option('--keep-existing', 'if Teller keeps some values of its own, import the rest anyway')
    .option('--config <file>', 'the config file; created if it does not exist', DEFAULT_CONFIG)
    .option('--json', 'print JSON, for scripts')
    .action(
      action(terminal, async (dir, options): Promise<ExitCode> => {
        const { config, servers, dryRun = false, keepExisting = false, json = false } = options;
        const { folder, files } = await readVotingPlugin(dir);
        const conversion = convertVotingPlugin(files);
        const parts = { ...partsOf(tools, keepExisting), dryRun };
        const imported = await importInto(config, parts, (target) =>
          conversionSteps(conversion, target, servers ?? null),
        );
        const written = dryRun ? JSON.stringify(conversion.fragment, null, 2).split('\n') : [];
        return print(terminal, json, folder, imported, nextForConfig(imported, dryRun), written);
      }),
    );

const partsOf = ({ clock, random }: ImportTools, keepExisting: boolean) => ({
  ...{ clock, random, keepExisting },
  openLedger: (file: string) => openLedger(file, 'read', { clock }),
});

/** @param planned the lines that would be written; none if they are written. */
function print(
  terminal: Terminal,
  json: boolean,
  folder: string,
  { rows }: ImportResultOf,
  next: readonly string[],
  planned: readonly string[] = [],
): ExitCode {
  if (json) printJson(terminal, rows);
  else {
    terminal.out(`importing from ${folder}`);
    printTable(
      terminal,
      rows.map(({ what, result, sentence }) => [result, shortened(what), sentence]),
    );
    for (const line of planned) terminal.out(line);
    for (const line of next) terminal.err(line);
  }
  return rows.some(({ result }) => result === 'kept') ? 1 : 0;
}

/** How many of the keys that share one sentence are printed. */
const KEYS_SHOWN = 3;

/** `--json` has all of them. */
function shortened(what: string): string {
  const keys = what.split(', ');
  const left = keys.length - KEYS_SHOWN;
  return left < 2 ? what : `${keys.slice(0, KEYS_SHOWN).join(', ')} and ${left} more`;
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

const NOTHING_LEFT_TO_DO: readonly Step['result'][] = ['taken', 'replaced', 'same', 'not-imported'];

/**
 * No listing has to change anything: Teller has every key and token that the listings use. Not so if the plugin lacks what
 * its protocols need: perhaps it never started, or this is the wrong folder.
 */
const isComplete = (
  { pair, acceptsV1, tokens }: PluginSetup,
  { steps, config: { sites } }: { readonly steps: readonly Step[]; readonly config: Config },
): boolean =>
  steps.every(({ result }) => NOTHING_LEFT_TO_DO.includes(result)) &&
  (acceptsV1 ? pair !== null : tokens.size > 0) &&
  [...sites.values()].every(({ protocols, isFrom }) => protocols === null && isFrom === null);

/** What is left to do. The plugin stays in place until the listings no longer need it. */
function nextForListener(
  { rows, isWritten, isRunning }: ImportResultOf,
  isComplete: boolean,
): readonly string[] {
  if (!isWritten)
    return [
      'Nothing was written, because Teller keeps other values. Next: fix the lines marked “kept” and import again, or import the rest with --keep-existing. Leave the plugin in place until then.',
    ];
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

function nextForConfig({ rows, isWritten, isRunning }: ImportResultOf, dryRun: boolean): readonly string[] {
  if (dryRun) return ['Nothing was written. Next: import without --dry-run.'];
  if (!isWritten)
    return [
      'Nothing was written, because Teller keeps other values. Next: change the lines marked “kept” and import again, or import the rest with --keep-existing.',
    ];
  const left = rows.filter(({ result }) => result === 'not-imported').length;
  return [
    ...(left === 0 ? [] : [`Read the ${left} lines marked “not-imported”: each says what to do instead.`]),
    'Next: look at what a vote would pay with `teller preview NAME`, and let `teller check` look at everything.',
    ...(isRunning ? ['A running Teller still has its old config until `teller reload`.'] : []),
  ];
}
