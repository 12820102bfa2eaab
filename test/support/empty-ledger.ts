import { copyFileSync, existsSync, readdirSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { inject } from 'vitest';

/**
 * Puts a ledger without votes there if nothing of a ledger is, because creating its tables takes longer than most tests of a
 * ledger. Started processes create their own.
 */
export function placeEmptyLedger(file: string): void {
  const [folder, name] = [dirname(file), basename(file)];
  if (file === ':memory:') return;
  // A -wal, mark or lock without a ledger means that one was lost, which is for the ledger to find.
  if (!existsSync(folder) || readdirSync(folder).some((entry) => entry.startsWith(name))) return;
  copyFileSync(inject('emptyLedger'), file);
}
