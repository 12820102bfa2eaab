import type { Config } from '../config/config.ts';
import { wantedConnections } from '../config/wanted-connections.ts';
import { connectionCaps } from '../core/connection-caps.ts';
import { openFileLimitOf } from '../platform/open-files.ts';
import { liveEntries } from './control/client.ts';

export interface OpenFiles {
  /** How many files may be open at once. */
  readonly most: number;
  /** Whether the limit is that of the running Teller; otherwise it is this process's. */
  readonly isOfRunning: boolean;
  /** How many connections at once the config asks for, and how many fit under the limit. */
  readonly wanted: number;
  readonly taken: number;
}

/** null if the operating system does not report the limit. @param folder that of the control of the ledger. */
export async function openFiles(config: Config, folder: string): Promise<OpenFiles | null> {
  const [running] = await liveEntries(folder);
  const most = await openFileLimitOf(running?.published.pid ?? 'self');
  if (most === null) return null;
  const wanted = wantedConnections(config);
  const { listener: taken } = connectionCaps(most, wanted);
  return { most, isOfRunning: running !== undefined, wanted: wanted.listener, taken };
}
