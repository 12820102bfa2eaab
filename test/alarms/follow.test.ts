import { describe, expect, test } from 'vitest';
import type { Seen } from '../../src/notify/alarms/alarm.ts';
import { type Followed, follow } from '../../src/notify/alarms/follow.ts';

const NOTHING: Followed = { alarms: [], brewing: new Map() };
const MINUTE = 60_000;

const holds = (subject: string | null = null, since: number | null = null): Seen => ({
  ...{ subject, state: 'holds', since },
  facts: { reason: 'port-refused' },
});
const over = (subject: string | null = null): Seen => ({ subject, state: 'over', facts: { mib: 9 } });
const unknown = (subject: string | null = null): Seen => ({ subject, state: 'unknown' });

/** Looks one after another, a minute apart, the first at 1 minute. */
function looks(lastsMs: number, ...each: (readonly Seen[] | null)[]): Followed {
  return each.reduce<Followed>((before, seen, at) => {
    const time = (at + 1) * MINUTE;
    return follow(before, [{ code: 'kind', lastsMs, seen }], { at: 1_000_000 + time, monotonic: time });
  }, NOTHING);
}

describe('an alarm', () => {
  test('begins when it was seen, and says since when it holds', () => {
    expect(looks(0, [holds(null, 7)]).alarms).toEqual([
      {
        ...{ code: 'kind', subject: null, since: 7, facts: { reason: 'port-refused' } },
        ...{ notifiedAt: null, end: null },
      },
    ]);
    expect(looks(0, [holds()]).alarms).toMatchObject([{ since: 1_000_000 + MINUTE }]);
  });

  test('that has to last begins only after that time, since when it was first seen', () => {
    const held = [holds('main', 7)];
    expect(looks(2 * MINUTE, held, held).alarms).toEqual([]);
    // A game server that fails for another reason now states a later time.
    expect(looks(2 * MINUTE, held, held, [holds('main', 9)]).alarms).toMatchObject([
      { subject: 'main', since: 7 },
    ]);
  });

  test('that has to last starts over if it was over in between, and not if nothing was known', () => {
    const held = [holds('main')];
    expect(looks(2 * MINUTE, held, [over('main')], held, held).alarms).toEqual([]);
    expect(looks(2 * MINUTE, held, [unknown('main')], held).alarms).toHaveLength(1);
    expect(looks(2 * MINUTE, held, null, held).alarms).toHaveLength(1);
  });

  test('ends when it is over, with the facts of its end', () => {
    expect(looks(0, [holds()], [over()]).alarms).toMatchObject([
      { facts: { reason: 'port-refused', mib: 9 }, end: { at: 1_000_000 + 2 * MINUTE, isGone: false } },
    ]);
  });

  test('ends when its subject is gone from the config', () => {
    expect(looks(0, [holds('main')], []).alarms).toMatchObject([{ end: { isGone: true } }]);
  });

  test('stays as it is while nothing is known', () => {
    expect(looks(0, [holds()], [unknown()], null).alarms).toMatchObject([{ end: null }]);
    expect(looks(0, [holds()], [over()], [unknown()]).alarms).toMatchObject([
      { end: { at: 1_000_000 + 2 * MINUTE } },
    ]);
  });

  test('goes on if it holds again before anyone was told that it was over', () => {
    expect(looks(0, [holds(null, 7)], [over()], [holds(null, 9)]).alarms).toMatchObject([
      { since: 7, end: null },
    ]);
  });

  test('of each subject stands alone', () => {
    const { alarms } = looks(0, [holds('a'), over('b')], [over('a'), holds('b')]);
    expect(alarms.map(({ subject, end }) => [subject, end === null])).toEqual([
      ['a', false],
      ['b', true],
    ]);
  });
});

test('alarms of kinds that this version does not have are forgotten', () => {
  const before = looks(0, [holds()]);
  const now = { at: 0, monotonic: 0 };
  expect(follow(before, [{ code: 'other', lastsMs: 0, seen: [] }], now)).toEqual(NOTHING);
});
