import type { Config } from '../config/config.ts';
import type { Clock } from '../core/clock.ts';
import { isoTime } from '../core/instant.ts';
import { type Pause, type PauseScope, pauseText, resumeText, scopeText } from '../core/pause.ts';
import { Problem } from '../core/problem.ts';
import type { QueueState } from '../ledger/ledger.ts';
import { pauseRewards, resumeRewards } from '../operator/pause.ts';
import { pauseJson } from '../operator/trace/rows.ts';
import { accountName } from '../platform/account.ts';
import type { Terminal } from '../platform/terminal.ts';
import { action, type ExitCode, type FlagsOf, printJson } from './command.ts';
import { Command } from './commander.ts';
import { CONFIG_FLAG } from './config-flag.ts';
import { changeLedger } from './with-ledger.ts';

const SERVER_FLAG = ['--server <name>', 'only on this game server'] as const;
const REWARD_FLAG = ['--reward <name>', 'only this reward'] as const;
const JSON_FLAG = ['--json', 'print JSON, for scripts'] as const;

const newPause = () =>
  new Command('pause')
    .description(
      'stop paying rewards, until `teller resume`; votes are still stored and answered, and the command in progress ends normally',
    )
    .option(...SERVER_FLAG)
    .option(...REWARD_FLAG)
    .option(...CONFIG_FLAG)
    .option(...JSON_FLAG);

const newResume = () =>
  new Command('resume')
    .description('pay again what `teller pause` with the same flags has stopped')
    .option(...SERVER_FLAG)
    .option(...REWARD_FLAG)
    .option(...CONFIG_FLAG)
    .option(...JSON_FLAG);

type PauseFlags = FlagsOf<typeof newPause>;

export const pauseCommand = (terminal: Terminal, clock: Clock) =>
  newPause().action(action(terminal, (flags) => pause(flags, terminal, clock)));

export const resumeCommand = (terminal: Terminal, clock: Clock) =>
  newResume().action(action(terminal, (flags) => resume(flags, terminal, clock)));

const scopeOf = ({ server, reward }: PauseFlags): PauseScope => ({
  server: server ?? null,
  reward: reward ?? null,
});

function pause(flags: PauseFlags, terminal: Terminal, clock: Clock): Promise<ExitCode> {
  return changeLedger(flags.config, clock, async (ledger, config, time): Promise<ExitCode> => {
    const order = { scope: scopeOf(flags), by: accountName(), now: time.now() };
    const paused = await pauseRewards(ledger, config, order);
    if (paused.kind === 'refused') throw new Problem(paused.code, paused.sentence);
    if (flags.json) printJson(terminal, [{ changed: paused.kind === 'paused', ...pauseJson(paused.pause) }]);
    else if (paused.kind === 'paused')
      terminal.out(`${scopeText(order.scope)}: paused; \`${resumeText(order.scope)}\` ends the pause`);
    else terminal.out(`${pauseText(paused.pause)}, so nothing was changed`);
    return 0;
  });
}

function resume(flags: PauseFlags, terminal: Terminal, clock: Clock): Promise<ExitCode> {
  return changeLedger(flags.config, clock, async (ledger, config, time): Promise<ExitCode> => {
    const order = { scope: scopeOf(flags), now: time.now() };
    const resumed = await resumeRewards(ledger, config, order);
    if (resumed.kind === 'refused') throw new Problem(resumed.code, resumed.sentence);
    printPauses(terminal, resumed.left);
    if (resumed.kind === 'not-paused') {
      const away = awayText(order.scope, config, await ledger.queues());
      throw new Problem(
        'not-paused',
        `there is no pause of ${scopeText(order.scope)}, so nothing was changed${away}`,
      );
    }
    if (flags.json)
      printJson(terminal, [{ changed: true, ...order.scope, left: resumed.left.map(pauseJson) }]);
    else terminal.out(`${scopeText(order.scope)}: paid again`);
    return 0;
  });
}

/** Rewards also stop if a game server is away, which no command ends. */
const awayText = (
  { server }: PauseScope,
  { gameServers }: Config,
  queues: ReadonlyMap<string, QueueState>,
): string =>
  [...queues]
    .filter(([name, { reason }]) => reason !== null && gameServers.has(name) && name === (server ?? name))
    .map(
      ([name, { reason, since }]) =>
        `; ${name} has accepted nothing since ${isoTime(since)} [${reason}], so its rewards wait until it does`,
    )
    .join('');

/** What is not paid at present, and how to change that. */
export function printPauses(terminal: Terminal, pauses: readonly Pause[]): void {
  for (const one of pauses) terminal.err(`${pauseText(one)}; \`${resumeText(one)}\` ends the pause`);
}
