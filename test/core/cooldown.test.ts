import { describe, expect, test } from 'vitest';
import { areTooClose, type Cooldown, closeSince, cooldownText, windowOf } from '../../src/core/cooldown.ts';
import { nextWindow, windowsCutBy, windowsCutByNext, windowTakenBy } from '../../src/core/window.ts';

const at = (iso: string): number => Date.parse(iso);
const iso = (ms: number): string => new Date(ms).toISOString();
const HOUR = 3_600_000;

const day = (zone: string, beginsAt = 0): Cooldown => ({ kind: 'day', beginsAt, zone });
const dayOf = (castAt: string, cooldown: Cooldown): string[] => {
  const { start, end } = windowOf(at(castAt), cooldown);
  return [iso(start), iso(end)];
};

describe('the window of a calendar day', () => {
  test.each([
    ['UTC', '2026-06-01T00:00:00.000Z', '2026-06-01T00:00:00.000Z', '2026-06-02T00:00:00.000Z'],
    ['UTC', '2026-06-01T23:59:59.999Z', '2026-06-01T00:00:00.000Z', '2026-06-02T00:00:00.000Z'],
    // 23 hours on 29 March, 25 hours on 25 October.
    ['Europe/Berlin', '2026-03-29T12:00:00.000Z', '2026-03-28T23:00:00.000Z', '2026-03-29T22:00:00.000Z'],
    ['Europe/Berlin', '2026-10-25T12:00:00.000Z', '2026-10-24T22:00:00.000Z', '2026-10-25T23:00:00.000Z'],
    ['America/New_York', '2026-03-08T12:00:00.000Z', '2026-03-08T05:00:00.000Z', '2026-03-09T04:00:00.000Z'],
    ['America/New_York', '2026-11-01T12:00:00.000Z', '2026-11-01T04:00:00.000Z', '2026-11-02T05:00:00.000Z'],
    // 23:00 comes twice on 4 April; the day has 25 hours.
    ['America/Santiago', '2026-04-05T03:30:00.000Z', '2026-04-04T03:00:00.000Z', '2026-04-05T04:00:00.000Z'],
    // The clock skips midnight on 6 September, so the day begins at 01:00.
    ['America/Santiago', '2026-09-06T12:00:00.000Z', '2026-09-06T04:00:00.000Z', '2026-09-07T03:00:00.000Z'],
    ['America/New_York', '2028-02-29T12:00:00.000Z', '2028-02-29T05:00:00.000Z', '2028-03-01T05:00:00.000Z'],
    // The island skipped 30 December.
    ['Pacific/Apia', '2011-12-30T09:59:59.999Z', '2011-12-29T10:00:00.000Z', '2011-12-30T10:00:00.000Z'],
  ])('in %s, a vote at %s belongs to %s until %s', (zone, castAt, start, end) => {
    expect(dayOf(castAt, day(zone))).toEqual([start, end]);
  });

  test.each([
    ['2026-06-01T07:59:59.999Z', '2026-05-31T08:00:00.000Z', '2026-06-01T08:00:00.000Z'],
    ['2026-06-01T08:00:00.000Z', '2026-06-01T08:00:00.000Z', '2026-06-02T08:00:00.000Z'],
    // On the day the clock is set forward, 04:00 comes an hour earlier.
    ['2026-03-08T08:00:00.000Z', '2026-03-08T08:00:00.000Z', '2026-03-09T08:00:00.000Z'],
    ['2026-03-08T07:59:59.999Z', '2026-03-07T09:00:00.000Z', '2026-03-08T08:00:00.000Z'],
  ])('that begins at 04:00 in New York, of a vote at %s, is %s until %s', (castAt, start, end) => {
    expect(dayOf(castAt, day('America/New_York', 240))).toEqual([start, end]);
  });

  test('that begins at a time which the clock skips begins at the first instant after it', () => {
    // 02:30 does not exist in Berlin on 29 March; 03:00 there is 01:00 UTC.
    expect(dayOf('2026-03-29T12:00:00Z', day('Europe/Berlin', 150))).toEqual([
      '2026-03-29T01:00:00.000Z',
      '2026-03-30T00:30:00.000Z',
    ]);
  });

  test('that begins at a time which comes twice begins at the first of the two', () => {
    expect(dayOf('2026-10-25T12:00:00Z', day('Europe/Berlin', 150))[0]).toBe('2026-10-25T00:30:00.000Z');
  });
});

describe('votes at 22:00 and at 21:00 the next day', () => {
  const [evening, next] = [at('2026-06-01T22:00:00Z'), at('2026-06-02T21:00:00Z')];

  test('are too close under 24 h, and not under a day', () => {
    expect(areTooClose(next, evening, { kind: 'span', ms: 24 * HOUR })).toBe(true);
    expect(areTooClose(next, evening, day('UTC'))).toBe(false);
  });
});

describe('a vote under a cooldown of a day', () => {
  const noon = at('2026-06-01T12:00:00Z');
  const rewarded = [{ id: 1, castAt: noon }];

  test.each([
    ['2026-05-31T23:59:59.999Z', null],
    ['2026-06-01T00:00:00.000Z', 1],
    ['2026-06-01T23:59:59.999Z', 1],
    ['2026-06-02T00:00:00.000Z', null],
  ])('blocks votes of its day: one at %s is blocked by %s', (castAt, id) => {
    expect(windowTakenBy(at(castAt), day('UTC'), rewarded)?.id ?? null).toBe(id);
  });

  test('is next rewarded when the first day begins that has no rewarded vote', () => {
    const next = nextWindow(noon, day('UTC'), [...rewarded, { id: 2, castAt: at('2026-06-02T03:00:00Z') }]);
    expect(iso(next)).toBe('2026-06-03T00:00:00.000Z');
  });

  test('is compared with votes cast since its day began', () => {
    expect(iso(closeSince(noon, day('UTC')) + 1)).toBe('2026-06-01T00:00:00.000Z');
    expect(iso(closeSince(noon, { kind: 'span', ms: HOUR }))).toBe('2026-06-01T11:00:00.000Z');
  });
});

describe('a vote that rule 3 allows although a stored window overlaps', () => {
  const whole = { start: at('2026-06-01T00:00:00Z'), end: at('2026-06-02T00:00:00Z') };
  const stored = { id: 1, castAt: at('2026-06-01T20:00:00Z'), window: whole };

  test('ends the window of an earlier vote where its own starts', () => {
    const cut = windowsCutBy(at('2026-06-01T21:00:00Z'), { kind: 'span', ms: HOUR }, [stored]);
    expect(cut).toEqual([{ ...stored, window: { ...whole, end: at('2026-06-01T21:00:00Z') } }]);
  });

  test('starts the window of a later vote where its own ends', () => {
    const cut = windowsCutBy(at('2026-06-01T05:00:00Z'), { kind: 'span', ms: HOUR }, [stored]);
    expect(cut).toEqual([{ ...stored, window: { ...whole, start: at('2026-06-01T06:00:00Z') } }]);
  });
});

test('a calendar day that a redated vote reaches into is cut between the two votes', () => {
  const first = {
    id: 1,
    castAt: at('2026-06-01T20:00:00Z'),
    window: { start: at('2026-06-01T00:00:00Z'), end: at('2026-06-02T00:00:00Z') },
  };
  const moved = {
    id: 2,
    castAt: at('2026-06-01T22:00:00Z'),
    window: { start: at('2026-06-01T10:00:00Z'), end: at('2026-06-02T10:00:00Z') },
  };
  expect(windowsCutByNext([first, moved]).map(({ window }) => [iso(window.start), iso(window.end)])).toEqual([
    ['2026-06-01T00:00:00.000Z', '2026-06-01T22:00:00.000Z'],
    ['2026-06-01T22:00:00.000Z', '2026-06-02T10:00:00.000Z'],
  ]);
});

test('cooldowns are shown as operators think of them', () => {
  expect(cooldownText({ kind: 'span', ms: 24 * HOUR })).toBe('24 h');
  expect(cooldownText(day('Europe/Berlin', 240))).toBe('a day that begins at 04:00 in Europe/Berlin');
});
