import type { FormattingOptions } from 'jsonc-parser';
import { commonJs } from '../core/common-js.ts';
import { oneLineJson } from '../core/json.ts';
import { printableJson } from '../core/printable.ts';
import type { FormatEditor, Span } from './editor.ts';
import type { Path } from './fault.ts';
import { type Node, nodeAt, type Piece, parseJsonc, piecesFrom } from './jsonc.ts';

const { applyEdits, modify } = commonJs('jsonc-parser') as typeof import('jsonc-parser');

const BOM = '\uFEFF';

/** An entry that would make its line longer than this goes on its own line. */
const LINE_MAX = 120;

export const jsonEditor: FormatEditor = { withValue, withEntry, withKey, textAt, secretSpans };

function withValue(text: string, path: Path, value: unknown): string {
  const { root } = parseJsonc(bare(text));
  const depth = path.findIndex((_, at) => nodeAt(root, path.slice(0, at + 1)) === undefined);
  const key = path[depth];
  if (depth >= 0 && typeof key === 'string' && nodeAt(root, path.slice(0, depth))?.type === 'object') {
    const nested = path.slice(depth + 1).reduceRight<unknown>((inner, name) => ({ [name]: inner }), value);
    return withEntry(text, path.slice(0, depth), key, nested);
  }
  return edited(text, (json) => {
    const node = nodeAt(parseJsonc(json).root, path);
    const isOneLine = node?.type === 'object' && !/[\r\n]/.test(textOf(json, node));
    return isOneLine
      ? onItsLine(json, node, value)
      : applyEdits(json, modify(json, [...path], value, { formattingOptions: formattingOf(json) }));
  });
}

/** An object that was on one line stays on one; if that is too long for the entry's line, the entry gets its own. */
function onItsLine(text: string, node: Node, value: unknown): string {
  const written = replaced(text, node, oneLineJson(value));
  const [entry, object] = [node.parent, node.parent?.parent];
  const isShort = lineAt(written, node.offset).length <= LINE_MAX;
  if (isShort || object === undefined || /[\r\n]/.test(textOf(text, object)) || hasComment(text, object))
    return written;
  const entries = (object.children ?? []).map((each) =>
    each === entry
      ? `${textOf(text, each.children?.[0] as Node)}: ${oneLineJson(value)}`
      : textOf(text, each),
  );
  return onLines(text, object, entries);
}

function withKey(text: string, path: Path, key: string): string {
  return edited(text, (json) => {
    const [name] = nodeAt(parseJsonc(json).root, path)?.parent?.children ?? [];
    return name === undefined ? json : replaced(json, name, printableJson(key));
  });
}

/** Comments stay with the entry that they are next to, and a comma after the last entry stays one. */
function withEntry(text: string, section: Path, key: string, value: unknown): string {
  const object = nodeAt(parseJsonc(bare(text)).root, section);
  if (object?.type !== 'object') return withValue(text, [...section, key], value);
  const entry = `${printableJson(key)}: ${oneLineJson(value)}`;
  const last = object.children?.at(-1);
  return edited(text, (json) =>
    last === undefined ? intoEmpty(json, object, entry) : after(last, json, object, entry),
  );
}

const edited = (text: string, edit: (json: string) => string): string =>
  (text.startsWith(BOM) ? BOM : '') + edit(bare(text));

const bare = (text: string): string => (text.startsWith(BOM) ? text.slice(BOM.length) : text);

function after(last: Node, text: string, object: Node, entry: string): string {
  const { offset } = last;
  const end = offset + last.length;
  const pieces = piecesFrom(text, end);
  const hasComma = pieces.some(({ kind }) => kind === 'comma');
  const tail = sameLine(pieces);
  const isCommented = tail.some(({ kind }) => kind === 'line-comment');
  const indent = /(?:\r\n|\n|\r)[ \t]*$/.exec(text.slice(0, offset))?.[0];
  const isOwnLine = indent !== undefined || isCommented;
  const lead = indent ?? (isCommented ? newLineIn(object, text) : ' ');
  const to = Math.max(end, ...tail.filter(isNoSpace).map((piece) => piece.end));
  const rest = text.slice(end, to);
  const comma = hasComma ? '' : ',';
  const before = text.slice(0, end) + (isOwnLine ? comma + rest : rest + comma);
  const added = before + lead + entry + (hasComma ? ',' : '') + text.slice(to);
  const isTooLong = !isOwnLine && lineAt(added, offset).length > LINE_MAX;
  if (!isTooLong || hasComment(text, object)) return added;
  return onLines(text, object, [...(object.children ?? []).map((each) => textOf(text, each)), entry]);
}

/** The pieces up to the end of the line; if a comma follows on a later line, up to the end of that one. */
function sameLine(pieces: readonly Piece[]): readonly Piece[] {
  const comma = pieces.findIndex(({ kind }) => kind === 'comma');
  const lineEnd = pieces.findIndex(({ kind }, at) => kind === 'line-break' && at > comma);
  return lineEnd < 0 ? pieces : pieces.slice(0, lineEnd);
}

const isNoSpace = ({ kind }: Piece): boolean => kind !== 'space' && kind !== 'line-break';

function intoEmpty(text: string, object: Node, entry: string): string {
  const pieces = piecesFrom(text, object.offset + 1);
  const comment = pieces.findLast(isNoSpace);
  if (comment === undefined) return replaced(text, object, `{ ${entry} }`);
  const hasLines = pieces.some(({ kind }) => kind === 'line-break');
  const lead = hasLines ? newLineIn(object, text) : ' ';
  return text.slice(0, comment.end) + lead + entry + text.slice(comment.end);
}

/** Between the entries of an object only: comments inside their values do not count. */
const hasComment = (text: string, { offset, children = [] }: Node): boolean =>
  [offset + 1, ...children.map((entry) => entry.offset + entry.length)]
    .flatMap((at) => piecesFrom(text, at))
    .some(({ kind }) => kind === 'line-comment' || kind === 'block-comment');

/** Puts these entries into a one-line object, each on its own line. */
function onLines(text: string, object: Node, entries: readonly string[]): string {
  const lead = newLineIn(object, text);
  const lines = entries.map((each) => lead + each).join(',');
  return replaced(text, object, `{${lines}${eolOf(text)}${indentAt(text, object.offset)}}`);
}

/** A line break, and the indentation of an entry of the object. */
function newLineIn({ offset }: Node, text: string): string {
  const { insertSpaces, tabSize = 2 } = formattingOf(text);
  return eolOf(text) + indentAt(text, offset) + (insertSpaces ? ' '.repeat(tabSize) : '\t');
}

const indentAt = (text: string, offset: number): string => /^[ \t]*/.exec(lineAt(text, offset))?.[0] ?? '';

const textOf = (text: string, { offset, length }: Node): string => text.slice(offset, offset + length);

const replaced = (text: string, { offset, length }: Node, by: string): string =>
  text.slice(0, offset) + by + text.slice(offset + length);

const lineAt = (text: string, offset: number): string =>
  text.slice(text.lastIndexOf('\n', offset) + 1).split(/\r|\n/, 1)[0] as string;

const eolOf = (text: string): string => (text.includes('\r\n') ? '\r\n' : '\n');

function formattingOf(text: string): FormattingOptions {
  const indent = /\n([ \t]+)"/.exec(text)?.[1] ?? '  ';
  return { insertSpaces: !indent.startsWith('\t'), tabSize: indent.length, eol: eolOf(text) };
}

function textAt(text: string, path: Path): string | null {
  const node = nodeAt(parseJsonc(bare(text)).root, path);
  return node?.type === 'string' ? String(node.value) : null;
}

function secretSpans(text: string, isSecret: (at: Path) => boolean): readonly Span[] {
  const { root } = parseJsonc(text.replace(BOM, ' '));
  return root === undefined ? [] : spansIn(root, [], isSecret);
}

function spansIn(node: Node, at: Path, isSecret: (at: Path) => boolean): readonly Span[] {
  const [key, value] = node.type === 'property' ? (node.children ?? []) : [];
  if (value === undefined) return (node.children ?? []).flatMap((child) => spansIn(child, at, isSecret));
  const inner = [...at, String(key?.value)];
  return value.children === undefined && isSecret(inner)
    ? [{ offset: value.offset, length: value.length, value: value.value }]
    : spansIn(value, inner, isSecret);
}
