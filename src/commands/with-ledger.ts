import type { Config } from '../config/config.ts';
import type { Clock } from '../core/clock.ts';
import type { Ledger } from '../ledger/ledger.ts';
import { openLedger } from '../ledger/ledger.ts';
import { type ConfigInUse, configInUse } from '../operator/config-in-use.ts';
import type { Terminal } from '../platform/terminal.ts';

type Body<Result> = (ledger: Ledger, config: Config, time: Clock) => Promise<Result>;

/**
 * Runs `body` with the ledger that the config names, and the clock of the Tellers that record into it. For commands that
 * change nothing (rule 6).
 */
export async function readLedger<Result>(
  configFile: string,
  terminal: Terminal,
  clock: Clock,
  body: Body<Result>,
): Promise<Result> {
  const { config, clock: time } = await readConfig(configFile, terminal, clock);
  return withLedger(config, 'read', time, body);
}

/** The same for commands that change something: while the config has faults they do nothing. */
export async function changeLedger<Result>(
  configFile: string,
  clock: Clock,
  body: Body<Result>,
): Promise<Result> {
  const { config, clock: time, instead } = await configInUse(configFile, clock);
  if (instead !== null) throw instead.problem;
  return withLedger(config, 'write', time, body);
}

async function withLedger<Result>(
  config: Config,
  mode: 'read' | 'write',
  clock: Clock,
  body: Body<Result>,
): Promise<Result> {
  const ledger = await openLedger(config.ledger, mode, { clock });
  try {
    return await body(ledger, config, clock);
  } finally {
    await ledger.close();
  }
}

/** As `configInUse`, for every command that changes nothing. Says if the config is not that of the file. */
export async function readConfig(file: string, terminal: Terminal, clock: Clock): Promise<ConfigInUse> {
  const found = await configInUse(file, clock);
  warnOfFaults(file, found.instead, terminal);
  return found;
}

export function warnOfFaults(file: string, instead: ConfigInUse['instead'], terminal: Terminal): void {
  if (instead === null) return;
  const { problem, pid } = instead;
  const sentence = `${file} has faults, which \`teller config check\` lists; until they are corrected, commands that only read go by the config of the running Teller (process ${pid})`;
  terminal.err(`warning: ${sentence} [${problem.code}]`);
}
