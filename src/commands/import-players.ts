import { type Config, forwardTargets } from '../config/config.ts';
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
import type { ImportTools } from './import-conversion.ts';
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

export const importPlayersCommand = (terminal: Terminal, { clock, random }: ImportTools) =>
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
    .option('--server <name>', 'where to run commands that the plugin owes (default: the only game server)')
    .option('--party <names>', 'parties of the config that go on from the count of the plugin’s vote party')
    .option('--replace', 'where an earlier import stored another value, take the new one')
    .option('--config <file>', 'the config file', DEFAULT_CONFIG)
    .option('--json', 'print JSON, for scripts')
    .action(
      action(
        terminal,
        (from, given, { config: configFile, data = null, server, party, replace = false, json = false }) =>
          changeLedger(configFile, clock, async (ledger, config, time): Promise<ExitCode> => {
            await noteOlderConfig(config, terminal, json);
            const source = await opened(from, given, data, config.players.bedrockPrefixes);
            const by = `${source.name} by ${accountName()}`;
            const onProgress = importProgress(terminal, clock);
            const owedOn = owedServer(config, server);
            const parties = partiesNamed(config, party);
            const report = await importBalances(source, {
              ...{
                ledger,
                config,
                by,
                now: time.now(),
                isReplacing: replace,
                onProgress,
                owedOn,
                parties,
                random,
              },
            });
            if (json) printJson(terminal, [balancesJson(report)]);
            else for (const line of balancesLines(report)) terminal.out(line);
            return report.faulty === 0 ? 0 : 1;
          }),
      ),
    );

/** null: there are several, and none is named. @throws Problem `usage` */
function owedServer(config: Config, named: string | undefined): string | null {
  const targets = new Set(forwardTargets(config).map(({ server }) => server));
  const servers = [...config.gameServers.keys()].filter((name) => !targets.has(name));
  if (named !== undefined && !servers.includes(named))
    throw new Problem('usage', `--server must be one of ${servers.join(', ')}, not "${named}"`);
  return named ?? (servers.length === 1 ? (servers[0] ?? null) : null);
}

/** @throws Problem `usage` */
function partiesNamed(config: Config, names: string | undefined): Config['party'] {
  return (names?.split(',') ?? []).map((name) => {
    const party = config.party.find((each) => each.name === name.trim());
    if (party !== undefined) return party;
    const known = config.party.map((each) => each.name).join(', ');
    throw new Problem(
      'usage',
      `--party: "${name.trim()}" is no party of the config; its parties: ${known || 'none'}`,
    );
  });
}

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
