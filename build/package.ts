import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { bundle } from './bundle.ts';
import { licensesOf, packagesIn } from './licenses.ts';

/** Writes what the package ships as its `dist`. */
export async function buildPackage(folder: string): Promise<void> {
  const files = await bundle(folder);
  writeFileSync(join(folder, 'THIRD-PARTY-LICENSES.txt'), licensesOf(packagesIn(files)));
}
