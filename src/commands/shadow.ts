import type { Config } from '../config/config.ts';
import { zoneOf } from '../config/config.ts';
import type { Clock } from '../core/clock.ts';
import { isoTime, isoTimeOrNull } from '../core/instant.ts';
import { Problem } from '../core/problem.ts';
import { textOf } from '../plugins/data-file.ts';
import { type PaymentLine, paymentLines } from '../plugins/payment-lines.ts';
import {
  type Payments,
  type ShadowReport,
  shadowReport,
  type TheirPayments,
} from '../operator/shadow/report.ts';
import type { Terminal } from '../runtime/terminal.ts';
import { action, type ExitCode, type FlagsOf } from './command.ts';
import { Command } from './commander.ts';
import { CONFIG_FLAG } from './config-flag.ts';
import { Flags } from './flags.ts';
import { noteOlderConfig } from './older-config.ts';
import { printReport } from './shadow-print.ts';
import { withLedger } from './with-ledger.ts';

const NOTES = `
FILE is what the other side paid, one line for each vote that it paid: CSV with the columns player and, if it has them,
time and service; JSON lines with these keys; or, with --line, any log:
  --line '\\[(?<time>.{19})\\] Gave 1 \\[Diamond\\] to (?<player>\\S+)'
If it only has what one reward paid, name that reward with --reward: then only votes that earned it have to be in FILE.
Times without a zone are in the time zone of the config.
`;

export const shadowCommand = (terminal: Terminal, clock: Clock) =>
  new Command('shadow')
    .description('report what Teller would have paid while another listener pays, and what that one missed')
    .addCommand(newReport().action(action(terminal, (flags) => report(flags, terminal, clock))));

const newReport = () =>
  new Command('report')
    .description(
      'show what was decided and left to the other side, and compare it with what that one paid; exits 1 if they differ',
    )
    .option(
      '--since <time>',
      'votes received since then: a duration ("24h") or an ISO date or date-time',
      '24h',
    )
    .option('--against <file>', 'what the other side paid: CSV, JSON lines, or a log with --line')
    .option(
      '--line <pattern>',
      'a regular expression with the groups player, time and service for lines of a log',
    )
    .option('--reward <name>', 'compare only votes that earned this reward; FILE is what was paid for it')
    .option('--limit <number>', 'show at most so many players of each kind', '20')
    .option(...CONFIG_FLAG)
    .option('--json', 'print JSON, for scripts')
    .addHelpText('after', NOTES);

type ReportFlags = FlagsOf<typeof newReport>;

async function report(written: ReportFlags, terminal: Terminal, clock: Clock): Promise<ExitCode> {
  const flags = new Flags();
  const since = flags.since('--since', written.since, clock.now()) ?? 0;
  const limit = flags.wholeNumber('--limit', written.limit, 1, 100_000) ?? 0;
  const pattern = patternOf(written, flags);
  if (written.reward !== undefined && written.against === undefined) flags.fault('--reward needs --against');
  flags.done();
  return withLedger(written.config, 'read', clock, async (ledger, config): Promise<ExitCode> => {
    await noteOlderConfig(config, terminal, written.json);
    const { against, reward = null } = written;
    if (reward !== null) requireReward(reward, config);
    const by = against === undefined ? null : await paymentsIn(against, pattern, config, clock, terminal);
    const read: TheirPayments | null = by === null ? null : { reward, by };
    const found = await shadowReport(ledger, since, read);
    if (written.json) terminal.out(JSON.stringify(reportJson(found, since)));
    else printReport(terminal, found, { since, limit, against: against ?? null });
    return (found.compared?.players ?? []).some(isFailure) ? 1 : 0;
  });
}

/** @throws Problem `usage` */
function requireReward(reward: string, { rewards }: Config): void {
  if (rewards.some(({ name }) => name === reward)) return;
  throw new Problem('usage', `--reward: the config has no reward ${JSON.stringify(reward)}`);
}

/** Payments without a vote may be of votes before. */
const isFailure = ({ unpaid, twice, notOwed }: NonNullable<ShadowReport['compared']>['players'][number]) =>
  unpaid.length + twice.length + notOwed.length > 0;

function patternOf({ line, against }: ReportFlags, flags: Flags): RegExp | null {
  if (line === undefined) return null;
  if (against === undefined) flags.fault('--line needs --against');
  try {
    const pattern = new RegExp(line, 'u');
    if (!line.includes('(?<player>')) flags.fault('--line needs a group for the player: (?<player>\\S+)');
    return pattern;
  } catch (error) {
    flags.fault(`--line is no regular expression: ${(error as Error).message}`);
    return null;
  }
}

async function paymentsIn(
  file: string,
  pattern: RegExp | null,
  config: Config,
  clock: Clock,
  terminal: Terminal,
): Promise<Payments> {
  const settings = { pattern, bedrockPrefixes: config.players.bedrockPrefixes, zone: zoneOf(config, clock) };
  const payments = new Map<string, PaymentLine[]>();
  for await (const line of paymentLines(textOf(file), settings)) {
    if (line.kind === 'unusable') terminal.err(`${file}:${line.line} ${line.why}`);
    else {
      const known = payments.get(line.player);
      if (known === undefined) payments.set(line.player, [line]);
      else known.push(line);
    }
  }
  return payments;
}

/** Scripts rely on the fields. */
const reportJson = ({ rewards, players, lacking, compared }: ShadowReport, since: number) => ({
  since: isoTime(since),
  rewards,
  players: players.map((each) => ({ ...each, rewards: Object.fromEntries(each.rewards) })),
  lacking,
  compared:
    compared === null
      ? null
      : {
          payments: compared.payments,
          players: compared.players.map(({ player, owed, unpaid, ...payments }) => ({
            player,
            owed,
            unpaid: unpaid.map(({ id, service, receivedAt }) => ({
              id,
              service,
              receivedAt: isoTime(receivedAt),
            })),
            twice: payments.twice.map(paymentJson),
            notOwed: payments.notOwed.map(paymentJson),
            withoutVote: payments.withoutVote.map(paymentJson),
          })),
        },
});

const paymentJson = ({ line, service, at }: { line: number; service: string | null; at: number | null }) => ({
  line,
  service,
  at: isoTimeOrNull(at),
});
