/** What is in the folder of a config besides it. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { inject } from 'vitest';

/** Writes the key pair of all tests of a run, because creating one takes a fifth of a second. */
export function writeKeyPair(folder: string): void {
  const { privateKey, publicKey } = inject('keyPair');
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  writeFileSync(join(folder, 'private.key'), privateKey, { mode: 0o600 });
  writeFileSync(join(folder, 'public.key'), publicKey);
}
