import { zoneOf } from '../config/config.ts';
import type { Clock } from '../core/clock.ts';
import { type Explanation, explain } from '../operator/explain.ts';
import { answerFor } from '../operator/player/answer.ts';
import { isPaying } from '../operator/reload.ts';
import type { Shown } from '../operator/trace-json.ts';
import type { Terminal } from '../platform/terminal.ts';
import { action, type ExitCode, type FlagsOf, printJson } from './command.ts';
import { Command } from './commander.ts';
import { CONFIG_FLAG } from './config-flag.ts';
import { printDowntimes, printNotRunning } from './downtimes-print.ts';
import { whenPaid, withLocalTimes } from './explain-at-terminal.ts';
import { printNothing } from './explain-nothing.ts';
import {
  explanationRows,
  printGiven,
  printPaidInstead,
  printTogether,
  printTraces,
} from './explain-print.ts';
import { printRefused } from './explain-refused.ts';
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
