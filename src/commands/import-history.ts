import type { Config } from '../config/config.ts';
import type { Clock } from '../core/clock.ts';
import { isoTime } from '../core/instant.ts';
import type { ImportSource } from '../core/player-balance.ts';
import { Problem } from '../core/problem.ts';
import type { BalanceWhat } from '../ledger/ledger.ts';
import {
  type BalancesReport,
  type ImportTools,
  importBalances,
  importVotes,
  type VotesReport,
} from '../operator/import-history.ts';
import { accountName } from '../platform/account.ts';
import type { Terminal } from '../platform/terminal.ts';
import { textOf } from '../plugins/table.ts';
import { voteLines } from '../plugins/vote-lines.ts';
import { readVotingPlugin, servicesIn } from '../plugins/votingplugin-config.ts';
import { playersOfTable, votingPluginPlayers } from '../plugins/votingplugin-players.ts';
import { action, type ExitCode, printJson } from './command.ts';
import { Command } from './commander.ts';
import { DEFAULT_CONFIG } from './config-flag.ts';
import { noteOlderConfig } from './older-config.ts';
import { changeLedger } from './with-ledger.ts';

export const importPlayersCommand = (terminal: Terminal, clock: Clock) =>
  new Command('players')
    .description(
      'import totals, days in a row and last votes of players; they count on, and nothing is paid for them',
    )
    .argument('<source>', 'votingplugin or table')
    .argument('<path>', 'the folder of VotingPlugin, or the table: CSV, TSV or JSON lines')
    .option(
      '--data <file>',
      'its table of players as CSV, TSV or JSON lines, or its database (default: in the folder)',
    )
    .option('--config <file>', 'the config file', DEFAULT_CONFIG)
    .option('--json', 'print JSON, for scripts')
    .action(
      action(terminal, (from, given, { config, data = null, json = false }) =>
        importing(config, terminal, clock, json, async (tools) => {
          const source = await sourceOf(from, given, data, tools.config.players.bedrockPrefixes);
          const report = await importBalances(source, { ...tools, by: `${source.name} by ${tools.by}` });
          if (json) printJson(terminal, [{ ...report, asOf: isoTime(report.asOf) }]);
          else for (const line of balancesLines(report)) terminal.out(line);
          return report.faulty;
        }),
      ),
    );

export const importVotesCommand = (terminal: Terminal, clock: Clock) =>
  new Command('votes')
    .description('import single votes of the time before Teller; they count, and nothing is paid for them')
    .argument('<file>', 'JSON lines or CSV, with player, service and time')
    .option('--config <file>', 'the config file', DEFAULT_CONFIG)
    .option('--json', 'print JSON, for scripts')
    .action(
      action(terminal, (file, { config, json = false }) =>
        importing(config, terminal, clock, json, async (tools) => {
          const lines = voteLines(textOf(file), tools.config.players.bedrockPrefixes);
          const report = await importVotes(lines, { ...tools, by: `votes by ${tools.by}` });
          if (json) printJson(terminal, [report]);
          else for (const line of votesLines(report)) terminal.out(line);
          return report.faulty;
        }),
      ),
    );

const LINE_EVERY_MS = 2_000;

/** Prints a line every few seconds. @param body returns how many entries could not be imported. */
const importing = (
  configFile: string,
  terminal: Terminal,
  clock: Clock,
  json: boolean,
  body: (tools: ImportTools) => Promise<number>,
): Promise<ExitCode> =>
  changeLedger(configFile, clock, async (ledger, config: Config, time) => {
    await noteOlderConfig(config, terminal, json);
    let shownAt = clock.monotonic();
    const onProgress = (read: number): void => {
      if (clock.monotonic() - shownAt < LINE_EVERY_MS) return;
      shownAt = clock.monotonic();
      terminal.err(`${read} entries read`);
    };
    const faulty = await body({ ledger, config, by: accountName(), now: time.now(), onProgress });
    return faulty === 0 ? 0 : 1;
  });

/** @throws Problem `usage`, `import-nothing`, `import-unreadable` */
async function sourceOf(
  from: string,
  given: string,
  data: string | null,
  bedrockPrefixes: readonly string[],
): Promise<ImportSource> {
  if (from === 'table') return playersOfTable(given, bedrockPrefixes);
  if (from !== 'votingplugin')
    throw new Problem('usage', `players of "${from}" cannot be imported, only from votingplugin or table`);
  const { folder, files } = await readVotingPlugin(given);
  return votingPluginPlayers(folder, data, { services: servicesIn(files), bedrockPrefixes });
}

function votesLines({ faults, faulty, ...votes }: VotesReport): readonly string[] {
  const { counted, uncounted, same, receivedHere, passed } = votes;
  return [
    `votes imported: ${counted + uncounted}, of which in totals: ${counted}`,
    ...unless0(uncounted, `in no total: ${uncounted}, because another vote has the window`),
    ...unless0(same, `in the ledger already: ${same}`),
    ...unless0(
      receivedHere,
      `left out: ${receivedHere}, cast when Teller received votes of their service, so the ledger has them`,
    ),
    ...passedLines(passed),
    ...unless0(faulty, `no vote: ${faulty === 1 ? '1 line' : `${faulty} lines`}`),
    ...faults.map(({ line, why }) => `  line ${line} ${why}`),
    ...more(faulty, faults),
  ];
}

/** What each figure of a balance is called. */
export const BALANCE_WORDS: Readonly<Record<BalanceWhat, string>> = {
  total: 'votes in all',
  month: 'votes that month',
  run: 'days in a row',
  'best-run': 'days in a row at most',
};

function balancesLines(report: BalancesReport): readonly string[] {
  const { source, asOf, players, stored, same, notKept, faulty, faults } = report;
  const { counted, uncounted, same: known, receivedHere, passed } = report.lastVotes;
  const { differing, differences } = report;
  return [
    `players of ${source}, as of ${isoTime(asOf)}: ${players}, of which imported: ${stored}, the same as before: ${same}`,
    ...unless0(
      counted + uncounted + known + receivedHere,
      `last votes on a site: ${counted + uncounted} imported, ${known} in the ledger already, ${receivedHere} cast when Teller received votes of their service`,
    ),
    ...passedLines(passed),
    ...unless0(
      differing,
      `other values than in an earlier import: ${differing}; those of the earlier one stay`,
    ),
    ...differences.map(
      ({ player, what, was, is }) => `  ${player}: ${was} ${BALANCE_WORDS[what]} before, now ${is}`,
    ),
    ...more(differing, differences),
    ...unless0(
      notKept.undatedRuns,
      `not kept: days in a row without the time of the last one (players: ${notKept.undatedRuns})`,
    ),
    ...unless0(faulty, `not imported: ${faulty === 1 ? '1 entry' : `${faulty} entries`}`),
    ...faults.map(({ file, key, why }) => `  ${file}: ${key} ${why}`),
    ...more(faulty, faults),
  ];
}

const passedLines = (passed: number): readonly string[] =>
  unless0(
    passed,
    `reached elsewhere, so not paid here: ${passed} times a reward, as \`teller players show NAME\` lists`,
  );

const unless0 = (count: number, line: string): readonly string[] => (count === 0 ? [] : [line]);

const more = (all: number, shown: readonly unknown[]): readonly string[] =>
  unless0(all - shown.length, `  and ${all - shown.length} more`);
