import { isLockHeld, lockFileOf } from '../db/lock.ts';
import { askToReload, liveEntries } from './control/client.ts';
import type { Reply } from './control/messages.ts';
import { controlFolder } from './control/place.ts';

/** The result of a reload in one of the processes that use a ledger. */
export interface ProcessReload {
  readonly pid: number;
  readonly startedAt: number;
  readonly configFile: string;
  /** `unreachable`: the process is running but cannot be contacted, or it ended before it answered. */
  readonly reply: Reply | { readonly kind: 'unreachable' };
}

/** Whether any process pays rewards from this ledger, even if this user may not read its control folder. */
export const isPaying = (ledgerFile: string): boolean => isLockHeld(lockFileOf(ledgerFile));

/** Asks every process that uses this ledger to reload the config it was started with; empty if none is running. */
export async function reloadRunning(ledgerFile: string): Promise<readonly ProcessReload[]> {
  const folder = controlFolder(ledgerFile);
  const entries = await liveEntries(folder);
  return Promise.all(
    entries.map(async ({ id, published: { pid, startedAt, configFile } }) => {
      const reply = (await askToReload(folder, id)) ?? { kind: 'unreachable' as const };
      return { pid, startedAt, configFile, reply };
    }),
  );
}
