import { expect, test } from 'vitest';
import type { StoredClock } from '../../src/core/clock-doubt.ts';
import { HOUR_MS } from '../../src/core/duration.ts';
import { type ClockMemory, judgeClock, NO_MEMORY } from '../../src/core/judge-clock.ts';
import { NO_SITE_TIMES, type SiteTimes, withVote } from '../../src/core/site-times.ts';

const NOON = Date.parse('2026-06-01T12:00:00Z');
const TEN_MINUTES = 600_000;
const NEW: StoredClock = { era: 0, newestAt: null, doubt: null };
const RECORDED: StoredClock = { ...NEW, newestAt: NOON };

const judge = (memory: ClockMemory, stored: StoredClock, wall: number, monotonic: number) =>
  judgeClock(memory, stored, { wall, monotonic }, [], () => []);

/** What a process remembers that read the clock at noon. */
const running = judge(NO_MEMORY, NEW, NOON, 0).memory;

test.each([
  ['a jump of just 10 minutes forward', running, NOON + TEN_MINUTES, null],
  ['more than 10 minutes forward', running, NOON + TEN_MINUTES + 1, 'jumped-ahead'],
  ['a jump of just 10 minutes back', running, NOON - TEN_MINUTES, null],
  ['more than 10 minutes back', running, NOON - TEN_MINUTES - 1, 'jumped-back'],
  ['10 minutes behind the newest receipt after a restart', NO_MEMORY, NOON - TEN_MINUTES, null],
  ['more than that', NO_MEMORY, NOON - TEN_MINUTES - 1, 'behind'],
  ['a year later after a restart', NO_MEMORY, NOON + 365 * 24 * HOUR_MS, null],
  ['1970', NO_MEMORY, 0, 'not-set'],
] as const)('%s is recognized', (_, memory, wall, reason) => {
  expect(judge(memory, RECORDED, wall, 0).stored.doubt?.reason ?? null).toBe(reason);
});

test('a batch under a trusted clock needs nothing to be stored for a minute', () => {
  const { stored } = judge(running, RECORDED, NOON + 59_999, 59_999);
  expect(stored).toBe(RECORDED);
  expect(judge(running, RECORDED, NOON + 60_000, 60_000).stored.newestAt).toBe(NOON + 60_000);
});

test('another process reads the doubt and the believed time from the ledger', () => {
  const { stored } = judge(running, RECORDED, NOON + HOUR_MS, 1_000);
  const other = judge(running, stored, NOON + HOUR_MS + 5_000, 6_000);
  expect(other.stored.doubt?.reason).toBe('jumped-ahead');
  expect(other.shiftMs).toBe(-(HOUR_MS + 4_000));
});

test('signed services beyond the limit do not cause a ledger query for each vote', () => {
  let looks = 0;
  const usualOf = () => {
    looks += 1;
    return [0, 0, 0];
  };
  const vote = (times: SiteTimes, n: number) =>
    withVote(times, { service: `invented ${n}`, offsetMs: 0 }, n, usualOf);
  const numbers = Array.from({ length: 1_000 }, (_, n) => n);
  const times = [...numbers, ...numbers].reduce(vote, NO_SITE_TIMES);
  expect(times.sites.size).toBe(200);
  expect(looks).toBe(200);
});

test('a new service becomes known by three votes, also with votes of known services in between', () => {
  const usualOf = (service: string) => (service === 'known' ? [0, 0, 0] : []);
  const services = ['new', 'known', 'new', 'known', 'new', 'known'];
  const times = services.reduce(
    (sum, service, n) => withVote(sum, { service, offsetMs: 0 }, n, usualOf),
    NO_SITE_TIMES,
  );
  expect(times.sites.get('new')?.usualMs).toBe(0);
});
