import { isDeepStrictEqual } from 'node:util';
import type { Document, ParsedNode, Scalar, YAMLMap } from 'yaml';
import { oneLineJson } from '../core/json.ts';
import { printableJson } from '../core/printable.ts';
import type { FormatEditor, Span } from './editor.ts';
import type { Path } from './fault.ts';
import { YAML_OPTIONS, yamlParser } from './yaml-parser.ts';

/** Edits YAML in place, so that comments, quotes and indentation stay as they are. */
export const yamlEditor: FormatEditor = { withValue, withEntry, withKey, textAt, secretSpans };

function withValue(text: string, path: Path, value: unknown): string {
  const document = parsed(text);
  const depth = path.findIndex((_, at) => !document.hasIn(path.slice(0, at + 1)));
  const key = path[depth];
  if (depth >= 0 && typeof key === 'string') {
    const nested = path.slice(depth + 1).reduceRight<unknown>((inner, name) => ({ [name]: inner }), value);
    return withEntry(text, path.slice(0, depth), key, nested);
  }
  const node = nodeAt(document, path);
  const spliced = node === null ? text : splice(text, node.range[0], node.range[1], oneLineJson(value));
  return soundOr(spliced, text, path, value);
}

function withEntry(text: string, section: Path, key: string, value: unknown): string {
  const map = nodeAt(parsed(text), section);
  const path = [...section, key];
  if (map === null) return withValue(text, path, value);
  if (!yamlParser().isMap(map)) return soundOr(text, text, path, value);
  const spliced = map.flow === true ? intoFlow(text, map, key, value) : intoBlock(text, map, key, value);
  return soundOr(spliced, text, path, value);
}

function withKey(text: string, path: Path, key: string): string {
  const map = nodeAt(parsed(text), path.slice(0, -1));
  if (map === null || !yamlParser().isMap(map)) return text;
  const name = (map as Map).items.find(
    (pair) => String((pair.key as Scalar.Parsed).value) === path.at(-1),
  )?.key;
  return name === undefined ? text : splice(text, name.range[0], name.range[1], keyText(key));
}

/** Falls back to writing the whole file anew, with its comments, if the edit in place did not do what it should. */
function soundOr(edited: string, text: string, path: Path, value: unknown): string {
  const wanted = parsed(text);
  wanted.setIn(path, value);
  const found = parsed(edited);
  const isSound = found.errors.length === 0 && isDeepStrictEqual(found.toJS(), wanted.toJS());
  return isSound ? edited : wanted.toString({ lineWidth: 0 });
}

function intoFlow(text: string, { items, range }: Map, key: string, value: unknown): string {
  const entry = `${keyText(key)}: ${oneLineJson(value)}`;
  const last = items.at(-1);
  if (last === undefined) return splice(text, range[0], range[1], `{ ${entry} }`);
  const end = (last.value ?? last.key).range[1];
  return splice(text, end, end, `, ${entry}`);
}

/** On the line after the last entry and its comment, with the same indentation. */
function intoBlock(text: string, map: Map, key: string, value: unknown): string {
  const first = map.items[0]?.key.range[0] ?? map.range[0];
  const indent = first - (text.lastIndexOf('\n', first - 1) + 1);
  const end = endOf(map);
  const isAtLineStart = text[end - 1] === '\n';
  const lineEnd = text.indexOf('\n', end);
  const at = isAtLineStart ? end : lineEnd < 0 ? text.length : lineEnd + 1;
  const eol = text.includes('\r\n') ? '\r\n' : '\n';
  const lead = at > 0 && text[at - 1] !== '\n' ? eol : '';
  return splice(text, at, at, `${lead}${' '.repeat(indent)}${keyText(key)}: ${oneLineJson(value)}${eol}`);
}

/** Where the text of a value ends; a block's own end may include comments that follow it. */
function endOf(node: ParsedNode): number {
  const { isCollection, isPair } = yamlParser();
  if (!isCollection(node) || node.flow === true) return node.range[1];
  const last = node.items.at(-1);
  const inner = isPair(last) ? (last.value ?? last.key) : last;
  return inner === undefined || inner === null ? node.range[1] : endOf(inner as ParsedNode);
}

type Map = YAMLMap.Parsed<ParsedNode, ParsedNode | null>;

const parsed = (text: string): Document.Parsed => yamlParser().parseDocument(text, YAML_OPTIONS);

const nodeAt = (document: Document.Parsed, path: Path): ParsedNode | null =>
  (document.getIn(path, true) as ParsedNode | undefined) ?? null;

const splice = (text: string, from: number, to: number, added: string): string =>
  text.slice(0, from) + added + text.slice(to);

/** Plain words need no quotes. Others are written as JSON, which is YAML too. */
const keyText = (key: string): string =>
  /^[A-Za-z][\w.-]*$/.test(key) && !/^(?:true|false|null|yes|no|on|off|y|n)$/i.test(key)
    ? key
    : printableJson(key);

function textAt(text: string, path: Path): string | null {
  const value = parsed(text).getIn(path);
  return typeof value === 'string' ? value : null;
}

function secretSpans(text: string, isSecret: (at: Path) => boolean): readonly Span[] {
  const spans: Span[] = [];
  const { isPair, isScalar, visit } = yamlParser();
  const nameOf = (key: unknown): string => (isScalar(key) ? String(key.value) : '');
  visit(parsed(text), {
    Pair: (_, { key, value }, around) => {
      const outer = around.flatMap((node) => (isPair(node) ? [nameOf(node.key)] : []));
      if (!isScalar(key) || !isScalar(value) || !isSecret([...outer, nameOf(key)])) return;
      const { range } = value as Scalar.Parsed;
      spans.push({ offset: range[0], length: range[1] - range[0], value: value.value });
    },
  });
  return spans;
}
