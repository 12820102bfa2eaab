import { serveThread } from '../db/worker.ts';
import { systemClock } from '../platform/clock.ts';
import { openLedgerToServe } from './ledger.ts';

serveThread(openLedgerToServe, systemClock.monotonic);
