import type { Clock } from '../core/clock.ts';
import type { Random } from '../core/random.ts';
import { openLedger } from '../ledger/sqlite/in-process.ts';
import type { PaidOn } from '../operator/conversion-servers.ts';
import { conversionSteps } from '../operator/conversion-steps.ts';
import { type ImportResultOf, importInto } from '../operator/import-into.ts';
import type { Terminal } from '../platform/terminal.ts';
import type { Conversion } from '../plugins/conversion.ts';
import { convertVotingPlugin } from '../plugins/votingplugin/convert.ts';
import { readVotingPlugin } from '../plugins/votingplugin/files.ts';
import { action, type ExitCode, printJson, printTable } from './command.ts';
import { Command } from './commander.ts';
import { DEFAULT_CONFIG } from './config-flag.ts';

export interface ImportTools {
  readonly clock: Clock;
  readonly random: Random;
}

export const votingPluginCommand = (terminal: Terminal, { clock, random }: ImportTools) =>
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
        const open = (ledger: string) => openLedger(ledger, 'read', { clock });
        const parts = { clock, random, keepExisting, dryRun, openLedger: open };
        const imported = await importInto(config, parts, (target) =>
          conversionSteps(conversion, target, paidOn(servers)),
        );
        if (json) printJson(terminal, imported.rows);
        else printImport(terminal, folder, dryRun ? conversion : null, imported);
        return imported.rows.some(({ result }) => result === 'kept') ? 1 : 0;
      }),
    );

function paidOn(servers: string | undefined): PaidOn | null {
  if (servers === undefined) return null;
  if (servers === 'all' || servers === 'where-online') return servers;
  return servers
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
}

/** @param planned shown as it would be written; null: it is written. */
function printImport(
  terminal: Terminal,
  folder: string,
  planned: Conversion | null,
  imported: ImportResultOf,
): void {
  terminal.out(`importing from ${folder}`);
  printTable(
    terminal,
    imported.rows.map(({ what, result, sentence }) => [result, shortened(what), sentence]),
  );
  if (planned !== null)
    for (const line of JSON.stringify(planned.fragment, null, 2).split('\n')) terminal.out(line);
  for (const line of next(imported, planned !== null)) terminal.err(line);
}

/** How many of the keys that share one sentence are printed. */
const KEYS_SHOWN = 3;

/** `--json` has all of them. */
function shortened(what: string): string {
  const keys = what.split(', ');
  const left = keys.length - KEYS_SHOWN;
  return left < 2 ? what : `${keys.slice(0, KEYS_SHOWN).join(', ')} and ${left} more`;
}

/** What is left to do. */
function next({ rows, isWritten, isRunning }: ImportResultOf, dryRun: boolean): readonly string[] {
  if (dryRun) return ['Nothing was written. Next: import without --dry-run.'];
  if (!isWritten) {
    return [
      'Nothing was written, because Teller keeps other values. Next: change the lines marked “kept” and import again, or import the rest with --keep-existing.',
    ];
  }
  const left = rows.filter(({ result }) => result === 'not-imported').length;
  return [
    ...(left === 0 ? [] : [`Read the ${left} lines marked “not-imported”: each says what to do instead.`]),
    'Next: look at what a vote would pay with `teller preview NAME`, and let `teller check` look at everything.',
    ...(isRunning ? ['A running Teller still has its old config until `teller reload`.'] : []),
  ];
}
