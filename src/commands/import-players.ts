import type { Clock } from '../core/clock.ts';
import type { ImportSource } from '../core/player-balance.ts';
import { Problem } from '../core/problem.ts';
import { importBalances } from '../operator/import-balances.ts';
import { accountName } from '../platform/account.ts';
import type { Terminal } from '../platform/terminal.ts';
import { playersWith, readVotingPlugin } from '../plugins/votingplugin/files.ts';
import { tableSource, votingPluginSource } from '../plugins/votingplugin/source.ts';
import { action, type ExitCode, printJson } from './command.ts';
import { Command } from './commander.ts';
import { DEFAULT_CONFIG } from './config-flag.ts';
import { balancesJson, balancesLines } from './import-players-print.ts';
import { importProgress } from './import-votes.ts';
import { noteOlderConfig } from './older-config.ts';
import { changeLedger } from './with-ledger.ts';

type Open = (given: string, data: string | null, bedrockPrefixes: readonly string[]) => Promise<ImportSource>;

const SOURCES: Readonly<Record<string, Open>> = {
  votingplugin: async (given, data, bedrockPrefixes) =>
    votingPluginSource(playersWith(await readVotingPlugin(given), data, bedrockPrefixes)),
  table: async (given, _, bedrockPrefixes) => tableSource(given, bedrockPrefixes),
};

export const importPlayersCommand = (terminal: Terminal, clock: Clock) =>
  new Command('players')
    .description(
      'import totals, days in a row and last votes of players; they count on, and nothing is paid for them',
    )
    .argument('<source>', Object.keys(SOURCES).join(' or '))
    .argument('<path>', 'the folder of VotingPlugin, or the table: CSV, TSV or JSON lines')
    .option(
      '--data <file>',
      'its table of players as CSV, TSV or JSON lines, or its database (default: in the folder)',
    )
    .option('--config <file>', 'the config file', DEFAULT_CONFIG)
    .option('--json', 'print JSON, for scripts')
    .action(
      action(terminal, (from, given, { config: configFile, data = null, json = false }) =>
        changeLedger(configFile, clock, async (ledger, config, time): Promise<ExitCode> => {
          await noteOlderConfig(config, terminal, json);
          const source = await opened(from, given, data, config.players.bedrockPrefixes);
          const by = `${source.name} by ${accountName()}`;
          const onProgress = importProgress(terminal, clock);
          const report = await importBalances(source, { ledger, config, by, now: time.now(), onProgress });
          if (json) printJson(terminal, [balancesJson(report)]);
          else for (const line of balancesLines(report)) terminal.out(line);
          return report.faulty === 0 ? 0 : 1;
        }),
      ),
    );

/** @throws Problem `usage`, `import-nothing`, `import-unreadable` */
async function opened(from: string, ...given: Parameters<Open>): Promise<ImportSource> {
  const open = SOURCES[from];
  if (open === undefined)
    throw new Problem(
      'usage',
      `players of "${from}" cannot be imported, only from ${Object.keys(SOURCES).join(' or ')}`,
    );
  return open(...given);
}
