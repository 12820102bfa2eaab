import type { Clock } from '../core/clock.ts';
import { type ImportTools, importVotes, type VotesReport } from '../operator/import-votes.ts';
import { accountName } from '../platform/account.ts';
import type { Terminal } from '../platform/terminal.ts';
import { textOf } from '../plugins/data-file.ts';
import { voteLines } from '../plugins/vote-lines.ts';
import { action, type ExitCode, printJson } from './command.ts';
import { Command } from './commander.ts';
import { DEFAULT_CONFIG } from './config-flag.ts';
import { noteOlderConfig } from './older-config.ts';
import { changeLedger } from './with-ledger.ts';

export const importVotesCommand = (terminal: Terminal, clock: Clock) =>
  new Command('votes')
    .description('import single votes of the time before Teller; they count, and nothing is paid for them')
    .argument('<file>', 'JSON lines or CSV, with player, service, time and, optionally, address')
    .option('--config <file>', 'the config file', DEFAULT_CONFIG)
    .option('--json', 'print JSON, for scripts')
    .action(
      action(terminal, (file, { config: configFile, json = false }) =>
        changeLedger(configFile, clock, async (ledger, config, time): Promise<ExitCode> => {
          await noteOlderConfig(config, terminal, json);
          const lines = voteLines(textOf(file), config.players.bedrockPrefixes);
          const onProgress = importProgress(terminal, clock);
          const by = `votes by ${accountName()}`;
          const report = await importVotes(lines, { ledger, config, by, now: time.now(), onProgress });
          if (json) printJson(terminal, [report]);
          else for (const line of reportLines(report)) terminal.out(line);
          return report.faulty === 0 ? 0 : 1;
        }),
      ),
    );

const LINE_EVERY_MS = 2_000;

/** A line every few seconds. */
export function importProgress(terminal: Terminal, clock: Clock): ImportTools['onProgress'] {
  let shownAt = clock.monotonic();
  return (read) => {
    if (clock.monotonic() - shownAt < LINE_EVERY_MS) return;
    shownAt = clock.monotonic();
    terminal.err(`${read} entries read`);
  };
}

function reportLines({ faults, faulty, ...votes }: VotesReport): readonly string[] {
  const { counted, uncounted, same, receivedHere, passed } = votes;
  return [
    `votes imported: ${counted + uncounted}, of which in totals: ${counted}`,
    ...(uncounted === 0 ? [] : [`in no total: ${uncounted}, because another vote has the window`]),
    ...(same === 0 ? [] : [`in the ledger already: ${same}`]),
    ...(receivedHere === 0
      ? []
      : [
          `left out: ${receivedHere}, cast when Teller received votes of their service, so the ledger has them`,
        ]),
    ...(passed === 0
      ? []
      : [
          `reached elsewhere, so not paid here: ${passed} times a reward, as \`teller players show NAME\` lists`,
        ]),
    ...(faulty === 0 ? [] : [`no vote: ${faulty === 1 ? '1 line' : `${faulty} lines`}`]),
    ...faults.map(({ line, why }) => `  line ${line} ${why}`),
    ...(faulty > faults.length ? [`  and ${faulty - faults.length} more`] : []),
  ];
}
