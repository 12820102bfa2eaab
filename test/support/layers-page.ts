import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Layer, layers } from './layers.ts';

export const LAYERS_PAGE = join(import.meta.dirname, '../../docs/contributing/layers.md');

/** docs/contributing/layers.md with its table as test/support/layers.ts has it. */
export function currentLayersPage(): string {
  const rows = Object.entries(layers).map(([folder, layer]) => row(folder, layer));
  const table = ['| folder | it may import | because |', '| --- | --- | --- |', ...rows].join('\n');
  return readFileSync(LAYERS_PAGE, 'utf8').replace(
    /(<!-- generated: layers -->\n)[\s\S]*?(<!-- end -->)/,
    (_, begin: string, end: string) => `${begin}\n${table}\n\n${end}`,
  );
}

const row = (folder: string, { imports, why }: Layer): string =>
  `| \`${folder}\` | ${others(folder, imports)
    .map((name) => `\`${name}\``)
    .join(', ')} | ${why} |`;

/** Every folder may import its own files, so the table leaves that out. */
const others = (folder: string, imports: readonly string[]): readonly string[] =>
  imports.filter((name) => name !== folder);
