import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { bundle } from './bundle.ts';
import { licensesOf, packagesIn } from './licenses.ts';

/** Writes what the package ships as its `dist`. */
export async function buildPackage(folder: string): Promise<void> {
  const files = await bundle(folder);
  writeFileSync(join(folder, 'THIRD-PARTY-LICENSES.txt'), licensesOf(packagesIn(files)));
  writeFileSync(join(folder, 'vote-teller.d.ts'), declarations());
}

const API = join(import.meta.dirname, '../src/library/api.ts');

/** The types, and one function for each type of a function: `SendVote` is that of `sendVote`. */
export function declarations(): string {
  const types = readFileSync(API, 'utf8');
  const functions = [...types.matchAll(/^export type (\w)(\w+) = \(/gm)];
  const declared = functions.map(
    ([, first = '', rest]) => `export declare const ${first.toLowerCase()}${rest}: ${first}${rest};\n`,
  );
  return `${types}\n${declared.join('')}`;
}
