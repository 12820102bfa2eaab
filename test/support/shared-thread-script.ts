/** The thread of `onSharedThread`: serves one ledger on each port that it gets. */
import { type MessagePort, parentPort } from 'node:worker_threads';
import { serveThread } from '../../src/db/worker.ts';
import { openLedgerToServe } from '../../src/ledger/ledger.ts';
import { systemClock } from '../../src/platform/clock.ts';

parentPort?.on('message', (port: MessagePort) => {
  serveThread(openLedgerToServe, systemClock.monotonic, port);
});
