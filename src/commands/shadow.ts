import type { Clock } from '../core/clock.ts';
import { isoTime } from '../core/instant.ts';
import { type ShadowReport, shadowReport } from '../operator/shadow/report.ts';
import type { Terminal } from '../platform/terminal.ts';
import { action, type ExitCode, type FlagsOf } from './command.ts';
import { Command } from './commander.ts';
import { CONFIG_FLAG } from './config-flag.ts';
import { Flags } from './flags.ts';
import { noteOlderConfig } from './older-config.ts';
import { printReport } from './shadow-print.ts';
import { readLedger } from './with-ledger.ts';

export const shadowCommand = (terminal: Terminal, clock: Clock) =>
  new Command('shadow')
    .description('report what Teller would have paid while another listener pays')
    .addCommand(newReport().action(action(terminal, (flags) => report(flags, terminal, clock))));

const newReport = () =>
  new Command('report')
    .description('show what was decided and left to the other side')
    .option(
      '--since <time>',
      'votes received since then: a duration ("24h") or an ISO date or date-time',
      '24h',
    )
    .option('--limit <number>', 'show at most so many players of each kind', '20')
    .option(...CONFIG_FLAG)
    .option('--json', 'print JSON, for scripts');

type ReportFlags = FlagsOf<typeof newReport>;

async function report(written: ReportFlags, terminal: Terminal, clock: Clock): Promise<ExitCode> {
  return readLedger(written.config, terminal, clock, async (ledger, config, time): Promise<ExitCode> => {
    const flags = new Flags();
    const since = flags.since('--since', written.since, time.now()) ?? 0;
    const limit = flags.wholeNumber('--limit', written.limit, 1, 100_000) ?? 0;
    flags.done();
    await noteOlderConfig(config, terminal, written.json);
    const found = await shadowReport(ledger, since);
    if (written.json) terminal.out(JSON.stringify(reportJson(found, since)));
    else printReport(terminal, found, { since, limit });
    return 0;
  });
}

/** Scripts rely on the fields. */
const reportJson = ({ rewards, players, lacking }: ShadowReport, since: number) => ({
  since: isoTime(since),
  rewards,
  players: players.map((each) => ({ ...each, rewards: Object.fromEntries(each.rewards) })),
  lacking,
});
