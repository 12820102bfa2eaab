import { askToReload, liveEntries } from '../control/client.ts';
import type { Reply } from '../control/messages.ts';
import { controlFolder } from '../control/place.ts';
import { isLockHeld, lockFileOf } from '../sqlite/lock.ts';

/** What became of a reload in one of the processes that record into a ledger. */
export interface ProcessReload {
  readonly pid: number;
  readonly startedAt: number;
  readonly configFile: string;
  /** `unreachable`: it runs and cannot be told, or it ended before it answered. */
  readonly reply: Reply | { readonly kind: 'unreachable' };
}

/** Whether some process pays rewards from this ledger, also where its control folder is closed to this user. */
export const isPaying = (ledgerFile: string): boolean => isLockHeld(lockFileOf(ledgerFile));

/** Has every process that records into this ledger reload the config that it was started with; empty where none runs. */
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
