import { uptime } from 'node:os';
import type { Clock } from '../core/clock.ts';
import { StallWatch } from './stall-watch.ts';
import { systemZone } from './zone.ts';

/** On Linux, uptime includes sleep and monotonic time does not. On other systems they differ for other reasons. */
const sleepTime: Pick<Clock, 'slept'> =
  process.platform === 'linux' ? { slept: () => uptime() * 1000 - performance.now() } : {};

const stallWatch = new StallWatch();

export const systemClock: Clock = {
  zone: systemZone(),
  now: () => Date.now(),
  monotonic: () => performance.now(),
  ...sleepTime,
  stalled: () => stallWatch.stalledMs(),
  after: (delayMs, callback) => {
    const timer = setTimeout(callback, delayMs);
    return () => clearTimeout(timer);
  },
  nextTurn: (callback) => {
    setImmediate(callback);
  },
};
