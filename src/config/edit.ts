import { realpath, stat } from 'node:fs/promises';
import { applyEdits, type FormattingOptions, findNodeAtLocation, modify, parseTree } from 'jsonc-parser';
import { writeWhole } from '../runtime/write-file.ts';
import type { Path } from './fault.ts';

const BOM = '\uFEFF';

/** A config's text with one value set. What is on the same line may be laid out anew; every other line stays. */
export function withValue(text: string, path: Path, value: unknown): string {
  const bom = text.startsWith(BOM) ? BOM : '';
  const bare = text.slice(bom.length);
  return bom + applyEdits(bare, modify(bare, [...path], value, { formattingOptions: formattingOf(bare) }));
}

function formattingOf(text: string): FormattingOptions {
  const indent = /\n([ \t]+)"/.exec(text)?.[1] ?? '  ';
  return {
    insertSpaces: !indent.startsWith('\t'),
    tabSize: indent.length,
    eol: text.includes('\r\n') ? '\r\n' : '\n',
  };
}

/** What stands at a path of a config's text, if it is a text. */
export function textAt(text: string, path: Path): string | null {
  const root = parseTree(text.replace(BOM, ''));
  const node = root === undefined ? undefined : findNodeAtLocation(root, [...path]);
  return node?.type === 'string' ? String(node.value) : null;
}

/**
 * Writes a config that exists, through a link and with the rights it has.
 * @throws Problem `data-unwritable`
 */
export async function rewriteConfig(file: string, text: string): Promise<void> {
  const target = await realpath(file);
  const { mode } = await stat(target);
  await writeWhole(target, text, mode & 0o777);
}
