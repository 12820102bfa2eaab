import path from 'node:path';
import { type Config, forwardTargets } from '../config/config.ts';
import type { ImportSource } from '../core/player-balance.ts';
import { Problem } from '../core/problem.ts';
import { importBalances } from '../operator/import-balances.ts';
import { accountName } from '../platform/account.ts';
import type { Terminal } from '../platform/terminal.ts';
import { readSuperbVote } from '../plugins/superbvote/files.ts';
import { superbVoteSource } from '../plugins/superbvote/source.ts';
import { playersWith, readVotingPlugin } from '../plugins/votingplugin/files.ts';
import { votingPluginSource } from '../plugins/votingplugin/source.ts';
import { action, type ExitCode, printJson } from './command.ts';
import { Command } from './commander.ts';
import { DEFAULT_CONFIG } from './config-flag.ts';
import type { ImportTools } from './import-conversion.ts';
import { balancesJson, balancesLines } from './import-players-print.ts';
import { importProgress } from './import-votes.ts';
import { noteOlderConfig } from './older-config.ts';
import { changeLedger } from './with-ledger.ts';

type Open = (given: string, data: string | null, bedrockPrefixes: readonly string[]) => Promise<ImportSource>;

const PLUGINS: Readonly<Record<string, Open>> = {
  votingplugin: async (given, data, bedrockPrefixes) =>
    votingPluginSource(playersWith(await readVotingPlugin(given), data, bedrockPrefixes)),
  superbvote: async (given, data, bedrockPrefixes) => {
    const { folder, config } = await readSuperbVote(given);
    return superbVoteSource({ folder, data: data ?? votesFileOf(folder, config), bedrockPrefixes });
  },
};

export const importPlayersCommand = (terminal: Terminal, { clock, random }: ImportTools) =>
  new Command('players')
    .description(
      'import totals, days in a row and last votes of players; they count on, and nothing is paid for them',
    )
    .argument('<plugin>', Object.keys(PLUGINS).join(' or '))
    .argument('<path>', 'the folder of the plugin, or its config')
    .option('--data <file>', 'a MySQL dump, CSV file or database of its players (default: in the folder)')
    .option('--server <name>', 'where to run commands that the plugin owes (default: the only game server)')
    .option('--party <names>', 'parties of the config that go on from the count of the plugin’s vote party')
    .option('--replace', 'where an earlier import stored another value, take the new one')
    .option('--config <file>', 'the config file', DEFAULT_CONFIG)
    .option('--json', 'print JSON, for scripts')
    .action(
      action(
        terminal,
        (plugin, given, { config: configFile, data = null, server, party, replace = false, json = false }) =>
          changeLedger(configFile, clock, async (ledger, config, time): Promise<ExitCode> => {
            await noteOlderConfig(config, terminal, json);
            const source = await opened(plugin, given, data, config.players.bedrockPrefixes);
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
async function opened(plugin: string, ...given: Parameters<Open>): Promise<ImportSource> {
  const open = PLUGINS[plugin];
  if (open === undefined)
    throw new Problem(
      'usage',
      `players of "${plugin}" cannot be imported, only of ${Object.keys(PLUGINS).join(' or ')}`,
    );
  return open(...given);
}

/** Where SuperbVote keeps its votes, unless it is MySQL. @throws Problem `import-nothing` */
function votesFileOf(folder: string, config: Readonly<Record<string, unknown>>): string {
  const storage = sectionOf(config, 'storage');
  if (storage.database !== undefined && storage.database !== 'json')
    throw new Problem(
      'import-nothing',
      `SuperbVote stores its votes in MySQL: export its tables with mysqldump, and name that file with --data`,
    );
  const file = sectionOf(storage, 'json').file;
  return path.join(folder, typeof file === 'string' ? file : 'votes.json');
}

function sectionOf(of: Readonly<Record<string, unknown>>, key: string): Readonly<Record<string, unknown>> {
  const value = of[key];
  return value !== null && typeof value === 'object' ? (value as Readonly<Record<string, unknown>>) : {};
}
