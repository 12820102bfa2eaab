import type { Clock } from '../core/clock.ts';
import { sleepTime } from './sleep-time.ts';
import { StallWatch } from './stall-watch.ts';
import { systemZone } from './zone.ts';

/** On Linux, uptime includes sleep and monotonic time does not. On other systems they differ for other reasons. */
const slept: Pick<Clock, 'slept'> = process.platform === 'linux' ? { slept: sleepTime() } : {};

const stallWatch = new StallWatch();

export const systemClock: Clock = {
  zone: systemZone(),
  now: () => Date.now(),
  monotonic: () => performance.now(),
  ...slept,
  stalled: () => stallWatch.stalledMs(),
  after: (delayMs, callback) => {
    const timer = setTimeout(callback, delayMs);
    return () => clearTimeout(timer);
  },
  nextTurn: (callback) => {
    setImmediate(callback);
  },
};
