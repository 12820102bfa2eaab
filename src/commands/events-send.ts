import { loadConfig } from '../config/load.ts';
import { durationText } from '../core/duration.ts';
import { printable } from '../core/printable.ts';
import { Problem } from '../core/problem.ts';
import { type EventTest, testEvents } from '../operator/events/test-posts.ts';
import { ledgerClock } from '../operator/practice-clock.ts';
import type { Terminal } from '../platform/terminal.ts';
import { action, type ExitCode, type FlagsOf, printJson } from './command.ts';
import { Command } from './commander.ts';
import { DEFAULT_CONFIG } from './config-flag.ts';
import type { RunParts } from './run.ts';
import { changeLedger } from './with-ledger.ts';

export type EventsTools = Pick<RunParts, 'clock' | 'random'>;

const newTest = () =>
  new Command('test')
    .description('post a test event to each receiver of `events`, and show what came back')
    .option('--config <file>', `the config file (default: ${DEFAULT_CONFIG})`)
    .option('--json', 'print JSON, for scripts');

const newResend = () =>
  new Command('resend')
    .description('send undelivered events again')
    .option('--config <file>', `the config file (default: ${DEFAULT_CONFIG})`)
    .option('--json', 'print JSON, for scripts');

type Flags = FlagsOf<typeof newTest> & { readonly config: string };

export const eventsTestCommand = (terminal: Terminal, tools: EventsTools) =>
  newTest().action(
    action(terminal, (flags, { parent }) =>
      test({ ...flags, config: flags.config ?? configOf(parent) }, terminal, tools),
    ),
  );

export const eventsResendCommand = (terminal: Terminal, tools: EventsTools) =>
  newResend().action(
    action(terminal, (flags, { parent }) =>
      resend({ ...flags, config: flags.config ?? configOf(parent) }, terminal, tools),
    ),
  );

const configOf = (parent: { getOptionValue(name: string): unknown } | null): string =>
  String(parent?.getOptionValue('config') ?? DEFAULT_CONFIG);

/** Exits with 1 if a receiver did not get it. */
async function test({ config, json }: Flags, terminal: Terminal, tools: EventsTools): Promise<ExitCode> {
  const loaded = await loadConfig(config);
  const { events } = loaded;
  if (events.length === 0)
    throw new Problem(
      'events-none',
      'The config has no `events`, so no receiver is told; add `events` with a receiver.',
    );
  const results = await testEvents(events, { ...tools, clock: ledgerClock(loaded, tools.clock) });
  if (json) printJson(terminal, results);
  else for (const result of results) printTest(terminal, result);
  return results.every(({ kind }) => kind === 'arrived') ? 0 : 1;
}

function printTest(terminal: Terminal, result: EventTest): void {
  const name = printable(result.receiver);
  if (result.kind === 'arrived')
    terminal.out(
      `${name}: the test event arrived (HTTP ${result.status}, ${durationText(result.durationMs)})`,
    );
  else {
    terminal.out(`${name}: the test event did not arrive: ${result.sentence} [${result.code}]`);
    terminal.err(`${name}: what to do: ${result.toDo}`);
  }
  if (result.response !== '') terminal.out(`${name} answered: ${printable(result.response)}`);
}

async function resend(
  { config, json }: Flags,
  terminal: Terminal,
  { clock }: EventsTools,
): Promise<ExitCode> {
  const count = await changeLedger(config, clock, (ledger) => ledger.resendEvents());
  if (json) printJson(terminal, [{ events: count }]);
  else terminal.out(resentText(count));
  return 0;
}

function resentText(count: number): string {
  if (count === 0) return 'no event is undelivered';
  const what = count === 1 ? '1 event is' : `${count} events are`;
  return `${what} sent again by the Teller that delivers`;
}
