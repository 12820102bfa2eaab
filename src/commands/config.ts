import { configJsonSchema, configKeys } from '../config/describe.ts';
import { type ConfigFault, faultLine } from '../config/fault.ts';
import { examineConfig } from '../config/load.ts';
import type { Finding } from '../core/finding.ts';
import { checkRewards } from '../operator/check/rewards.ts';
import type { Terminal } from '../platform/terminal.ts';
import { action, type ExitCode, printJson, printTable } from './command.ts';
import { Command } from './commander.ts';
import { DEFAULT_CONFIG } from './config-flag.ts';

export const configCommand = (terminal: Terminal) =>
  new Command('config')
    .description('check a config file, or print the keys and the JSON Schema of the config')
    .addCommand(schemaCommand(terminal))
    .addCommand(explainCommand(terminal))
    .addCommand(checkCommand(terminal));

const schemaCommand = (terminal: Terminal) =>
  new Command('schema')
    .description('print the JSON Schema of the config')
    .option('--json', 'accepted for scripts; the output is always JSON')
    .action(
      action(terminal, async () => {
        terminal.out(JSON.stringify(configJsonSchema(), null, 2));
        return 0;
      }),
    );

const explainCommand = (terminal: Terminal) =>
  new Command('explain')
    .description('print every config key with its type, default and meaning')
    .option('--json', 'print JSON, for scripts')
    .action(
      action(terminal, async ({ json }) => {
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

const checkCommand = (terminal: Terminal) =>
  new Command('check')
    .description('print everything that is wrong with a config file')
    .argument('[file]', 'the config file', DEFAULT_CONFIG)
    .option('--secrets', 'report missing secrets as problems instead of notes')
    .option('--json', 'print JSON, for scripts')
    .action(action(terminal, async (file: string, options: CheckOptions) => check(terminal, file, options)));

/**
 * A config is often checked in CI or on another machine than the one with its secrets, so missing secrets do not count as
 * problems of the file.
 */
async function check(terminal: Terminal, file: string, options: CheckOptions): Promise<ExitCode> {
  const { config, faults, missingSecrets } = await examineConfig(file);
  const warnings = config === null ? [] : await checkRewards({ config });
  const problems = [...faults, ...(options.secrets ? missingSecrets : [])];
  const notes = options.secrets ? [] : missingSecrets;
  if (options.json) {
    const rows = [...problems.map(asRow('problem')), ...notes.map(asRow('note'))];
    printJson(terminal, [...rows, ...warnings.map(warningRow)]);
  } else {
    for (const problem of problems) terminal.out(faultLine(file, problem));
    for (const note of notes)
      terminal.err(`note: ${faultLine(file, note)}; \`teller run\` needs this secret`);
    printWarnings(terminal, warnings);
    if (problems.length === 0) terminal.out('ok');
  }
  return problems.length === 0 ? 0 : 2;
}

/** On standard error, because the config can be used as it is. */
export function printWarnings(terminal: Terminal, warnings: readonly Finding[]): void {
  for (const { code, sentence, toDo } of warnings)
    terminal.err(`warning: ${sentence}${toDo === null ? '' : `; ${toDo}`} [${code}]`);
}

const warningRow = ({ code, sentence, toDo }: Finding) => ({ severity: 'warning', code, sentence, toDo });

const asRow =
  (severity: 'problem' | 'note') =>
  (fault: ConfigFault): object => ({ severity, ...fault });
