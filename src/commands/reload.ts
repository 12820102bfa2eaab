import { loadConfig } from '../config/load.ts';
import type { Clock } from '../core/clock.ts';
import { isoTime } from '../core/instant.ts';
import { checkRewards } from '../operator/check/rewards.ts';
import { isPaying, type ProcessReload, reloadRunning } from '../operator/reload.ts';
import type { Terminal } from '../platform/terminal.ts';
import { action, type ExitCode, printJson } from './command.ts';
import { Command } from './commander.ts';
import { printWarnings } from './config.ts';
import { CONFIG_FLAG } from './config-flag.ts';

/** Applies the config to the running Tellers. */
export const reloadCommand = (terminal: Terminal, clock: Clock) =>
  new Command('reload')
    .description('apply the changed config to the running Teller, without interrupting votes and commands')
    .option(...CONFIG_FLAG)
    .option('--json', 'print JSON, for scripts')
    .action(action(terminal, ({ config, json = false }) => reload(config, json, terminal, clock)));

async function reload(file: string, json: boolean, terminal: Terminal, clock: Clock): Promise<ExitCode> {
  // Also read here, so that all errors in the config are shown. The running Teller has the secrets.
  const config = await loadConfig(file, { missingSecrets: 'defer' });
  printWarnings(terminal, await checkRewards({ config }));
  const processes = await reloadAndWait(config.ledger, terminal, clock);
  if (json) printJson(terminal, processes.map(processJson));
  else if (processes.length === 0) {
    terminal.err(whyNone(config.ledger));
  } else for (const process of processes) printProcess(process, terminal);
  return exitOf(processes);
}

/** How long to wait before explaining the wait: an operator often reloads because a game server hangs. */
export const SILENCE_MS = 2_000;

/** Reloads and waits for the answers, saying why if it takes long. */
export async function reloadAndWait(
  ledger: string,
  terminal: Terminal,
  clock: Clock,
): Promise<readonly ProcessReload[]> {
  const sentence =
    'waiting: Teller first finishes the commands it is sending to the changed game servers, which takes at most their commandTimeout';
  // Typed into Teller itself, Ctrl-C stops Teller.
  const hint = terminal.interactive ? '; Ctrl-C stops only the waiting' : '';
  const cancel = clock.after(SILENCE_MS, () => terminal.err(sentence + hint));
  try {
    return await reloadRunning(ledger);
  } finally {
    cancel();
  }
}

const whyNone = (ledger: string): string =>
  isPaying(ledger)
    ? `a Teller is running with the ledger ${ledger}, but this command cannot reach it: run it as the user that runs Teller, or restart Teller`
    : `no Teller is running with the ledger ${ledger}; if you changed \`ledger\` in the config, restart Teller`;

export const processJson = ({ startedAt, ...process }: ProcessReload) => ({
  ...process,
  startedAt: isoTime(startedAt),
});

export function printProcess({ pid, startedAt, configFile, reply }: ProcessReload, terminal: Terminal): void {
  const who = `Teller ${pid} (${configFile}, running since ${isoTime(startedAt)})`;
  switch (reply.kind) {
    case 'unreachable':
      terminal.out(`${who}: cannot be reached; restart it, or send it SIGHUP if it has no terminal`);
      break;
    case 'refused':
      terminal.out(`${who}: refused, so the previous config stays in use [${reply.code}]`);
      for (const line of reply.sentence.split('\n')) terminal.out(`  ${line}`);
      break;
    case 'reloaded':
      terminal.out(`${who}: ${reply.applied.length === 0 ? 'nothing to apply' : 'reloaded'}`);
      for (const { key, kind } of reply.applied) terminal.out(`  ${key} ${kind}`);
      for (const { key } of reply.needRestart) terminal.out(`  ${key} needs a restart`);
  }
}

/** Of a command that edits the config: what it wrote needs no restart, and other keys may. */
export const exitOfEdit = (processes: readonly ProcessReload[]): ExitCode =>
  processes.every(({ reply }) => reply.kind === 'reloaded') ? 0 : exitOf(processes);

/** 0 only if every process now has the config of the file. */
function exitOf(processes: readonly ProcessReload[]): ExitCode {
  const exits = processes.map(({ reply }): ExitCode => {
    if (reply.kind === 'refused') return reply.exit;
    return reply.kind === 'reloaded' && reply.needRestart.length === 0 ? 0 : 1;
  });
  return processes.length === 0 ? 1 : (Math.max(...exits) as ExitCode);
}
