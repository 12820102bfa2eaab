import type { Config } from '../config/config.ts';
import { loadConfig } from '../config/load.ts';
import type { Clock } from '../core/clock.ts';
import type { Ledger } from '../ledger/ledger.ts';
import { openLedger } from '../ledger/sqlite/in-process.ts';
import { ledgerClock } from '../operator/practice-clock.ts';

/**
 * Runs `body` with the ledger that the config names, and the clock of the Tellers that record into it. `read` if the
 * command changes nothing (rule 6).
 */
export async function withLedger<Result>(
  configFile: string,
  mode: 'read' | 'write',
  clock: Clock,
  body: (ledger: Ledger, config: Config, time: Clock) => Promise<Result>,
): Promise<Result> {
  // Reading the ledger needs no secret, and the operator's shell may not have them.
  const config = await loadConfig(configFile, { missingSecrets: 'defer' });
  const time = ledgerClock(config, clock);
  const ledger = await openLedger(config.ledger, mode, { clock: time });
  try {
    return await body(ledger, config, time);
  } finally {
    await ledger.close();
  }
}
