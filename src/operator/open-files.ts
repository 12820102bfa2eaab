import type { Config } from '../config/config.ts';
import { wantedConnections } from '../config/wanted-connections.ts';
import { liveEntries } from '../control/client.ts';
import { controlFolder } from '../control/place.ts';
import { connectionCaps } from '../core/connection-caps.ts';
import { openFileLimit } from '../runtime/open-files.ts';

export interface OpenFiles {
  /** Files that may be open at one time. */
  readonly most: number;
  /** Whose limit that is: of the process that records into this ledger, or where none runs, of this one. */
  readonly isOfRunning: boolean;
  /** Connections at one time that the config asks for, and those that fit below the limit. */
  readonly wanted: number;
  readonly taken: number;
}

/** null where the system does not say. */
export async function openFiles(config: Config): Promise<OpenFiles | null> {
  const [running] = await liveEntries(controlFolder(config.ledger));
  const most = openFileLimit(running?.published.pid);
  if (most === null) return null;
  const wanted = wantedConnections(config);
  const { listener: taken } = connectionCaps(most, wanted);
  return { most, isOfRunning: running !== undefined, wanted: wanted.listener, taken };
}
