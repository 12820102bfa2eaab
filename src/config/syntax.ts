import { type ConfigFault, type FaultAtPath, type Path, type Position, pathText } from './fault.ts';
import { type Node, nodeAt, type Parsed, parseJsonc } from './jsonc.ts';
import { otherFormat, syntaxSentence } from './syntax-sentence.ts';
import { NO_SUCH_KEY } from './values.ts';

/** A parsed config without its comments, and a lookup from paths to positions in the text. */
export interface ConfigSource {
  readonly value: unknown;
  /** Syntax errors if there are any; otherwise faults that parsers ignore, such as duplicate keys. */
  readonly faults: readonly ConfigFault[];
  /** Adds the position: of the key if the key is at fault, otherwise of the value or the nearest value around it. */
  locate(fault: FaultAtPath): ConfigFault;
}

export function readSource(text: string): ConfigSource {
  const bare = text.replace(/^\uFEFF/, '');
  const positionAt = (offset: number): Position => position(bare, offset);
  const { root, errors } = parseJsonc(bare);
  if (root === undefined || errors.length > 0) {
    const faults = syntaxFaults(bare, errors);
    return { value: undefined, faults, locate: (fault) => located(fault, { line: 1, column: 1 }) };
  }
  const faults: ConfigFault[] = [];
  const value = plainValue(root, [], (fault, offset) => faults.push(located(fault, positionAt(offset))));
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

const syntaxFault = (sentence: string, at: Position): ConfigFault => ({
  code: 'config-syntax',
  path: '',
  ...at,
  sentence,
});

/** One mistake can cause several errors on a line; only the first one is useful. */
const firstOfEachLine = (faults: readonly ConfigFault[]): readonly ConfigFault[] =>
  faults.filter((fault, at) => faults.findIndex(({ line }) => line === fault.line) === at);

const located = (fault: FaultAtPath, at: Position): ConfigFault => ({
  ...fault,
  ...at,
  path: pathText(fault.path),
});

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

type Report = (fault: FaultAtPath, offset: number) => void;

function plainValue(node: Node, path: Path, report: Report): unknown {
  if (node.type === 'object') return plainObject(node, path, report);
  if (node.type === 'array')
    return (node.children ?? []).map((item, at) => plainValue(item, [...path, at], report));
  return node.value;
}

function plainObject(node: Node, path: Path, report: Report): object {
  const entries = new Map<string, unknown>();
  for (const { children: [key, item] = [], offset } of node.children ?? []) {
    if (key === undefined || item === undefined) continue;
    const name = String(key.value);
    const at = [...path, name];
    if (isComment(name)) {
      if (item.type !== 'string') report(commentFault(at), item.offset);
    } else if (entries.has(name))
      report({ code: 'config-duplicate-key', path: at, sentence: 'appears twice' }, offset);
    // Assigning this name would set the object's prototype instead of adding a key.
    else if (name === '__proto__')
      report({ code: 'config-unknown-key', path: at, sentence: NO_SUCH_KEY }, offset);
    else entries.set(name, plainValue(item, at, report));
  }
  return Object.fromEntries(entries);
}

const isComment = (key: string): boolean => key === '$schema' || key.startsWith('//');

const commentFault = (path: Path): FaultAtPath => ({
  code: 'config-value',
  path,
  sentence: 'must be a string in double quotes, because it is a comment',
});
