import type { Config } from '../config/config.ts';
import { wantedConnections } from '../config/wanted-connections.ts';
import { liveEntries } from '../control/client.ts';
import { controlFolder } from '../control/place.ts';
import { connectionCaps } from '../core/connection-caps.ts';
import { openFileLimit } from '../runtime/open-files.ts';

export interface OpenFiles {
  /** How many files may be open at once. */
  readonly most: number;
  /** Whether the limit is that of the running Teller; otherwise it is this process's. */
  readonly isOfRunning: boolean;
  /** How many connections at once the config asks for, and how many fit under the limit. */
  readonly wanted: number;
  readonly taken: number;
}

/** null if the operating system does not report the limit. */
export async function openFiles(config: Config): Promise<OpenFiles | null> {
  const [running] = await liveEntries(controlFolder(config.ledger));
  const most = openFileLimit(running?.published.pid);
  if (most === null) return null;
  const wanted = wantedConnections(config);
  const { listener: taken } = connectionCaps(most, wanted);
  return { most, isOfRunning: running !== undefined, wanted: wanted.listener, taken };
}
