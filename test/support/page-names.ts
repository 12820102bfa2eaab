import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { configKeys } from '../../src/config/describe.ts';
import { refusalCauses } from '../../src/votes/intake/refusal-codes.ts';
import { faultOfLine, flagsOf, type Known } from './page-commands.ts';

const ROOT = join(import.meta.dirname, '../..');

/** The words that pages may name. */
export interface Words {
  /** Words in the code, so that removed or misspelt codes are found on the pages. */
  readonly ofCode: ReadonlySet<string>;
  /** Words in the tests, which also name fields that the code must ignore. */
  readonly ofTests: ReadonlySet<string>;
}

export function wordsOfRepository(): Words {
  const ofCode = [...wordsIn('src'), ...wordsIn('protocol'), ...wordsOf(read('package.json'))];
  const composed = Object.keys(refusalCauses); // some are composed of two words
  return { ofCode: new Set([...ofCode, ...composed]), ofTests: new Set(wordsIn('test')) };
}

const read = (file: string): string => readFileSync(join(ROOT, file), 'utf8');

const wordsOf = (text: string): string[] => text.match(/[A-Za-z]\w*(?:-[A-Za-z0-9]+)*/g) ?? [];

const wordsIn = (folder: string): string[] =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.(?:ts|json)$/.test(file))
    .flatMap((file) => wordsOf(read(join(folder, file))));

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
