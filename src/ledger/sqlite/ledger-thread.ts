import { systemClock } from '../../runtime/clock.ts';
import { serveThread } from '../../sqlite/serve-thread.ts';
import { openLedgerToServe } from './open.ts';

serveThread(openLedgerToServe, systemClock.monotonic);
