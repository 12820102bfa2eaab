import { editorOf } from './edit.ts';
import { isSecretAt } from './named-secrets.ts';

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
export function maskSecrets(text: string, file: string): string {
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
