import { type Config, zoneOf } from '../config/config.ts';
import { type Clock, pause } from '../core/clock.ts';
import { DAY_MS } from '../core/duration.ts';
import { isoTime } from '../core/instant.ts';
import { localTime, minuteText } from '../core/local-time.ts';
import { printable } from '../core/printable.ts';
import { shownService } from '../core/service-name.ts';
import type { GrantRow } from '../ledger/ledger.ts';
import { contextOf, type Explanation, explain } from '../operator/explain.ts';
import { answerFor } from '../operator/player/answer.ts';
import { isPaying } from '../operator/reload.ts';
import { isBeingSent } from '../operator/trace/grant-lines.ts';
import {
  noiseText,
  REFUSALS_LISTED_MAX,
  type RefusalFigure,
  refusalSenders,
} from '../operator/trace/refusals.ts';
import type { Shown } from '../operator/trace-json.ts';
import type { Terminal } from '../platform/terminal.ts';
import { action, type ExitCode, type FlagsOf, printJson } from './command.ts';
import { Command } from './commander.ts';
import { CONFIG_FLAG } from './config-flag.ts';
import { printDowntimes, printNotRunning } from './downtimes-print.ts';
import {
  explanationRows,
  printGiven,
  printPaidInstead,
  printTogether,
  printTraces,
} from './explain-print.ts';
import { Flags } from './flags.ts';
import { noteOlderConfig } from './older-config.ts';
import { readLedger } from './with-ledger.ts';

const LIMIT_MAX = 10_000;
/** As many as the console shows. */
const LIMIT = 10;

const newCommand = () =>
  new Command('explain')
    .description('show what became of a player’s votes: every decision, command and reply, newest vote last')
    .argument('<name>', 'the player or user ID, in upper or lower case; Bedrock names with their prefix')
    .option(
      '--limit <number>',
      `show at most this many of the latest votes (default: ${LIMIT}, with --json all)`,
    )
    .option('--all', 'show all votes')
    .option('--bytes', 'also show what was received, as text')
    .option(...CONFIG_FLAG)
    .option('--json', 'print JSON, for scripts');

type ExplainFlags = FlagsOf<typeof newCommand>;

/** Answers the question that operators get every day: why did this player get nothing? */
export const explainCommand = (terminal: Terminal, clock: Clock) =>
  newCommand().action(action(terminal, (name, flags) => run(name, flags, terminal, clock)));

function run(name: string, written: ExplainFlags, terminal: Terminal, clock: Clock): Promise<ExitCode> {
  const flags = new Flags();
  const given = flags.wholeNumber('--limit', written.limit, 1, LIMIT_MAX);
  flags.done();
  const limit = written.all ? LIMIT_MAX : (given ?? (written.json ? LIMIT_MAX : LIMIT));
  const isAtTerminal = terminal.interactive && !written.json;
  return readLedger(written.config, terminal, clock, async (ledger, config, time) => {
    await noteOlderConfig(config, terminal, written.json);
    const look = () =>
      explain(name, limit, ledger, config, { clock: time, isRunning: isPaying(config.ledger) });
    const explanation = await (isAtTerminal ? whenPaid(look, config, time) : look());
    const { queues, pauses } = explanation;
    const shown = { config, queues, pauses, bytes: written.bytes === true, now: time.now() };
    if (written.json) printJson(terminal, explanationRows(explanation, shown));
    // What was received is shown as it is, so the times beside it stay in UTC too.
    else if (!isAtTerminal || shown.bytes) print(terminal, explanation, shown, limit);
    else {
      const zone = zoneOf(config, time);
      terminal.err(`times are in ${zone}${zone === 'UTC' ? '' : '; --json has them in UTC'}`);
      print(withLocalTimes(terminal, zone), explanation, shown, limit);
    }
    return explanation.traces.length > 0 ? 0 : 1;
  });
}

function print(terminal: Terminal, explanation: Explanation, shown: Shown, limit: number): void {
  const { traces, refusals, otherNames } = explanation;
  printNotRunning(terminal, explanation);
  if (traces.length === 0) printNothing(terminal, explanation, shown);
  else {
    if (terminal.interactive) {
      terminal.out(answerFor(explanation, shown.now).sentence);
      terminal.out('');
    }
    printTraces(terminal, traces, shown, limit);
    // The missing vote may be a later one that was refused, or one under another name.
    printRefused(terminal, refusals, 'Refused since the last vote');
    printDowntimes(terminal, explanation, shown.config.sites);
    if (otherNames.length > 0) terminal.err(`there are also votes by ${otherNames.join(', ')}`);
  }
  printGiven(terminal, explanation, shown);
  printTogether(terminal, explanation, shown);
  printPaidInstead(terminal, explanation, shown);
}

/** Printed if this name has no votes: the possible reasons, most likely first. */
function printNothing(terminal: Terminal, explanation: Explanation, { config }: Shown): void {
  const { name, isAllowed, otherNames, refusals, noise } = explanation;
  terminal.out(`no vote by ${printable(name, 64)} has arrived`);
  if (!isAllowed) {
    const prefixes = config.players.bedrockPrefixes.map((prefix) => `"${prefix}"`).join(' or ');
    const bedrock = prefixes === '' ? '' : `, for Bedrock players after ${prefixes}`;
    terminal.out(
      `  no player can have this name, so votes for it are refused; a name is 1 to 16 of A-Z a-z 0-9 _${bedrock}`,
    );
  }
  if (otherNames.length > 0)
    terminal.out(`  similar names that did vote: ${otherNames.map((key) => printable(key)).join(', ')}`);
  if (!printRefused(terminal, refusals, 'Refused in the last 7 days')) {
    const refused =
      noise.length === 0
        ? 'nothing was refused in the last 7 days either'
        : `no vote was refused in the last 7 days, but ${noiseText(noise)}`;
    terminal.out(`  ${refused}${unless(explanation)} the site has not sent the vote to this port:`);
    terminal.out('  compare the address, the port and the key at the site with `teller keys`');
  }
  printDowntimes(terminal, explanation, config.sites);
}

function unless({ noise, downtimes }: Explanation): string {
  if (noise.length > 0) return '; if it was none of these,';
  return downtimes.length > 0 ? '; if it was not cast while no Teller was running,' : ', so';
}

/** How long a person waits at most, and how often it is looked whether everything is paid. */
const WAIT_MS = 3_000;
const LOOK_MS = 200;
/** What has changed so lately is likely to change again at once. */
const JUST_NOW_MS = 5_000;

/** What is being paid at this moment is shown once it is paid: somebody who tries Teller looks at once. */
async function whenPaid(
  look: () => Promise<Explanation>,
  config: Config,
  clock: Clock,
): Promise<Explanation> {
  const until = clock.monotonic() + WAIT_MS;
  for (;;) {
    const explanation = await look();
    if (!isStillPaying(explanation, config, clock.now()) || clock.monotonic() >= until) return explanation;
    await pause(clock, LOOK_MS);
  }
}

function isStillPaying(explanation: Explanation, config: Config, now: number): boolean {
  if (!explanation.isRunning) return false;
  const { traces, given, together } = explanation;
  const grants = [...traces.flatMap((trace) => trace.grants), ...given, ...together];
  return grants.some((grant) => isBeingPaid(grant, explanation, config, now));
}

function isBeingPaid(grant: GrantRow, explanation: Explanation, config: Config, now: number): boolean {
  if (grant.commands.some(isBeingSent)) return true;
  // On a practice server the player joins a moment after the vote.
  const isNext = grant.state === 'pending' || (grant.state === 'waiting' && grant.practice);
  const { queue, pauses } = contextOf(grant, config, explanation);
  const isStopped = queue?.reason != null || pauses.length > 0;
  return isNext && !isStopped && now - grant.changedAt < JUST_NOW_MS;
}

/** A terminal on which each time is shown as a clock on the wall shows it, to the second. */
const withLocalTimes = (terminal: Terminal, zone: string): Terminal => ({
  ...terminal,
  out: (line) => terminal.out(line.replace(INSTANT, (instant) => localText(Date.parse(instant), zone))),
});

/** As `isoTime` writes it. */
const INSTANT = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g;

function localText(at: number, zone: string): string {
  const { day, minute } = localTime(at, zone);
  return `${isoTime(day * DAY_MS).slice(0, 10)} ${minuteText(minute)}:${isoTime(at).slice(17, 19)}`;
}

/**
 * Refusals keep no player names, so any of them may be the missing vote. Returns whether there are any.
 *
 * @param heading `Refused in the last 7 days`
 */
function printRefused(terminal: Terminal, figures: readonly RefusalFigure[], heading: string): boolean {
  if (figures.length === 0) return false;
  terminal.out('');
  terminal.out(`${heading}; the missing vote may be one of these:`);
  for (const figure of figures.slice(0, REFUSALS_LISTED_MAX)) terminal.out(`  ${refusedLine(figure)}`);
  const left = figures.length - REFUSALS_LISTED_MAX;
  if (left > 0) terminal.out(`  and ${left} other kinds; \`teller sites\` lists them all`);
  return true;
}

function refusedLine(figure: RefusalFigure): string {
  const { service, count, lastAt, cause, code } = figure;
  const who = `${refusalSenders(figure)}${service === null ? '' : ` for “${shownService(service, 64)}”`}`;
  const times = count === 1 ? '' : `${count} times, last `;
  return `${times}${isoTime(lastAt)}: ${who} ${cause} [${code}]`;
}
