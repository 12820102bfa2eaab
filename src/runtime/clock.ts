import { uptime } from 'node:os';
import type { Clock } from '../core/clock.ts';
import { systemZone } from './zone.ts';

/** On Linux uptime goes on while the machine sleeps, and monotonic time does not. Elsewhere they differ for other reasons. */
const sleepTold: Pick<Clock, 'slept'> =
  process.platform === 'linux' ? { slept: () => uptime() * 1000 - performance.now() } : {};

export const systemClock: Clock = {
  zone: systemZone(),
  now: () => Date.now(),
  monotonic: () => performance.now(),
  ...sleepTold,
  after: (delayMs, callback) => {
    const timer = setTimeout(callback, delayMs);
    return () => clearTimeout(timer);
  },
  nextTurn: (callback) => {
    setImmediate(callback);
  },
};
