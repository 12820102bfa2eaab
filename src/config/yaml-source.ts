import type { Document, LineCounter, Pair, ParsedNode, YAMLError } from 'yaml';
import type { ConfigFault, FaultAtPath, Path, Position } from './fault.ts';
import { type ConfigSource, located, plainObject, syntaxFault, unparsed } from './source.ts';
import { YAML_OPTIONS, yamlParser } from './yaml-parser.ts';

/** What the parser found, as plain values that one thread can send to another. */
export interface ReadYaml {
  readonly value: unknown;
  readonly faults: readonly ConfigFault[];
  /** Where each value and its key begin, by path as JSON. */
  readonly places: ReadonlyMap<string, Place>;
}

interface Place {
  readonly key: Position;
  readonly item: Position;
}

/**
 * Reads a config that is written as YAML 1.2. Anchors and tags are refused: a repeated value would be expanded without
 * bound, and an error in it would be reported far from where it is used.
 */
export function readYaml(text: string): ReadYaml {
  const bare = text.replace(/^\uFEFF/, '');
  if (isTooDeep(bare)) return notRead([syntaxFault('values are nested too deeply', { line: 1, column: 1 })]);
  const { LineCounter, parseDocument } = yamlParser();
  const lines = new LineCounter();
  const document = parseDocument(bare, { ...YAML_OPTIONS, lineCounter: lines, prettyErrors: false });
  const faults = syntaxFaults(document, lines);
  return faults.length > 0 ? notRead(faults) : new Reader(lines).read(document.contents);
}

/** Far deeper than any config. */
const DEPTH_MAX = 200;

/**
 * Checked before values are composed, which is recursive: where the stack overflows while a regular expression is compiled,
 * node ends the whole process instead of throwing.
 */
function isTooDeep(text: string): boolean {
  const { Lexer, Parser } = yamlParser();
  const parser = new Parser();
  for (const lexeme of new Lexer().lex(text)) {
    for (const _ of parser.next(lexeme)) {
      // Documents are of no use here.
    }
    if (parser.stack.length > DEPTH_MAX) return true;
  }
  return false;
}

/** The same with a lookup of positions. */
export function yamlSource({ value, faults, places }: ReadYaml): ConfigSource {
  if (value === undefined) return unparsed(faults);
  return { value, faults, locate: (fault) => located(fault, placeOf(fault, places)) };
}

const notRead = (faults: readonly ConfigFault[]): ReadYaml => ({
  value: undefined,
  faults,
  places: new Map(),
});

function placeOf({ code, path }: FaultAtPath, places: ReadYaml['places']): Position {
  for (let length = path.length; length >= 0; length -= 1) {
    const place = places.get(JSON.stringify(path.slice(0, length)));
    if (place === undefined) continue;
    return code === 'config-unknown-key' && length === path.length ? place.key : place.item;
  }
  return { line: 1, column: 1 };
}

function syntaxFaults(document: Document.Parsed, lines: LineCounter): readonly ConfigFault[] {
  const { errors, directives, contents } = document;
  const [first] = errors as readonly YAMLError[];
  // Later errors usually follow from the first one.
  if (first !== undefined) return [syntaxFault(yamlSentence(first), positionIn(lines, first.pos[0]))];
  const { version } = directives.yaml;
  if (version !== '1.2')
    return [
      syntaxFault(`the config is read as YAML 1.2, not ${version}; remove %YAML`, { line: 1, column: 1 }),
    ];
  return contents === null ? [syntaxFault('the file is empty', { line: 1, column: 1 })] : [];
}

const positionIn = (lines: LineCounter, offset: number): Position => {
  const { line, col } = lines.linePos(offset);
  return { line: Math.max(line, 1), column: Math.max(col, 1) };
};

/** Something that a config may not contain although it is YAML. */
class NotAllowed extends Error {
  constructor(
    readonly sentence: string,
    readonly offset: number,
  ) {
    super(sentence);
  }
}

class Reader {
  private readonly faults: ConfigFault[] = [];
  private readonly places = new Map<string, Place>();

  constructor(private readonly lines: LineCounter) {}

  read(root: ParsedNode | null): ReadYaml {
    try {
      if (root !== null) this.note([], root, root);
      const value = this.valueOf(root, []);
      return { value, faults: this.faults, places: this.places };
    } catch (error) {
      if (!(error instanceof NotAllowed)) throw error;
      return notRead([syntaxFault(error.sentence, positionIn(this.lines, error.offset))]);
    }
  }

  private note(path: Path, key: ParsedNode, item: ParsedNode): void {
    const at = (node: ParsedNode): Position => positionIn(this.lines, node.range[0]);
    this.places.set(JSON.stringify(path), { key: at(key), item: at(item) });
  }

  private valueOf(node: ParsedNode | null, path: Path): unknown {
    if (node === null) return null;
    const { isAlias, isMap, isScalar, isSeq } = yamlParser();
    if (isAlias(node) || node.anchor !== undefined) throw new NotAllowed(NO_ANCHORS, node.range[0]);
    if (node.tag !== undefined) throw new NotAllowed(NO_TAGS, node.range[0]);
    if (isMap(node)) return this.objectOf(node.items as readonly Pair<ParsedNode, ParsedNode | null>[], path);
    if (isSeq(node)) return node.items.map((item, at) => this.itemOf(item as ParsedNode, [...path, at]));
    return isScalar(node) ? node.value : null;
  }

  private itemOf(item: ParsedNode, path: Path): unknown {
    this.note(path, item, item);
    return this.valueOf(item, path);
  }

  private objectOf(pairs: readonly Pair<ParsedNode, ParsedNode | null>[], path: Path): object {
    const { isScalar } = yamlParser();
    const entries = pairs.map(({ key, value }) => ({
      name: this.nameOf(key),
      key,
      item: value ?? key,
      value,
    }));
    const values = new Map(entries.map(({ item, value }) => [item, value]));
    for (const { name, key, item } of entries.toReversed()) this.note([...path, name], key, item);
    return plainObject<ParsedNode>(entries, path, {
      isText: (item) => isScalar(item) && typeof item.value === 'string',
      read: (item, at) => this.valueOf(values.get(item) ?? null, at),
      report: (fault, at) => this.faults.push(located(fault, positionIn(this.lines, at.range[0]))),
    });
  }

  /** The key as it was written: a service may be called 1.10 or no. */
  private nameOf(key: ParsedNode): string {
    const { isScalar } = yamlParser();
    if (!isScalar(key)) throw new NotAllowed(NO_KEY, key.range[0]);
    if (key.anchor !== undefined) throw new NotAllowed(NO_ANCHORS, key.range[0]);
    if (key.tag !== undefined) throw new NotAllowed(NO_TAGS, key.range[0]);
    return key.source ?? String(key.value);
  }
}

const NO_ANCHORS =
  'anchors (&) and aliases (*) are not supported; write the value out, or in quotes if it is text';
const NO_TAGS = 'tags (!) are not supported; put text that begins with ! in quotes';
const NO_KEY = 'expected a key here; put a key or a text that begins with [ or { in quotes';

/** The sentence for a syntax error in YAML: what to do, for the mistakes that are made most, or what the parser says. */
const yamlSentence = ({ code, message }: YAMLError): string => SENTENCES[code] ?? plain(message);

const QUOTE =
  'put text that contains ": " or " #", or that begins with one of { } [ ] , & * # ? | - < > = ! % @ `, in quotes';

const SENTENCES: Readonly<Record<string, string>> = {
  TAB_AS_INDENT: 'YAML is indented with spaces; replace this tab',
  BAD_INDENT: 'the indentation differs from the lines that belong together with this one',
  BAD_SCALAR_START: `this character has a meaning of its own in YAML; ${QUOTE}`,
  BLOCK_AS_IMPLICIT_KEY: `a key and its value belong on one line, and a line has one key; ${QUOTE}`,
  MULTILINE_IMPLICIT_KEY: `expected a colon and a value after a key; ${QUOTE}`,
  MISSING_CHAR: `a quote, a bracket or a comma is missing here, or a space after a colon; ${QUOTE}`,
  UNEXPECTED_TOKEN: `this does not belong here; ${QUOTE}`,
  BLOCK_IN_FLOW: `inside brackets, a key and its value belong together on one line; ${QUOTE}`,
  MULTIPLE_DOCS: 'the file has a second document; remove the line ---',
  BAD_ALIAS: 'anchors (&) and aliases (*) are not supported; write the value out, or in quotes if it is text',
};

const plain = (message: string): string => message.charAt(0).toLowerCase() + message.slice(1);
