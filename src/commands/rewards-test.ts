import { zoneOf } from '../config/config.ts';
import { loadConfig } from '../config/load.ts';
import type { Clock } from '../core/clock.ts';
import { openTemporaryLedger } from '../ledger/ledger.ts';
import { type ConfigInUse, type ExamplesFile, readExamples } from '../operator/simulation/examples-file.ts';
import { type ExampleResult, runExamples } from '../operator/simulation/run-examples.ts';
import type { Terminal } from '../platform/terminal.ts';
import { action, type ExitCode, type FlagsOf, printJson } from './command.ts';
import { Command } from './commander.ts';
import { CONFIG_FLAG } from './config-flag.ts';
import { exampleJson, printExample } from './rewards-test-print.ts';

const NOTES = `
Each example is recorded in a ledger of its own, by the same code as real votes. Nothing is sent to a game server.
Exit codes: 0: all passed; 1: some failed; 2: a file or the config has to be corrected.
`;

const newCommand = () =>
  new Command('test')
    .description('check examples: given these votes, expect these commands')
    .argument('<files...>', 'files of examples, in JSON or YAML')
    .option(...CONFIG_FLAG)
    .option('--json', 'print JSON, for scripts')
    .addHelpText('after', NOTES);

type TestFlags = FlagsOf<typeof newCommand>;

export const rewardsTestCommand = (terminal: Terminal, clock: Clock) =>
  newCommand().action(action(terminal, (files, flags) => test(files, flags, terminal, clock)));

async function test(
  files: readonly string[],
  flags: TestFlags,
  terminal: Terminal,
  clock: Clock,
): Promise<ExitCode> {
  const read: ExamplesFile[] = [];
  // All of them first, so that a broken file is reported before any example takes time.
  for (const file of files) read.push(await readExamples(file, () => inUse(flags.config, clock)));
  const results: ExampleResult[] = [];
  const json: object[] = [];
  for (const file of read) {
    if (!flags.json) terminal.out(file.file);
    for await (const result of runExamples(file, () => openTemporaryLedger(clock))) {
      results.push(result);
      if (flags.json) json.push(exampleJson(file.file, result));
      else printExample(terminal, result);
    }
  }
  const failed = results.filter(({ mismatches }) => mismatches.length > 0).length;
  if (flags.json) printJson(terminal, json);
  else terminal.out(`${results.length - failed} passed, ${failed} failed`);
  return failed === 0 ? 0 : 1;
}

async function inUse(file: string, clock: Clock): Promise<ConfigInUse> {
  // Nothing is sent, so no secret is needed.
  const config = await loadConfig(file, { missingSecrets: 'defer' });
  return { config, zone: zoneOf(config, clock) };
}
