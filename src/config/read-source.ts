import { ownModule } from '../platform/own-module.ts';
import { startThread } from '../platform/thread.ts';
import type { ConfigFault, FaultAtPath, Path, Position } from './fault.ts';
import { type Node, nodeAt, type Parsed, parseJsonc } from './jsonc.ts';
import { type ConfigSource, located, plainObject, syntaxFault, unparsed } from './source.ts';
import { isYaml } from './yaml-parser.ts';
import { type ReadYaml, yamlSource } from './yaml-source.ts';

/**
 * Parses a config's text by the ending of its file. YAML is read on a thread of its own, because loading its parser reads
 * files and a running Teller may meet its first YAML in a reload (rule 13).
 */
export const readSource = async (text: string, file: string): Promise<ConfigSource> =>
  isYaml(file) ? yamlSource(await readOnThread(text)) : readJson(text);

const MODULE = ownModule('yaml-thread', import.meta.url);

const readOnThread = (text: string): Promise<ReadYaml> =>
  new Promise((resolve, reject) => {
    const thread = startThread(MODULE, text);
    thread.once('message', resolve).once('error', reject);
    thread.once('exit', (code) => reject(new Error(`the thread that reads YAML ended with code ${code}`)));
  });

/** Reads a config that is written as JSON, with comments and trailing commas. */
export function readJson(text: string): ConfigSource {
  const bare = text.replace(/^\uFEFF/, '');
  const positionAt = (offset: number): Position => position(bare, offset);
  const { root, errors } = parseJsonc(bare);
  if (root === undefined || errors.length > 0) return unparsed(syntaxFaults(bare, errors));
  const faults: ConfigFault[] = [];
  const value = plainValue(root, [], (fault, { offset }) => faults.push(located(fault, positionAt(offset))));
  return { value, faults, locate: (fault) => located(fault, positionAt(offsetOf(root, fault))) };
}

function syntaxFaults(text: string, errors: Parsed['errors']): readonly ConfigFault[] {
  const other = otherFormat(text);
  if (other !== null) return [syntaxFault(other, { line: 1, column: 1 })];
  // The rest of the file is inside such a comment.
  const unclosed = errors.filter(({ name }) => name === 'UnexpectedEndOfComment');
  const shown = unclosed.length > 0 ? unclosed : errors;
  return firstOfEachLine(
    shown.map(({ name, offset }) => syntaxFault(syntaxSentence(name, text, offset), position(text, offset))),
  );
}

/** One mistake can cause several errors on a line; only the first one is useful. */
const firstOfEachLine = (faults: readonly ConfigFault[]): readonly ConfigFault[] =>
  faults.filter((fault, at) => faults.findIndex(({ line }) => line === fault.line) === at);

function position(text: string, offset: number): Position {
  const before = text.slice(0, offset);
  const lineStart = Math.max(before.lastIndexOf('\n'), before.lastIndexOf('\r')) + 1;
  return { line: before.split(/\r\n|\n|\r/).length, column: offset - lineStart + 1 };
}

function offsetOf(root: Node, { code, path }: FaultAtPath): number {
  for (let length = path.length; length > 0; length -= 1) {
    const node = nodeAt(root, path.slice(0, length));
    if (node === undefined) continue;
    const isAtKey = code === 'config-unknown-key' && length === path.length;
    return isAtKey ? (node.parent?.offset ?? node.offset) : node.offset;
  }
  return root.offset;
}

type Report = (fault: FaultAtPath, at: Node) => void;

function plainValue(node: Node, path: Path, report: Report): unknown {
  const read = (item: Node, at: Path): unknown => plainValue(item, at, report);
  if (node.type === 'array') return (node.children ?? []).map((item, at) => read(item, [...path, at]));
  if (node.type !== 'object') return node.value;
  const entries = (node.children ?? []).flatMap(({ children: [key, item] = [] }) =>
    key === undefined || item === undefined ? [] : [{ name: String(key.value), key, item }],
  );
  return plainObject(entries, path, { isText: ({ type }) => type === 'string', read, report });
}

/** The sentence for a syntax error, by the parser's error name and the text at its position. */
function syntaxSentence(name: string, text: string, offset: number): string {
  const rest = text.slice(offset);
  const mistake = COMMON_MISTAKES.find(({ at }) => at.test(rest));
  if (mistake !== undefined && (mistake.onlyFor === undefined || mistake.onlyFor === name))
    return mistake.sentence;
  return SENTENCES[name] ?? 'expected a string in double quotes, a number, true, false, null, { or [';
}

const CURLY = 'this is a curly quote, as word processors write it; JSON needs straight ones: "';

interface CommonMistake {
  /** Matches the text at the position of the error. */
  readonly at: RegExp;
  readonly sentence: string;
  /** Applies only to this error of the parser. */
  readonly onlyFor?: string;
}

const COMMON_MISTAKES: readonly CommonMistake[] = [
  { at: /^[“”„‟«»]/, sentence: CURLY },
  { at: /^"[^"\r\n]*[“”„‟][^"\r\n]*(?:[\r\n]|$)/, sentence: CURLY, onlyFor: 'UnexpectedEndOfString' },
  { at: /^['‘’‚‛`]/, sentence: 'this is a single quote; JSON needs double quotes: "' },
  { at: /^#/, sentence: 'a comment begins with // here, not with #' },
];

const SENTENCES: Readonly<Record<string, string>> = {
  UnexpectedEndOfComment: 'a comment that begins with /* is never closed; end it with */',
  PropertyNameExpected: 'expected a key in double quotes (is there an extra comma?)',
  ValueExpected: 'expected a value (is there an extra comma?)',
  ColonExpected: 'expected a colon between key and value',
  CommaExpected: 'expected a comma before this',
  CloseBraceExpected: 'an opening brace { is never closed',
  CloseBracketExpected: 'an opening bracket [ is never closed',
  EndOfFileExpected: 'unexpected text after the end of the config',
  UnexpectedEndOfString: 'a string in double quotes is not closed on its line',
  NestedTooDeeply: 'brackets are nested too deeply',
  InvalidEscapeCharacter: 'in a string, \\ must be written as \\\\',
};

/** Formats that plugins and proxies use for their configs, recognized by the first line that is not a comment. */
const FORMATS: readonly { readonly format: string; readonly firstLine: RegExp }[] = [
  { format: 'YAML', firstLine: /^\s*(?:---|- |[\w."'-]+\s*:(?:\s|$))/ },
  { format: 'TOML', firstLine: /^\s*(?:\[\[?[\w."'-]+\]\]?\s*$|[\w."'-]+\s*=)/ },
];

/** The sentence for a file in another format; null if it begins like JSON. */
function otherFormat(text: string): string | null {
  const firstLine = text.split(/\r\n|\n|\r/).find((line) => !/^\s*(?:(?:#|\/\/).*)?$/.test(line)) ?? '';
  const found = FORMATS.find((format) => format.firstLine.test(firstLine));
  if (found === undefined) return null;
  const where =
    found.format === 'YAML'
      ? 'which needs a file name that ends in .yml; this file is read as'
      : 'but the config is';
  return `this is ${found.format}, ${where} JSON, which begins with { (\`teller config explain\` lists every key)`;
}
