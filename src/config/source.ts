import { NO_SUCH_KEY } from '../core/config-values.ts';
import type { ConfigFault, FaultAtPath, Path, Position } from './fault.ts';
import { pathText } from './fault.ts';

/** A parsed config without its comments, and a lookup from paths to positions in the text. */
export interface ConfigSource {
  /** undefined if there are syntax errors. */
  readonly value: unknown;
  /** Syntax errors if there are any; otherwise faults that parsers ignore, such as duplicate keys. */
  readonly faults: readonly ConfigFault[];
  /** Adds the position: of the key if the key is at fault, otherwise of the value or the nearest value around it. */
  locate(fault: FaultAtPath): ConfigFault;
}

export const syntaxFault = (sentence: string, at: Position): ConfigFault => ({
  code: 'config-syntax',
  path: '',
  ...at,
  sentence,
});

export const located = (fault: FaultAtPath, at: Position): ConfigFault => ({
  ...fault,
  ...at,
  path: pathText(fault.path),
});

/** A text that could not be parsed. */
export const unparsed = (faults: readonly ConfigFault[]): ConfigSource => ({
  value: undefined,
  faults,
  locate: (fault) => located(fault, { line: 1, column: 1 }),
});

/** One entry of an object as it was written. `Node` is what the parser of the format calls a value. */
export interface WrittenEntry<Node> {
  readonly name: string;
  readonly key: Node;
  readonly item: Node;
}

interface Reading<Node> {
  readonly isText: (item: Node) => boolean;
  readonly read: (item: Node, path: Path) => unknown;
  /** `atKey`: the fault is at the key instead of at its value. */
  readonly report: (fault: FaultAtPath, at: Node) => void;
}

/** The object that these entries describe: without comments, and with a fault for each key that appears twice. */
export function plainObject<Node>(
  written: readonly WrittenEntry<Node>[],
  path: Path,
  { isText, read, report }: Reading<Node>,
): object {
  const entries = new Map<string, unknown>();
  for (const { name, key, item } of written) {
    const at = [...path, name];
    if (isComment(name)) {
      if (!isText(item)) report(commentFault(at), item);
    } else if (entries.has(name))
      report({ code: 'config-duplicate-key', path: at, sentence: 'appears twice' }, key);
    // Assigning this name would set the object's prototype instead of adding a key.
    else if (name === '__proto__')
      report({ code: 'config-unknown-key', path: at, sentence: NO_SUCH_KEY }, key);
    else entries.set(name, read(item, at));
  }
  return Object.fromEntries(entries);
}

const isComment = (key: string): boolean => key === '$schema' || key.startsWith('//');

const commentFault = (path: Path): FaultAtPath => ({
  code: 'config-value',
  path,
  sentence: 'must be a string in double quotes, because it is a comment',
});
