/** What is on a page of the docs, and what is wrong with it. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { CommandUnknownOpts as Command, Option } from '@commander-js/extra-typings';
import { configKeys } from '../../src/config/describe.ts';
import { readJson } from '../../src/config/read-source.ts';
import { readYaml } from '../../src/config/yaml-source.ts';
import { refusalCauses } from '../../src/votes/refusals.ts';

const ROOT = join(import.meta.dirname, '../..');

const BLOCK = /^( *)```([^\n]*)\n([\s\S]*?)^\1```$/gm;

/** The fenced blocks of code on a page. */
export const blocksIn = (page: string): { readonly language: string; readonly text: string }[] =>
  [...page.matchAll(BLOCK)].map(([, indent = '', language = '', text = '']) => ({
    language,
    text: text.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
  }));

/** Inline code in text and tables. */
export const spansIn = (page: string): string[] =>
  [...page.replaceAll(BLOCK, '').matchAll(/`([^`]+)`/g)].map(([, span = '']) => span.replaceAll('\n', ' '));

/** The lines of shell blocks, without comments; a backslash at the end joins a line with the next. */
export const shellLinesIn = (page: string): string[] =>
  blocksIn(page)
    .filter(({ language }) => language === 'sh')
    .flatMap(({ text }) => text.replaceAll(/\\\n\s*/g, '').split('\n'))
    .map((line) => line.replace(/(^|\s)#.*$/, '').trim())
    .filter((line) => line !== '');

/** The text under each heading of the second level. */
export const sectionsIn = (page: string): ReadonlyMap<string, string> =>
  new Map(
    page
      .split(/^## /m)
      .slice(1)
      .map((section) => {
        const end = section.indexOf('\n');
        return [section.slice(0, end), section.slice(end)] as const;
      }),
  );

/** Splits a line as a shell does, without the quotes. */
export const wordsOf = (line: string): string[] =>
  [...line.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? '');

/** The configs in JSON and YAML blocks; undefined if one cannot be parsed. A JSON block may leave out the outer braces. */
export const configsIn = (page: string): { readonly text: string; readonly value: unknown }[] =>
  blocksIn(page).flatMap(({ language, text }) => {
    if (language === 'yaml') return [{ text, value: readYaml(text).value }];
    if (language !== 'json') return [];
    const isWhole = /^(?:\s*\/\/.*)*\s*[{[]/.test(text);
    return [{ text, value: readJson(isWhole ? text : `{${text}\n}`).value }];
  });

const withoutCode = (text: string): string => text.replaceAll(/^```[\s\S]*?^```/gm, '');

/** Links to this repository's own files, relative to the page as written: the file is empty for a link within the page. */
export const linksIn = (text: string): { readonly file: string; readonly anchor: string | null }[] =>
  [...withoutCode(text).matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, target = '']) => target)
    .filter((target) => !/^[a-z]+:/.test(target))
    .map((target) => {
      const [file = '', anchor = null] = target.split('#');
      return { file, anchor };
    });

/** The anchors of the headings, spelt as code hosts spell them. */
export const anchorsIn = (text: string): string[] =>
  [...withoutCode(text).matchAll(/^#{1,6} (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(' ', '-'),
  );

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
const optionsOf = (command: Command): readonly Option[] => [
  ...command.options,
  ...(command.parent === null ? [] : optionsOf(command.parent)),
];

/** Every flag of every command. */
const flagsOf = (commands: readonly Command[]): string[] =>
  commands.flatMap((command) => [
    '--help',
    ...command.options.flatMap(({ long }) => long ?? []),
    ...flagsOf(command.commands),
  ]);

type Words = ReturnType<typeof wordsOfRepository>;

/**
 * The words that pages may name: those in the code, so that removed or misspelt codes are found on the pages, and those in the tests,
 * which also name fields that the code must ignore.
 */
export function wordsOfRepository() {
  const ofCode = [...wordsIn('src'), ...wordsIn('protocol'), ...codeWordsOf(read('package.json'))];
  const composed = Object.keys(refusalCauses); // some are composed of two words
  return { ofCode: new Set([...ofCode, ...composed]), ofTests: new Set(wordsIn('test')) };
}

const read = (file: string): string => readFileSync(join(ROOT, file), 'utf8');

const codeWordsOf = (text: string): string[] => text.match(/[A-Za-z]\w*(?:-[A-Za-z0-9]+)*/g) ?? [];

const wordsIn = (folder: string): string[] =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.(?:ts|json)$/.test(file))
    .flatMap((file) => codeWordsOf(read(join(folder, file))));

/** Every key and its parents: `sites.<service name>.token`, `sites.<service name>`, `sites`. */
const keyPaths = new Set(
  configKeys().flatMap(({ key }) => {
    const parts = key.split(/\.(?![^<]*>)/);
    return parts.map((_, index) => parts.slice(0, index + 1).join('.'));
  }),
);

/** Names in keys can contain dots: `sites.<name>.token`, `sites.My-List.com.token`. */
const patternOf = (key: string): RegExp =>
  new RegExp(
    `^${key
      .replaceAll(/[.[\]]/g, '\\$&')
      .replace(/<[^>]+>$/, '[^.]+')
      .replaceAll(/<[^>]+>/g, '.+')}$`,
  );
const keyPatterns = [...keyPaths].map(patternOf);
const sections = new Set(configKeys().map(({ key }) => key.split(/[.[]/)[0]));
const keyNames = new Set(configKeys().flatMap(({ key }) => key.split(/[.[\]]+/)));

const isKey = (span: string): boolean => keyPatterns.some((pattern) => pattern.test(span));

/** What is wrong with a piece of inline code, or null. */
export function faultOfSpan(span: string, known: Known, words: Words): string | null {
  if (/^(?:teller|npm|node dist\/cli\.js)\b/.test(span)) return faultOfLine(span, known, 'mentioned');
  if (isCommand(span, known)) return faultOfLine(`teller ${span}`, known, 'mentioned');
  if (span.startsWith('--')) return unless(flagsOf(known.commands).includes(firstOf(span)), 'is no flag');
  if (missingFilesIn(span).length > 0) return 'is no file or folder';
  return faultOfKey(span) ?? faultOfWord(span, words);
}

/** Paths of this repository in a line or name that do not exist. */
export const missingFilesIn = (text: string): string[] =>
  text
    .split(' ')
    .filter((word) => /^(?:src|test|docs|protocol|\.ci)\/[\w./-]*$/.test(word))
    .filter((path) => !existsSync(join(ROOT, path)));

const unless = (holds: boolean, fault: string): string | null => (holds ? null : fault);
const firstOf = (span: string): string => span.split(' ')[0] ?? '';

/** For example `grants pay ID`. A single word can be any word. */
const isCommand = (span: string, { commands }: Known): boolean =>
  span.includes(' ') && commands.some((command) => command.name() === firstOf(span));

/** For example `listener.port` or `"safeToRunTwice": true`. */
function faultOfKey(span: string): string | null {
  const isPath = /^\w+[.[]\S*$/.test(span) && sections.has(span.split(/[.[]/)[0]);
  const [, member] = /^"(\w+)": /.exec(span) ?? [];
  return unless(
    (!isPath || isKey(span)) && (member === undefined || keyNames.has(member)),
    'is no config key',
  );
}

/** A capitalized word can be the name of a player, a header or a clause. */
function faultOfWord(word: string, { ofCode, ofTests }: Words): string | null {
  const isCode = /^[a-z][a-z0-9]*(?:-[a-z0-9]+)*$/.test(word);
  const isField = /^[a-z][A-Za-z0-9]*$/.test(word);
  if (ofCode.has(word) || (!isCode && ofTests.has(word))) return null;
  return isCode || isField ? 'is not in the code' : null;
}
