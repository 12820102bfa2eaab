import { systemClock } from '../../runtime/clock.ts';
import { serveThread } from '../../sqlite/serve-thread.ts';
import { type LedgerPlace, openLedgerFile } from './open.ts';
import { receivingRules } from './sent-rules.ts';

serveThread((place: LedgerPlace) => {
  const { work, replacesLost } = openLedgerFile(place);
  return { work: receivingRules(work), facts: replacesLost };
}, systemClock.monotonic);
