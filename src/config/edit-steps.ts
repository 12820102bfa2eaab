import { ownModule } from '../platform/own-module.ts';
import { startThread } from '../platform/thread.ts';
import { editorOf } from './edit.ts';
import type { Path } from './fault.ts';
import { isSecretAt } from './named-secrets.ts';
import { isYaml } from './yaml-parser.ts';

/** One step of an edit of a config, as a plain value. */
export type EditStep =
  /** Sets one value. */
  | { readonly kind: 'value'; readonly path: Path; readonly value: unknown }
  /** Adds an entry to an object. */
  | { readonly kind: 'entry'; readonly section: Path; readonly key: string; readonly value: unknown }
  /** Gives an entry another key. */
  | { readonly kind: 'key'; readonly path: Path; readonly key: string };

export interface EditedText {
  readonly text: string;
  /** The lines that change, with secrets masked: `- ` and `+ ` before each. */
  readonly diff: readonly string[];
}

export interface EditOrder {
  readonly file: string;
  readonly text: string;
  readonly steps: readonly EditStep[];
}

/**
 * Takes these steps in a config's text, one after the other. YAML is edited on a thread of its own, because loading its
 * parser reads files and a page of a running Teller may edit the config (rule 13).
 */
export const editText = async (order: EditOrder): Promise<EditedText> =>
  isYaml(order.file) ? editOnThread(order) : editedText(order);

const MODULE = ownModule('edit-thread', import.meta.url);

const editOnThread = (order: EditOrder): Promise<EditedText> =>
  new Promise((resolve, reject) => {
    const thread = startThread(MODULE, order);
    thread.once('message', resolve).once('error', reject);
    thread.once('exit', (code) => reject(new Error(`the thread that edits YAML ended with code ${code}`)));
  });

/** On this thread. */
export function editedText({ file, text, steps }: EditOrder): EditedText {
  const after = steps.reduce((so, step) => taken(file, so, step), text);
  return { text: after, diff: changedLines(maskSecrets(text, file), maskSecrets(after, file)) };
}

function taken(file: string, text: string, step: EditStep): string {
  const editor = editorOf(file);
  switch (step.kind) {
    case 'value':
      return editor.withValue(text, step.path, step.value);
    case 'entry':
      return editor.withEntry(text, step.section, step.key, step.value);
    case 'key':
      return editor.withKey(text, step.path, step.key);
  }
}

/** The lines that an edit in one place removes and adds. */
export function changedLines(before: string, after: string): readonly string[] {
  const [old, now] = [before, after].map((text) => text.split(/\r\n|\n|\r/)) as [string[], string[]];
  const shorter = Math.min(old.length, now.length);
  let start = 0;
  while (start < shorter && old[start] === now[start]) start += 1;
  let end = 0;
  while (end < shorter - start && old.at(-1 - end) === now.at(-1 - end)) end += 1;
  return [
    ...old.slice(start, old.length - end).map((line) => `- ${line}`),
    ...now.slice(start, now.length - end).map((line) => `+ ${line}`),
  ];
}

/** Masks the secrets in a config's text. References (`file:`, `env:`) stay as they are (rule 10). */
function maskSecrets(text: string, file: string): string {
  return editorOf(file)
    .secretSpans(text, isSecretAt)
    .filter(({ value }) => !/^(?:file|env):/.test(String(value)))
    .toSorted((a, b) => b.offset - a.offset)
    .reduce(
      (masked, { offset, length }) => masked.slice(0, offset) + MASK + masked.slice(offset + length),
      text,
    );
}

const MASK = '"(secret)"';
