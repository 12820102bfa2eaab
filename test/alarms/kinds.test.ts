import { describe, expect, test } from 'vitest';
import { judgeClock } from '../../src/notify/alarms/kinds/clock-doubtful.ts';
import { judgeConfig } from '../../src/notify/alarms/kinds/config-newer.ts';
import { judgeDisk } from '../../src/notify/alarms/kinds/disk-low.ts';
import { judgeGameServers } from '../../src/notify/alarms/kinds/game-server-away.ts';
import { judgeHeld } from '../../src/notify/alarms/kinds/grants-held.ts';
import {
  judgeSite,
  longestGapMs,
  type ReceiptHistory,
  withReceipt,
} from '../../src/notify/alarms/kinds/site-silent.ts';
import { at, DAY } from '../support/votes.ts';

const HOUR = 60 * 60_000;
const NOW = at('2026-06-01T12:00:00Z');

describe('disk-low', () => {
  test.each([
    [1_023, 'holds'],
    [1_024, 'unknown'],
    [1_279, 'unknown'],
    [1_280, 'over'],
    [null, 'unknown'],
  ] as const)('%j MiB are free: %s, so that it does not come and go', (mib, state) => {
    expect(judgeDisk(mib)).toMatchObject({ state });
  });
});

describe('grants-held', () => {
  const latest = { id: 7, reward: 'daily', server: 'main' };

  test('holds while a grant is held', () => {
    expect(judgeHeld(2, 0, false, latest)).toMatchObject({ state: 'holds', facts: { held: 2, ofClock: 0 } });
    expect(judgeHeld(0, 0, false, latest)).toMatchObject({ state: 'over' });
  });

  test('leaves grants that the clock holds to the alarm of the clock, until the clock is trusted', () => {
    expect(judgeHeld(3, 3, true, latest)).toMatchObject({ state: 'over' });
    expect(judgeHeld(4, 3, true, latest)).toMatchObject({ facts: { held: 1, ofClock: 0 } });
    expect(judgeHeld(4, 3, false, latest)).toMatchObject({ facts: { held: 4, ofClock: 3 } });
  });
});

describe('clock-doubtful', () => {
  const doubt = { reason: 'jumped-ahead', shownAt: NOW, aheadMs: 2 * HOUR } as const;

  test('holds while the ledger doubts the clock', () => {
    expect(judgeClock(doubt, NOW)).toMatchObject({ state: 'holds', facts: { reason: 'jumped-ahead' } });
    expect(judgeClock(null, NOW)).toMatchObject({ state: 'over' });
  });

  test('holds before the first vote if the clock was never set', () => {
    expect(judgeClock(null, 0)).toMatchObject({ state: 'holds', facts: { reason: 'not-set' } });
  });
});

describe('config-newer', () => {
  test('holds while the file differs from what runs', () => {
    const news = { kind: 'newer', file: 'config.json', keys: ['log.level'], toDo: 'x' } as const;
    expect(judgeConfig({ since: 5, news })).toMatchObject({ state: 'holds', since: 5, facts: news });
    expect(judgeConfig(null)).toMatchObject({ state: 'over' });
  });
});

describe('game-server-away', () => {
  const servers = [
    { name: 'main', takesVotes: false },
    { name: 'old', takesVotes: true },
  ];

  test('holds while the queue of a game server pauses, and is not known before it had anything to do', () => {
    const queues = new Map([['main', { reason: 'unreachable', since: 5 } as const]]);
    expect(judgeGameServers(servers, queues)).toEqual([
      { subject: 'main', state: 'holds', since: 5, facts: { reason: 'unreachable', takesVotes: false } },
      { subject: 'old', state: 'unknown' },
    ]);
    expect(judgeGameServers(servers, new Map([['old', { reason: null, since: 5 }]]))[1]).toMatchObject({
      state: 'over',
    });
  });
});

const always = (start: number, end: number): number => end - start;

const historyOf = (times: readonly number[]): ReceiptHistory | undefined =>
  times.reduce<ReceiptHistory | undefined>((sum, each) => withReceipt(sum, each, always), undefined);

describe('site-silent', () => {
  /** The last votes before now, in hours. */
  const stateAfter = (...hours: number[]) =>
    judgeSite('List', historyOf(hours.map((hour) => NOW - hour * HOUR)), [], NOW).state;

  test('holds after three times the longest gap', () => {
    expect(stateAfter(33, 30, 27, 24 - 0.01, 9.01)).toBe('over'); // the longest gap is 15 hours
    expect(stateAfter(18, 15, 12, 9.01)).toBe('holds');
    expect(stateAfter(18, 15, 12, 8.9)).toBe('over');
  });

  test('holds only after 6 hours, however short the gaps were', () => {
    expect(stateAfter(7, 6.5, 6)).toBe('holds');
    expect(stateAfter(7, 6.5, 5.99)).toBe('over');
  });

  test('says since when, and what the longest gap was', () => {
    const history = historyOf([NOW - 20 * HOUR, NOW - 18 * HOUR]);
    const lastAt = NOW - 18 * HOUR;
    expect(judgeSite('List', history, [], NOW)).toEqual({
      ...{ subject: 'List', state: 'holds', since: lastAt },
      facts: { lastAt, longestMs: 2 * HOUR },
    });
  });

  test('is not known without a vote, and without a gap in the last 14 days', () => {
    expect(judgeSite('List', undefined, [], NOW)).toMatchObject({ state: 'unknown' });
    expect(stateAfter(48)).toBe('unknown');
    expect(stateAfter(24 * 20, 24 * 15)).toBe('unknown');
  });

  test('does not count time in which no Teller ran', () => {
    const history = historyOf([NOW - 11 * HOUR, NOW - 10 * HOUR]);
    const absence = { began: NOW - 9 * HOUR, ended: NOW - 2 * HOUR };
    expect(judgeSite('List', history, [], NOW)).toMatchObject({ state: 'holds' });
    expect(judgeSite('List', history, [absence], NOW)).toMatchObject({ state: 'over' });
  });
});

describe('the longest gap', () => {
  const gapAt = (times: readonly number[], since: number) =>
    longestGapMs(historyOf(times) ?? { lastAt: 0, gaps: [] }, since);

  test('is that of the window, also when longer ones have left it', () => {
    const times = [0, 50, 60, 90, 100];
    expect([0, 49, 50, 89, 90, 100].map((since) => gapAt(times, since))).toEqual([50, 50, 30, 30, 10, null]);
  });

  test('is the same as the longest of all gaps that ended in the window, for any votes', () => {
    const times = Array.from({ length: 300 }, (_, n) => ((n * n * 7919) % 4_001) * 1_000).sort(
      (a, b) => a - b,
    );
    for (let since = 0; since < 4_000_000; since += 97_000) {
      const gaps = times.flatMap((time, n) =>
        n > 0 && time > since && time > (times[n - 1] ?? 0) ? [time - (times[n - 1] ?? 0)] : [],
      );
      expect(gapAt(times, since)).toBe(gaps.length === 0 ? null : Math.max(...gaps));
    }
  });

  test('ignores a vote that was received before the last one, by a clock that was wrong', () => {
    expect(historyOf([100, 50, 160])).toEqual({ lastAt: 160, gaps: [{ endedAt: 160, ms: 60 }] });
  });

  test('of a site with a vote each minute of 14 days takes no more than a few entries', () => {
    const times = Array.from({ length: (14 * DAY) / 60_000 }, (_, n) => n * 60_000 + (n % 7) * 1_000);
    expect(historyOf(times)?.gaps.length).toBeLessThan(10);
  });
});
