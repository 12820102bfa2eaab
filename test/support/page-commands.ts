import type { CommandUnknownOpts as Command, Option } from '@commander-js/extra-typings';
import { wordsOf } from './page-code.ts';

/** The commands of the command line and the scripts of package.json, which lines of the pages may use. */
export interface Known {
  readonly commands: readonly Command[];
  readonly scripts: Readonly<Record<string, string>>;
}

/** A line to be typed has all of its arguments; a mention in a sentence may leave them out. */
type Use = 'typed' | 'mentioned';

/** What is wrong with a line that a page shows, or null. Lines for other programs are not judged. */
export function faultOfLine(line: string, known: Known, use: Use): string | null {
  const words = wordsOf(line.replace(/^node dist\/cli\.js\b/, 'teller'));
  if (words[0] === 'teller') return faultOfCommand(words.slice(1), known, use);
  if (words[0] === 'npm') return faultOfScript(words.slice(1), known, use);
  return null;
}

/** Commands of npm itself that need no script. */
const ITS_OWN = new Set(['ci', 'install', 'uninstall', 'pack']);

function faultOfScript([first = '', ...rest]: readonly string[], known: Known, use: Use): string | null {
  if (ITS_OWN.has(first)) return null;
  const [name = '', ...args] = first === 'run' ? rest.filter((word) => word !== '-s') : [first, ...rest];
  const script = known.scripts[name];
  if (script === undefined) return `package.json has no script "${name}"`;
  const [, command] = /src\/commands\/cli\.ts (.+)$/.exec(script) ?? [];
  if (command === undefined || args[0] !== '--') return null;
  return faultOfCommand([...wordsOf(command), ...args.slice(1)], known, use);
}

const ROOT_FLAGS = new Set(['--help', '--version']);

function faultOfCommand(words: readonly string[], { commands }: Known, use: Use): string | null {
  const [name] = words;
  if (name === undefined || ROOT_FLAGS.has(name)) return null;
  let command = commands.find((one) => one.name() === name);
  if (command === undefined) return `there is no command "${name}"`;
  let rest = words.slice(1);
  for (;;) {
    const child: Command | undefined = command.commands.find((one) => one.name() === rest[0]);
    if (child === undefined) break;
    command = child;
    rest = rest.slice(1);
  }
  return faultOfArguments(command, rest, use);
}

function faultOfArguments(command: Command, words: readonly string[], use: Use): string | null {
  const rest = [...words];
  let given = 0;
  for (let word = rest.shift(); word !== undefined; word = rest.shift()) {
    if (!word.startsWith('-')) {
      given += 1;
      continue;
    }
    if (word === '--help') continue;
    const option = optionsOf(command).find(({ long }) => long === word?.split('=')[0]);
    if (option === undefined) return `"${command.name()}" has no flag ${word}`;
    if (option.required && !word.includes('=')) rest.shift();
  }
  const { registeredArguments: takes } = command;
  if (given > takes.length && !takes.some(({ variadic }) => variadic))
    return `"${command.name()}" takes ${takes.length} argument(s), not ${given}`;
  const missing = takes.filter(({ required }) => required).length > given;
  return use === 'typed' && missing ? `"${command.name()}" needs an argument` : null;
}

/** A command also accepts the flags of its parent command. */
export const optionsOf = (command: Command): readonly Option[] => [
  ...command.options,
  ...(command.parent === null ? [] : optionsOf(command.parent)),
];

/** Every flag of every command. */
export const flagsOf = (commands: readonly Command[]): string[] =>
  commands.flatMap((command) => [
    '--help',
    ...command.options.flatMap(({ long }) => long ?? []),
    ...flagsOf(command.commands),
  ]);
