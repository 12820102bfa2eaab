import { Command } from 'commander';
import { configJsonSchema, configKeys } from '../config/describe.ts';
import { type ConfigFault, faultLine } from '../config/fault.ts';
import { examineConfig } from '../config/load.ts';
import type { Terminal } from '../runtime/terminal.ts';
import { action, type ExitCode, printJson, printTable } from './command.ts';
import { DEFAULT_CONFIG } from './config-flag.ts';

export const configCommand = (terminal: Terminal): Command =>
  new Command('config')
    .description('the config: its JSON Schema, its keys, and what is wrong with a file')
    .addCommand(schemaCommand(terminal))
    .addCommand(explainCommand(terminal))
    .addCommand(checkCommand(terminal));

const schemaCommand = (terminal: Terminal): Command =>
  new Command('schema')
    .description('print the JSON Schema of the config')
    .option('--json', 'for scripts; it is JSON in any case')
    .action(
      action(terminal, async () => {
        terminal.out(JSON.stringify(configJsonSchema(), null, 2));
        return 0;
      }),
    );

const explainCommand = (terminal: Terminal): Command =>
  new Command('explain')
    .description('print every key with its type, default and meaning')
    .option('--json', 'for scripts')
    .action(
      action(terminal, async ({ json = false }: { json?: boolean }) => {
        const rows = configKeys();
        if (json) printJson(terminal, rows);
        else {
          const cells = rows.map((row) => [row.key, row.type, row.default, row.reload, row.meaning]);
          printTable(terminal, [['KEY', 'TYPE', 'DEFAULT', 'RELOAD', 'MEANING'], ...cells]);
        }
        return 0;
      }),
    );

interface CheckOptions {
  readonly json?: boolean;
  readonly secrets?: boolean;
}

const checkCommand = (terminal: Terminal): Command =>
  new Command('check')
    .description('print everything that is wrong with a config')
    .argument('[file]', 'the config', DEFAULT_CONFIG)
    .option('--secrets', 'secrets that are not here are problems, too; without it they are only mentioned')
    .option('--json', 'for scripts')
    .action(action(terminal, async (file: string, options: CheckOptions) => check(terminal, file, options)));

/**
 * A file is checked where it is written, in CI or on a desk, and its secrets are where it runs: that they are not
 * here says nothing about the file.
 */
async function check(terminal: Terminal, file: string, options: CheckOptions): Promise<ExitCode> {
  const { faults, missingSecrets } = await examineConfig(file);
  const problems = [...faults, ...(options.secrets ? missingSecrets : [])];
  const notes = options.secrets ? [] : missingSecrets;
  if (options.json) {
    printJson(terminal, [...problems.map(asRow('problem')), ...notes.map(asRow('note'))]);
  } else {
    for (const problem of problems) terminal.out(faultLine(file, problem));
    for (const note of notes) terminal.err(`note: ${faultLine(file, note)}; \`teller run\` needs it`);
    if (problems.length === 0) terminal.out('ok');
  }
  return problems.length === 0 ? 0 : 2;
}

const asRow =
  (severity: 'problem' | 'note') =>
  (fault: ConfigFault): object => ({ severity, ...fault });
