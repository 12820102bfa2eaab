import { Problem } from '../core/problem.ts';
import { isInClone } from '../platform/own-module.ts';
import type { Host } from '../platform/service/host.ts';
import { systemHost } from '../platform/service/host.ts';
import { planInstall, planRemove, type Step, serviceUnit, takeSteps } from '../platform/service/service.ts';
import { STATE_FOLDER, UNIT, UNIT_FILE, USER_NAME } from '../platform/service/unit.ts';
import type { Terminal } from '../platform/terminal.ts';
import { action, type ExitCode } from './command.ts';
import { Command } from './commander.ts';
import { type Ask, agreed, askAtTerminal } from './confirm.ts';

const USER_FLAG = ['--user <name>', 'the user that the service runs as', 'teller'] as const;
const YES_FLAG = ['--yes', 'do it without asking'] as const;
const JSON_FLAG = ['--json', 'print JSON, for scripts'] as const;

export const serviceCommand = (
  terminal: Terminal,
  host: Host = systemHost(isInClone(import.meta.url)),
  ask: Ask = askAtTerminal,
) =>
  new Command('service')
    .description('run Teller under systemd: started with the machine, restarted if it fails')
    .addCommand(printUnit(terminal, host))
    .addCommand(install(terminal, host, ask))
    .addCommand(remove(terminal, host, ask));

const printUnit = (terminal: Terminal, host: Host) =>
  new Command('print')
    .description('print the systemd unit and change nothing')
    .option(...USER_FLAG)
    .option(...JSON_FLAG)
    .action(
      action(terminal, async ({ user, json }): Promise<ExitCode> => {
        requireUser(user);
        const unit = await serviceUnit(host, user);
        terminal.out(json === true ? JSON.stringify({ file: UNIT_FILE, unit }) : unit.trimEnd());
        return 0;
      }),
    );

const install = (terminal: Terminal, host: Host, ask: Ask) =>
  new Command('install')
    .description('install the systemd unit and start it, or start it again after an update; asks first')
    .option(...USER_FLAG)
    .option(...YES_FLAG)
    .option(...JSON_FLAG)
    .action(
      action(terminal, async ({ user, yes, json }): Promise<ExitCode> => {
        requireUser(user);
        const steps = await planInstall(host, user);
        for (const line of steps.flatMap(linesOf)) terminal.err(line);
        terminal.err(
          `The config and the data are in ${STATE_FOLDER}; the first start creates them. No owner of an existing file changes.`,
        );
        await agreed(terminal, ask, yes === true, 'Install and start the service?');
        await takeSteps(host, steps);
        const done = `${UNIT} is installed and runs; see its log with: journalctl -u ${UNIT}`;
        terminal.out(json === true ? JSON.stringify({ unit: UNIT, steps }) : done);
        return 0;
      }),
    );

const remove = (terminal: Terminal, host: Host, ask: Ask) =>
  new Command('remove')
    .description('stop the service and remove its unit; the user, the config and the data stay; asks first')
    .option(...YES_FLAG)
    .option(...JSON_FLAG)
    .action(
      action(terminal, async ({ yes, json }): Promise<ExitCode> => {
        const steps = await planRemove(host);
        for (const line of steps.flatMap(linesOf)) terminal.err(line);
        await agreed(terminal, ask, yes === true, 'Stop and remove the service?');
        await takeSteps(host, steps);
        const done = `${UNIT} is removed; its config and data are still in ${STATE_FOLDER}`;
        terminal.out(json === true ? JSON.stringify({ unit: UNIT, steps }) : done);
        return 0;
      }),
    );

/** @throws Problem `usage` */
function requireUser(name: string): void {
  if (name === 'root')
    throw new Problem('usage', '--user must not be root: the service needs no such rights');
  if (!USER_NAME.test(name))
    throw new Problem('usage', `--user must be the name of a user of this machine, not "${name}"`);
}

function linesOf(step: Step): string[] {
  if (step.kind === 'run') return [`run: ${step.command.join(' ')}`];
  if (step.kind === 'remove') return [`remove: ${step.file}`];
  const lines = step.text.trimEnd().split('\n');
  return [
    `${step.replaces ? 'replace' : 'create'}: ${step.file}`,
    ...lines.map((line) => `    ${line}`.trimEnd()),
  ];
}
