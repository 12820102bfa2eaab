import { realpath, stat } from 'node:fs/promises';
import {
  applyEdits,
  type FormattingOptions,
  findNodeAtLocation,
  modify,
  type Node,
  parseTree,
} from 'jsonc-parser';
import { printableJson } from '../core/printable.ts';
import { writeWhole } from '../runtime/write-file.ts';
import type { Path } from './fault.ts';

const BOM = '\uFEFF';

/** Sets one value in a config's text. The line of the value may be reformatted; all other lines stay as they are. */
export function withValue(text: string, path: Path, value: unknown): string {
  const bom = text.startsWith(BOM) ? BOM : '';
  const bare = text.slice(bom.length);
  return bom + applyEdits(bare, modify(bare, [...path], value, { formattingOptions: formattingOf(bare) }));
}

/** An entry that would make its line longer than this goes on its own line. */
const LINE_MAX = 120;

/** Adds an entry to an object in a config's text, formatted like the entries before it. Nothing else changes. */
export function withEntry(text: string, section: Path, key: string, value: unknown): string {
  const bom = text.startsWith(BOM) ? BOM : '';
  const bare = text.slice(bom.length);
  const root = parseTree(bare);
  const object = root === undefined ? undefined : findNodeAtLocation(root, [...section]);
  if (object?.type !== 'object') return withValue(text, [...section, key], value);
  const entry = `${printableJson(key)}: ${JSON.stringify(value)}`;
  const last = object.children?.at(-1);
  if (last === undefined) return bom + replaced(bare, object, `{ ${entry} }`);
  const [indent] = /(?:\r\n|\n|\r)[ \t]*$/.exec(bare.slice(0, last.offset)) ?? [];
  const added = insertedAt(bare, last.offset + last.length, `,${indent ?? ' '}${entry}`);
  const isTooLong = indent === undefined && lineAt(added, last.offset).length > LINE_MAX;
  return bom + (isTooLong ? onLines(bare, object, entry) : added);
}

/** Puts each entry of a one-line object on its own line, and adds one. The entries do not change. */
function onLines(text: string, object: Node, entry: string): string {
  const { eol = '\n', insertSpaces, tabSize = 2 } = formattingOf(text);
  const outer = /^[ \t]*/.exec(lineAt(text, object.offset))?.[0] ?? '';
  const inner = outer + (insertSpaces ? ' '.repeat(tabSize) : '\t');
  const present = (object.children ?? []).map(({ offset, length }) => text.slice(offset, offset + length));
  const lines = [...present, entry].map((each) => inner + each).join(`,${eol}`);
  return replaced(text, object, `{${eol}${lines}${eol}${outer}}`);
}

const insertedAt = (text: string, offset: number, added: string): string =>
  text.slice(0, offset) + added + text.slice(offset);

const replaced = (text: string, { offset, length }: Node, by: string): string =>
  text.slice(0, offset) + by + text.slice(offset + length);

const lineAt = (text: string, offset: number): string =>
  text.slice(text.lastIndexOf('\n', offset) + 1).split(/\r|\n/, 1)[0] as string;

function formattingOf(text: string): FormattingOptions {
  const indent = /\n([ \t]+)"/.exec(text)?.[1] ?? '  ';
  return {
    insertSpaces: !indent.startsWith('\t'),
    tabSize: indent.length,
    eol: text.includes('\r\n') ? '\r\n' : '\n',
  };
}

/** The string at a path of a config's text; null if there is none. */
export function textAt(text: string, path: Path): string | null {
  const root = parseTree(text.replace(BOM, ''));
  const node = root === undefined ? undefined : findNodeAtLocation(root, [...path]);
  return node?.type === 'string' ? String(node.value) : null;
}

/**
 * Replaces an existing config, following links and keeping its permissions.
 * @throws Problem `data-unwritable`
 */
export async function rewriteConfig(file: string, text: string): Promise<void> {
  const target = await realpath(file);
  const { mode } = await stat(target);
  await writeWhole(target, text, mode & 0o777);
}
