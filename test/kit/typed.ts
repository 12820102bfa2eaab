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
  /** What the person was asked, and `open …` for each page that was opened in their browser. */
  readonly asked: readonly string[];
}

/** Who types a command; without one, it is a script. */
export interface Person {
  /** What they answer, one after another, and the last again and again; by default no, and no password. */
  readonly answers?: readonly (boolean | string)[] | ((question: string) => boolean | string);
  /** Happens while they are asked. */
  readonly meanwhile?: () => void;
  /** How many characters fit on a line of their terminal. */
  readonly width?: number;
}

/** Commands set one exit code for all of the process, so they run one after another. */
let last: Promise<unknown> = Promise.resolve();

/** Runs a command to its end. @param config the file of the config, where the command takes one; null: none is named. */
export function typed(
  words: readonly string[],
  config: string | null,
  clock: Clock = systemClock,
  person?: Person,
): Promise<Ran> {
  const ran = last.then(() => run(words, config, clock, person));
  last = ran.catch(() => {});
  return ran;
}

async function run(
  [name = '', ...words]: readonly string[],
  config: string | null,
  clock: Clock,
  person: Person | undefined,
): Promise<Ran> {
  const [out, err, asked]: [string[], string[], string[]] = [[], [], []];
  const terminal = {
    interactive: person !== undefined,
    width: person?.width,
    out: (line: string) => void out.push(line),
    err: (line: string) => void err.push(line),
  };
  const given = person?.answers ?? [];
  const answers = typeof given === 'function' ? [] : [...given];
  const answer = (question: string): boolean | string | undefined => {
    asked.push(question);
    person?.meanwhile?.();
    if (typeof given === 'function') return given(question);
    return answers.length > 1 ? answers.shift() : answers[0];
  };
  const parts = {
    ...{ clock, teller: 'teller' },
    random: { next: Math.random, bytes: randomBytes },
    stopped: () => new Promise(() => {}),
    ask: async (question: string) => answer(question) === true,
    open: async (url: string) => asked.push(`open ${url}`) > 0,
    askSecret: async (question: string) => {
      const secret = answer(question);
      return typeof secret === 'string' ? secret : null;
    },
  };
  const [command] = await loadCommands(terminal, parts, name);
  if (command === undefined) throw new Error(`there is no command ${name}`);
  const takesConfig = namedIn(command, words).some(({ options }) =>
    options.some(({ long }) => long === '--config'),
  );
  const before = process.exitCode;
  process.exitCode = 0;
  try {
    const named = takesConfig && config !== null ? ['--config', config] : [];
    await throwing(command, err).parseAsync([...words, ...named], { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    process.exitCode = error.exitCode === 0 ? 0 : 2;
  }
  const exit = Number(process.exitCode ?? 0);
  process.exitCode = before;
  const printed = out.join('\n');
  const json = words.includes('--json') && /^[[{]/.test(printed) ? JSON.parse(printed) : null;
  return { exit, out: printed, err: err.join('\n'), json, asked };
}

/** The command, and those below it that the words name. */
function namedIn(
  command: CommandUnknownOpts,
  [word, ...rest]: readonly string[],
): readonly CommandUnknownOpts[] {
  const next = command.commands.find((each) => each.name() === word);
  return next === undefined ? [command] : [command, ...namedIn(next, rest)];
}

/** Wrong usage ends the command, not the process. */
function throwing(command: CommandUnknownOpts, err: string[]): CommandUnknownOpts {
  for (const each of command.commands) throwing(each, err);
  return command
    .exitOverride()
    .configureOutput({ writeOut: () => {}, writeErr: (text) => void err.push(text.trim()) });
}

/** Every command of the command line, which can be looked at, not run. */
export function everyCommand(): Promise<CommandUnknownOpts[]> {
  const silent = { interactive: false, width: undefined, out: () => {}, err: () => {} };
  const random = { next: Math.random, bytes: randomBytes };
  return loadCommands(silent, { clock: systemClock, random, teller: 'teller', stopped: async () => {} });
}

/** Every command as it is typed, such as `grants pay`, and the long flags that it or those above it take. */
export async function allCommands(): Promise<ReadonlyMap<string, readonly string[]>> {
  const found = new Map<string, readonly string[]>();
  const add = (command: CommandUnknownOpts, path: string, flags: readonly string[]): void => {
    const name = `${path}${command.name()}`;
    const own = [...flags, ...command.options.map(({ long }) => long ?? '')];
    found.set(name, own);
    for (const child of command.commands) add(child, `${name} `, own);
  };
  for (const command of await everyCommand()) add(command, '', []);
  return found;
}
