/** How much is free on every disk, as Teller is told: a full disk cannot be had for a test. */
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { onTestFinished } from 'vitest';

/** Change `mib` at any time. */
export function freeDisk(mib = 50_000): { mib: number } {
  const free = { mib };
  const { statfs } = fs.promises;
  const fake = async () => ({ bavail: free.mib, bsize: 1024 * 1024 });
  Reflect.set(fs.promises, 'statfs', fake);
  syncBuiltinESMExports();
  onTestFinished(() => {
    Reflect.set(fs.promises, 'statfs', statfs);
    syncBuiltinESMExports();
  });
  return free;
}
