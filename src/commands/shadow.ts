import path from 'node:path';
import type { Config } from '../config/config.ts';
import { zoneOf } from '../config/config.ts';
import type { Clock } from '../core/clock.ts';
import { isoTime, isoTimeOrNull } from '../core/instant.ts';
import { parseDay } from '../core/period.ts';
import { Problem } from '../core/problem.ts';
import { type Payments, type ShadowReport, shadowReport } from '../operator/shadow/report.ts';
import type { Terminal } from '../platform/terminal.ts';
import { textOf } from '../plugins/data-file.ts';
import { dayInName } from '../plugins/log-days.ts';
import { type PaymentFile, type PaymentLine, paymentLines } from '../plugins/payment-lines.ts';
import { action, type ExitCode, type FlagsOf } from './command.ts';
import { Command } from './commander.ts';
import { CONFIG_FLAG } from './config-flag.ts';
import { Flags } from './flags.ts';
import { noteOlderConfig } from './older-config.ts';
import { printReport } from './shadow-print.ts';
import { readLedger } from './with-ledger.ts';

const NOTES = `
FILE is what the other side paid, one line for each vote that it paid: CSV with the columns player and, if it has them,
time and service; JSON lines with these keys; or, with --line, any log:
  --line '^\\[(?<time>[\\d:]{8}).* Gave 1 \\[Diamond\\] to (?<player>[\\w.*]+)'
If it only has what one reward paid, name that reward with --reward: then only votes that earned it have to be in FILE.
Times without a zone are in the time zone of the config. If they have no day either, like 18:00:01, name it with --day,
unless the name of the file begins with it: 2026-11-20-1.log
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
    .option(
      '--day <date>',
      'the day of the first line of a log whose times are like 18:00:01 (default: that in its name)',
    )
    .option('--reward <name>', 'compare only votes that earned this reward; FILE is what was paid for it')
    .option('--limit <number>', 'show at most so many players of each kind', '20')
    .option(...CONFIG_FLAG)
    .option('--json', 'print JSON, for scripts')
    .addHelpText('after', NOTES);

type ReportFlags = FlagsOf<typeof newReport>;

async function report(written: ReportFlags, terminal: Terminal, clock: Clock): Promise<ExitCode> {
  return readLedger(written.config, terminal, clock, async (ledger, config, time): Promise<ExitCode> => {
    const flags = new Flags();
    const since = flags.since('--since', written.since, time.now()) ?? 0;
    const limit = flags.wholeNumber('--limit', written.limit, 1, 100_000) ?? 0;
    const file = fileOf(written, flags);
    flags.done();
    await noteOlderConfig(config, terminal, written.json);
    const { reward = null } = written;
    if (reward !== null) requireReward(reward, config);
    const paid = file === null ? null : { reward, by: await paymentsIn(file, config, clock, terminal) };
    const found = await shadowReport(ledger, since, paid);
    if (written.json) terminal.out(JSON.stringify(reportJson(found, since)));
    else printReport(terminal, found, { since, limit, against: file?.name ?? null });
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

/** What the other side paid. */
interface PaidFile extends Pick<PaymentFile, 'pattern' | 'day'> {
  readonly name: string;
}

/** null: there is none. */
function fileOf({ against: name, line, day, reward }: ReportFlags, flags: Flags): PaidFile | null {
  if (name === undefined) {
    for (const [flag, value] of Object.entries({ line, day, reward }))
      if (value !== undefined) flags.fault(`--${flag} needs --against`);
    return null;
  }
  if (day !== undefined && parseDay(day) === null)
    flags.fault(`--day must be a date such as 2026-11-20, not ${JSON.stringify(day)}`);
  const pattern = line === undefined ? null : patternOf(line, flags);
  return { name, pattern, day: day ?? dayInName(path.basename(name)) };
}

function patternOf(line: string, flags: Flags): RegExp | null {
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
  { name, pattern, day }: PaidFile,
  config: Config,
  clock: Clock,
  terminal: Terminal,
): Promise<Payments> {
  const { bedrockPrefixes } = config.players;
  const settings = { pattern, day, bedrockPrefixes, zone: zoneOf(config, clock) };
  const payments = new Map<string, PaymentLine[]>();
  for await (const line of paymentLines(textOf(name), settings)) {
    if (line.kind === 'unusable') terminal.err(`${name}:${line.line} ${line.why}`);
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
