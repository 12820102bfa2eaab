/** The thread of `onSharedThread`: serves one ledger on each port that it gets. */
import { type MessagePort, parentPort } from 'node:worker_threads';
import { openLedgerToServe } from '../../src/ledger/sqlite/open.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { serveDatabase } from '../../src/platform/sqlite/serve-thread.ts';

parentPort?.on('message', (port: MessagePort) => {
  serveDatabase(port, openLedgerToServe, systemClock.monotonic);
});
