import type { Config } from '../config/config.ts';
import { loadConfig } from '../config/load.ts';
import type { Clock } from '../core/clock.ts';
import type { Ledger } from '../ledger/ledger.ts';
import { openLedger } from '../ledger/sqlite/in-process.ts';

/** Runs `body` with the ledger that the config names. `read` if the command changes nothing (rule 6). */
export async function withLedger<Result>(
  configFile: string,
  mode: 'read' | 'write',
  clock: Clock,
  body: (ledger: Ledger, config: Config) => Promise<Result>,
): Promise<Result> {
  // Reading the ledger needs no secret, and the operator's shell may not have them.
  const config = await loadConfig(configFile, { missingSecrets: 'defer' });
  const ledger = await openLedger(config.ledger, mode, { clock });
  try {
    return await body(ledger, config);
  } finally {
    await ledger.close();
  }
}
