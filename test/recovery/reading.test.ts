import { describe, expect, test } from 'vitest';
import { ReportedVotes } from '../../protocol/listing-api/reported-votes.ts';
import { Pages, type Reading } from '../../src/votes/catch-up/pages.ts';
import { Gap } from '../../src/votes/catch-up/slices.ts';
import { Seeded } from '../support/seeded.ts';
import { at } from '../support/votes.ts';
import {
  BEHAVIOURS,
  type Behaviour,
  clusteredTimes,
  type Reported,
  record,
  report,
} from './reporting-api.ts';

const NOW = at('2026-06-03T12:00:00Z');
const HOUR = 3_600_000;
const USUAL: Behaviour = { start: 'in', end: 'in', order: 'newest-first' };

/** Reads a gap as a site does, without a network, and returns the IDs in the order in which they would be submitted. */
function readGap(votes: readonly Reported[], from: number, behaviour = USUAL, seed = 1) {
  const random = new Seeded(seed);
  const applied: string[] = [];
  const fullInstants: number[] = [];
  let requests = 0;
  const gap = new Gap(from);
  while (gap.slice !== null) {
    const { slice } = gap;
    const pages = new Pages(slice);
    let reading: Reading = { kind: 'more' };
    for (; reading.kind === 'more'; requests++) {
      reading = pages.take(ReportedVotes.parse(report(votes, pages.question, behaviour, random)));
    }
    if (reading.kind === 'dates-ignored') throw new Error('the service respects the dates');
    if (reading.kind === 'too-many') {
      gap.shrink(slice, reading.oldestRead, NOW);
      continue;
    }
    applied.push(...pages.votes().map(({ id }) => id));
    fullInstants.push(...pages.fullInstants);
    gap.advance(slice, pages.count, NOW);
  }
  return { applied, fullInstants, requests };
}

const votesAt = (times: readonly number[]): Reported[] => times.map((time, index) => record(index, time));
const every = (ms: number, count: number, from: number): Reported[] =>
  votesAt(Array.from({ length: count }, (_, index) => from + index * ms));
const ids = (votes: readonly Reported[]): string[] => votes.map(({ id }) => id);

describe('a gap is read oldest first, each vote once', () => {
  test.each(BEHAVIOURS)('whether or not the service treats the bounds as inclusive: %o', (behaviour) => {
    for (let seed = 1; seed <= 150; seed++) {
      const random = new Seeded(seed);
      const from = NOW - random.pick([60_000, HOUR, 47 * HOUR, 90 * 24 * HOUR]);
      const votes = votesAt(clusteredTimes(random, from, NOW, 1_500));
      const { applied, requests } = readGap(votes, from, behaviour, seed);
      const inTime = new Map(votes.map(({ id, votedAt }) => [id, votedAt]));
      expect([...applied].sort(), `seed ${seed}`).toEqual(ids(votes).sort());
      const times = applied.map((id) => inTime.get(id));
      expect(times, `seed ${seed}`).toEqual([...times].sort());
      expect(requests, `seed ${seed}`).toBeLessThan(80 + (votes.length / 100) * 2.5);
    }
  });

  test('an empty gap costs one request, and so do 99 votes', () => {
    expect(readGap([], NOW - 47 * HOUR)).toEqual({ applied: [], fullInstants: [], requests: 1 });
    const votes = every(60_000, 99, NOW - 47 * HOUR);
    expect(readGap(votes, NOW - 47 * HOUR)).toEqual({ applied: ids(votes), fullInstants: [], requests: 1 });
  });

  test('10,000 votes over 47 h cost at most 140 requests', () => {
    const votes = every((47 * HOUR) / 10_000, 10_000, NOW - 47 * HOUR);
    const { applied, requests } = readGap(votes, NOW - 47 * HOUR);
    expect(applied).toEqual(ids(votes));
    expect(requests).toBeLessThanOrEqual(140);
  });

  test('600 votes in the last seconds of 90 days without votes cost at most 60 requests', () => {
    const votes = every(10, 600, NOW - 10_000);
    const { applied, requests } = readGap(votes, NOW - 90 * 24 * HOUR);
    expect(applied).toEqual(ids(votes));
    expect(requests).toBeLessThanOrEqual(60);
  });

  test('votes that are newer than our clock are also read', () => {
    const votes = every(1_000, 250, NOW - 100_000);
    expect(readGap(votes, NOW - HOUR).applied).toEqual(ids(votes));
  });
});

describe('more votes in one millisecond than a page holds', () => {
  test.each(BEHAVIOURS)('lose only votes of that millisecond: %o', (behaviour) => {
    const instant = NOW - HOUR;
    const times = [
      ...Array.from({ length: 50 }, (_, index) => instant - 50 + index),
      ...Array.from({ length: 150 }, () => instant),
      ...Array.from({ length: 50 }, (_, index) => instant + 1 + index),
    ];
    const votes = votesAt(times);
    const { applied, fullInstants, requests } = readGap(votes, NOW - 2 * HOUR, behaviour);
    const around = ids(votes).filter((_, index) => times[index] !== instant);
    expect(applied.filter((id) => around.includes(id))).toEqual(around);
    expect(new Set(applied).size).toBe(applied.length);
    expect(applied.length).toBeGreaterThanOrEqual(200);
    expect(fullInstants).toEqual([instant]);
    expect(requests).toBeLessThanOrEqual(6);
  });

  test('are not assumed if two adjacent milliseconds have 60 votes each', () => {
    const times = [NOW - 100, NOW - 99].flatMap((time) => Array.from({ length: 60 }, () => time));
    for (const behaviour of BEHAVIOURS) {
      const { applied, fullInstants } = readGap(votesAt(times), NOW - HOUR, behaviour);
      expect([new Set(applied).size, applied.length, fullInstants]).toEqual([120, 120, []]);
    }
  });
});

test('reading finishes even if the service has a new full page for every request', () => {
  const gap = new Gap(NOW - 1_000);
  const pages = new Pages({ from: NOW - 1_000, until: NOW });
  const first = { from: NOW - 1_000, until: NOW };
  let next = 0;
  let reading: Reading = { kind: 'more' };
  while (reading.kind === 'more') {
    const end = Date.parse(pages.question.endDate ?? '');
    reading = pages.take(ReportedVotes.parse(Array.from({ length: 100 }, () => record(next++, end - 1))));
  }
  gap.advance(first, pages.count, NOW);
  expect([reading.kind, pages.count, pages.fullInstants.size > 0]).toEqual(['whole', 30, true]);
  expect(gap.slice).toEqual({ from: NOW, until: null });
});

test('a full page of votes that are all newer than the requested end is reported as dates-ignored', () => {
  const pages = new Pages({ from: NOW - HOUR, until: NOW - HOUR / 2 });
  const page = every(10, 100, NOW - 10_000);
  expect(pages.take(ReportedVotes.parse(page))).toEqual({ kind: 'dates-ignored' });
  expect(pages.votes()).toEqual([]);
});

test('votes from before the start are ignored if a service ignores the start', () => {
  const pages = new Pages({ from: NOW - 50_000, until: null });
  const votes = every(1_000, 100, NOW - 100_000);
  expect(pages.take(ReportedVotes.parse(votes))).toEqual({ kind: 'whole' });
  expect(pages.votes().map(({ id }) => id)).toEqual(ids(votes.slice(50)));
});

test('a vote that is on a page twice is read once', () => {
  const pages = new Pages({ from: NOW - HOUR, until: null });
  expect(pages.take(ReportedVotes.parse([record(1, NOW), record(1, NOW)]))).toEqual({ kind: 'whole' });
  expect(pages.votes().length).toBe(1);
});

test('unreadable records count towards a full page', () => {
  const pages = new Pages({ from: NOW - HOUR, until: null });
  const page = [...every(10, 99, NOW - 10_000), { ...record(0, NOW), votedAt: 'yesterday' }];
  expect(pages.take(ReportedVotes.parse(page))).toEqual({ kind: 'more' });
});
