import { describe, expect, test } from 'vitest';
import { ReportedVotes } from '../../protocol/listing-api/reported-votes.ts';
import { Pages, type Reading } from '../../src/recovery/pages.ts';
import { Gap } from '../../src/recovery/slices.ts';
import { Seeded } from '../support/seeded.ts';
import { at } from '../support/votes.ts';
import { MANNERS, type Manners, scattered, type Told, tell, told } from './told-api.ts';

const NOW = at('2026-06-03T12:00:00Z');
const HOUR = 3_600_000;
const POLITE: Manners = { start: 'in', end: 'in', order: 'newest-first' };

/** Works through a gap as a site does, without a network; the IDs in the order in which they would be applied. */
function readGap(votes: readonly Told[], from: number, manners = POLITE, seed = 1) {
  const random = new Seeded(seed);
  const applied: string[] = [];
  const crowded: number[] = [];
  let requests = 0;
  const gap = new Gap(from);
  while (gap.slice !== null) {
    const { slice } = gap;
    const pages = new Pages(slice);
    let reading: Reading = { kind: 'more' };
    for (; reading.kind === 'more'; requests++) {
      reading = pages.take(ReportedVotes.parse(tell(votes, pages.question, manners, random)));
    }
    if (reading.kind === 'dates-ignored') throw new Error('the dates were kept');
    if (reading.kind === 'too-many') {
      gap.shrink(slice, reading.oldestRead, NOW);
      continue;
    }
    applied.push(...pages.votes().map(({ id }) => id));
    crowded.push(...pages.crowded);
    gap.advance(slice, pages.count, NOW);
  }
  return { applied, crowded, requests };
}

const votesAt = (times: readonly number[]): Told[] => times.map((time, index) => told(index, time));
const every = (ms: number, count: number, from: number): Told[] =>
  votesAt(Array.from({ length: count }, (_, index) => from + index * ms));
const ids = (votes: readonly Told[]): string[] => votes.map(({ id }) => id);

describe('a gap is read oldest first, each vote once', () => {
  test.each(MANNERS)('whatever the service makes of the ends: %o', (manners) => {
    for (let seed = 1; seed <= 150; seed++) {
      const random = new Seeded(seed);
      const from = NOW - random.pick([60_000, HOUR, 47 * HOUR, 90 * 24 * HOUR]);
      const votes = votesAt(scattered(random, from, NOW, 1_500));
      const { applied, requests } = readGap(votes, from, manners, seed);
      const inTime = new Map(votes.map(({ id, votedAt }) => [id, votedAt]));
      expect([...applied].sort(), `seed ${seed}`).toEqual(ids(votes).sort());
      const times = applied.map((id) => inTime.get(id));
      expect(times, `seed ${seed}`).toEqual([...times].sort());
      expect(requests, `seed ${seed}`).toBeLessThan(80 + (votes.length / 100) * 2.5);
    }
  });

  test('nothing missed costs one request, and so do 99 votes', () => {
    expect(readGap([], NOW - 47 * HOUR)).toEqual({ applied: [], crowded: [], requests: 1 });
    const votes = every(60_000, 99, NOW - 47 * HOUR);
    expect(readGap(votes, NOW - 47 * HOUR)).toEqual({ applied: ids(votes), crowded: [], requests: 1 });
  });

  test('10,000 votes over 47 h cost 140 requests at most', () => {
    const votes = every((47 * HOUR) / 10_000, 10_000, NOW - 47 * HOUR);
    const { applied, requests } = readGap(votes, NOW - 47 * HOUR);
    expect(applied).toEqual(ids(votes));
    expect(requests).toBeLessThanOrEqual(140);
  });

  test('a crowd in the last seconds of a silent quarter of a year costs 60 requests at most', () => {
    const votes = every(10, 600, NOW - 10_000);
    const { applied, requests } = readGap(votes, NOW - 90 * 24 * HOUR);
    expect(applied).toEqual(ids(votes));
    expect(requests).toBeLessThanOrEqual(60);
  });

  test('votes that are newer than our clock are read too', () => {
    const votes = every(1_000, 250, NOW - 100_000);
    expect(readGap(votes, NOW - HOUR).applied).toEqual(ids(votes));
  });
});

describe('more votes in one millisecond than a page holds', () => {
  test.each(MANNERS)('end the reading of that millisecond and of nothing else: %o', (manners) => {
    const crowd = NOW - HOUR;
    const times = [
      ...Array.from({ length: 50 }, (_, index) => crowd - 50 + index),
      ...Array.from({ length: 150 }, () => crowd),
      ...Array.from({ length: 50 }, (_, index) => crowd + 1 + index),
    ];
    const votes = votesAt(times);
    const { applied, crowded, requests } = readGap(votes, NOW - 2 * HOUR, manners);
    const around = ids(votes).filter((_, index) => times[index] !== crowd);
    expect(applied.filter((id) => around.includes(id))).toEqual(around);
    expect(new Set(applied).size).toBe(applied.length);
    expect(applied.length).toBeGreaterThanOrEqual(200);
    expect(crowded).toEqual([crowd]);
    expect(requests).toBeLessThanOrEqual(6);
  });

  test('are not assumed of 60 votes in each of two that follow each other', () => {
    const times = [NOW - 100, NOW - 99].flatMap((time) => Array.from({ length: 60 }, () => time));
    for (const manners of MANNERS) {
      const { applied, crowded } = readGap(votesAt(times), NOW - HOUR, manners);
      expect([new Set(applied).size, applied.length, crowded]).toEqual([120, 120, []]);
    }
  });
});

test('a service with a new full page for every question is read to an end', () => {
  const gap = new Gap(NOW - 1_000);
  const pages = new Pages({ from: NOW - 1_000, until: NOW });
  const first = { from: NOW - 1_000, until: NOW };
  let next = 0;
  let reading: Reading = { kind: 'more' };
  while (reading.kind === 'more') {
    const end = Date.parse(pages.question.endDate ?? '');
    reading = pages.take(ReportedVotes.parse(Array.from({ length: 100 }, () => told(next++, end - 1))));
  }
  gap.advance(first, pages.count, NOW);
  expect([reading.kind, pages.count, pages.crowded.size > 0]).toEqual(['whole', 30, true]);
  expect(gap.slice).toEqual({ from: NOW, until: null });
});

test('full pages of votes that are all newer than was asked for are told apart', () => {
  const pages = new Pages({ from: NOW - HOUR, until: NOW - HOUR / 2 });
  const page = every(10, 100, NOW - 10_000);
  expect(pages.take(ReportedVotes.parse(page))).toEqual({ kind: 'dates-ignored' });
  expect(pages.votes()).toEqual([]);
});

test('a service that ignores the start is read to the start and no further', () => {
  const pages = new Pages({ from: NOW - 50_000, until: null });
  const votes = every(1_000, 100, NOW - 100_000);
  expect(pages.take(ReportedVotes.parse(votes))).toEqual({ kind: 'whole' });
  expect(pages.votes().map(({ id }) => id)).toEqual(ids(votes.slice(50)));
});

test('a vote that is told twice on a page is read once', () => {
  const pages = new Pages({ from: NOW - HOUR, until: null });
  expect(pages.take(ReportedVotes.parse([told(1, NOW), told(1, NOW)]))).toEqual({ kind: 'whole' });
  expect(pages.votes().length).toBe(1);
});

test('records that cannot be read count for the page that they fill', () => {
  const pages = new Pages({ from: NOW - HOUR, until: null });
  const page = [...every(10, 99, NOW - 10_000), { ...told(0, NOW), votedAt: 'yesterday' }];
  expect(pages.take(ReportedVotes.parse(page))).toEqual({ kind: 'more' });
});
