/**
 * Teller as `teller run` starts it, but with another ledger. One JSON argument: an `AppOrder`.
 */

import { readyLine } from '../../src/commands/run.ts';
import { loadConfig } from '../../src/config/load.ts';
import type { Ledger } from '../../src/ledger/ledger.ts';
import { openLedger } from '../../src/ledger/sqlite/in-process.ts';
import { told } from '../../src/ledger/told.ts';
import { startApp } from '../../src/main/app.ts';
import { environment } from '../../src/main/environment.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { createLog } from '../../src/platform/log.ts';
import { systemRandom } from '../../src/platform/random.ts';
import { stopSignal } from '../../src/platform/signals.ts';
import { systemTerminal } from '../../src/platform/terminal.ts';
import { decide } from '../../src/rewards/decide.ts';
import { NO_HISTORY } from '../../src/rewards/history.ts';

export interface AppOrder {
  readonly config: string;
  /** `in-process`: SQLite on the main thread. `no-commit`: votes are decided and answered, but not stored. */
  readonly ledger: 'in-process' | 'no-commit';
}

const order = JSON.parse(process.argv[2] ?? '') as AppOrder;
let recorded = 0;

const withoutCommits = (ledger: Ledger): Ledger => ({
  ...ledger,
  record: async (arrival) => ({
    kind: 'new',
    id: ++recorded,
    decision: told(decide(arrival, [], NO_HISTORY)),
  }),
});

const terminal = systemTerminal.unblock?.() ?? systemTerminal;
const config = await loadConfig(order.config);
const log = createLog(config.log.level, terminal, config.log.format);
const app = await startApp(config, {
  ...environment(systemClock, systemRandom, log),
  openLedger: async (file) => {
    const ledger = await openLedger(file, 'create', { clock: systemClock });
    return order.ledger === 'no-commit' ? withoutCommits(ledger) : ledger;
  },
});
const stopped = stopSignal();
terminal.out(JSON.stringify(readyLine(config, app)));
await stopped;
await app.close();
