/** Commands of Teller, typed as an operator types them, in the process of the test. */
import { randomBytes } from 'node:crypto';
import type { CommandUnknownOpts } from '@commander-js/extra-typings';
import { CommanderError } from 'commander';
import { loadCommands } from '../../src/commands/all.ts';
import type { Clock } from '../../src/core/clock.ts';
import { systemClock } from '../../src/platform/clock.ts';

export interface Ran {
  readonly exit: number;
  readonly out: string;
  readonly err: string;
  /** What it printed, if it was asked for JSON. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into values of every shape
  readonly json: any;
}

/** Commands set one exit code for all of the process, so they run one after another. */
let last: Promise<unknown> = Promise.resolve();

/** Runs a command to its end. @param config the file of the config, where the command takes one. */
export function typed(words: readonly string[], config: string, clock: Clock = systemClock): Promise<Ran> {
  const ran = last.then(() => run(words, config, clock));
  last = ran.catch(() => {});
  return ran;
}

async function run([name = '', ...words]: readonly string[], config: string, clock: Clock): Promise<Ran> {
  const [out, err]: [string[], string[]] = [[], []];
  const terminal = {
    interactive: false,
    width: undefined,
    out: (line: string) => void out.push(line),
    err: (line: string) => void err.push(line),
  };
  const parts = {
    ...{ clock, teller: 'teller' },
    random: { next: Math.random, bytes: randomBytes },
    stopped: () => new Promise(() => {}),
  };
  const [command] = await loadCommands(terminal, parts, name);
  if (command === undefined) throw new Error(`there is no command ${name}`);
  const takesConfig = named(command, words).some(({ options }) =>
    options.some(({ long }) => long === '--config'),
  );
  const before = process.exitCode;
  process.exitCode = 0;
  try {
    await throwing(command, err).parseAsync([...words, ...(takesConfig ? ['--config', config] : [])], {
      from: 'user',
    });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    process.exitCode = error.exitCode === 0 ? 0 : 2;
  }
  const exit = Number(process.exitCode ?? 0);
  process.exitCode = before;
  const printed = out.join('\n');
  const json = words.includes('--json') && /^[[{]/.test(printed) ? JSON.parse(printed) : null;
  return { exit, out: printed, err: err.join('\n'), json };
}

/** The command, and those below it that the words name. */
function named(
  command: CommandUnknownOpts,
  [word, ...rest]: readonly string[],
): readonly CommandUnknownOpts[] {
  const next = command.commands.find((each) => each.name() === word);
  return next === undefined ? [command] : [command, ...named(next, rest)];
}

/** Wrong usage ends the command, not the process. */
function throwing(command: CommandUnknownOpts, err: string[]): CommandUnknownOpts {
  for (const each of command.commands) throwing(each, err);
  return command
    .exitOverride()
    .configureOutput({ writeOut: () => {}, writeErr: (text) => void err.push(text.trim()) });
}
