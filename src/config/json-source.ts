import type { ConfigFault, FaultAtPath, Path, Position } from './fault.ts';
import { type Node, nodeAt, type Parsed, parseJsonc } from './jsonc.ts';
import { type ConfigSource, located, plainObject, syntaxFault, unparsed } from './source.ts';
import { otherFormat, syntaxSentence } from './syntax-sentence.ts';

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
