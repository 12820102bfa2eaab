import { type Node, parseJsonc } from './jsonc.ts';
import { SECRET_KEYS } from './named-secrets.ts';

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
export function maskSecrets(text: string): string {
  const { root } = parseJsonc(text.replace('\uFEFF', ' '));
  const found = root === undefined ? [] : secretsIn(root).sort((a, b) => b.offset - a.offset);
  return found.reduce(
    (masked, node) => masked.slice(0, node.offset) + MASK + masked.slice(node.offset + node.length),
    text,
  );
}

const MASK = '"(secret)"';

function secretsIn(node: Node): Node[] {
  const [key, value] = node.type === 'property' ? (node.children ?? []) : [];
  const isSecret = value?.children === undefined && SECRET_KEYS.has(key?.value);
  if (value !== undefined && isSecret) return /^(?:file|env):/.test(String(value.value)) ? [] : [value];
  return (node.children ?? []).flatMap(secretsIn);
}
