import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const PACKAGES = join(import.meta.dirname, '../node_modules');

/** The packages whose files are in a bundle, in the order of the alphabet. */
export const packagesIn = (files: readonly string[]): string[] =>
  [
    ...new Set(files.flatMap((file) => /.*node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(file)?.[1] ?? [])),
  ].sort();

/** The licence of each package, as the package has it. Throws if one has none, because it may not be shipped then. */
export const licensesOf = (packages: readonly string[]): string =>
  ['The files in this folder contain code of the packages below.', ...packages.map(licenseOf)].join('\n\n') +
  '\n';

function licenseOf(name: string): string {
  const folder = join(PACKAGES, name);
  const file = readdirSync(folder).find((found) => /^licen[cs]e/i.test(found));
  if (file === undefined) throw new Error(`${name} has no file with its licence, so it cannot be bundled`);
  const { version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  return `## ${name} ${version}\n\n${readFileSync(join(folder, file), 'utf8').trim()}`;
}
