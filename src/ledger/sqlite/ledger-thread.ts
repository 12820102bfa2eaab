import { systemClock } from '../../platform/clock.ts';
import { serveThread } from '../../platform/sqlite/serve-thread.ts';
import { openLedgerToServe } from './open.ts';

serveThread(openLedgerToServe, systemClock.monotonic);
