import { describe, expect, test } from 'vitest';
import { type Ballot, HOUR, MINUTE, promisedCases, START, TellerWithClock } from './teller-with-clock.ts';

const PAID = 'rewarded, pending';
const HELD = 'rewarded, held';
const DAY = 24 * HOUR;
const [A, B]: readonly [Ballot, Ballot] = [{ site: 'A' }, { site: 'B' }];
const UNSIGNED: Ballot = { channel: 'listener-v1', agoMs: null };

/** After this jump, `paidBefore` is not paid again, and new players' rewards are held. */
async function expectDoubted(teller: TellerWithClock, paidBefore: string): Promise<void> {
  expect(await teller.vote(paidBefore, UNSIGNED)).toBe('cooldown');
  expect(await teller.newcomer(UNSIGNED)).toBe(HELD);
  expect(teller.reported()).toEqual(['clock-doubtful']);
}

async function expectQuiet(teller: TellerWithClock): Promise<void> {
  expect(teller.reported()).toEqual([]);
  expect(await teller.held()).toBe(0);
}

/** One test for each row of the table on the operators' page. */
const cases: Readonly<Record<string, (teller: TellerWithClock) => Promise<void>>> = {
  'a step of less than 10 minutes': async (teller) => {
    for (const stepMs of [9 * MINUTE, -9 * MINUTE, 500]) {
      expect(await teller.newcomer(UNSIGNED)).toBe(PAID);
      teller.jump(stepMs);
      expect(await teller.newcomer(A)).toBe(PAID);
      teller.pass(2 * HOUR);
    }
    teller.restart(0, -9 * MINUTE);
    expect(await teller.newcomer(UNSIGNED)).toBe(PAID);
    await expectQuiet(teller);
  },

  'daylight saving time begins or ends': async (teller) => {
    // Wall time is UTC, which has no daylight saving time.
    await teller.learnDelays(A, B);
    teller.pass(12 * HOUR);
    expect(await teller.newcomer(A)).toBe(PAID);
    await expectQuiet(teller);
  },

  'a jump forward while Teller runs': async (teller) => {
    expect(await teller.vote('Steve', UNSIGNED)).toBe(PAID);
    teller.pass(HOUR);
    teller.jump(26 * HOUR);
    await expectDoubted(teller, 'Steve');
    teller.pass(22 * HOUR);
    expect(await teller.vote('Steve', UNSIGNED)).toBe('cooldown');
    teller.pass(HOUR);
    expect(await teller.vote('Steve', UNSIGNED)).toBe(HELD);
  },

  'a jump forward and back': async (teller) => {
    expect(await teller.vote('Steve', UNSIGNED)).toBe(PAID);
    teller.jump(26 * HOUR);
    await expectDoubted(teller, 'Steve');
    expect(await teller.vote('Alex', UNSIGNED)).toBe(HELD);
    teller.pass(HOUR);
    teller.correct();
    expect(await teller.newcomer(UNSIGNED)).toBe(PAID);
    expect(await teller.vote('Steve', UNSIGNED)).toBe('cooldown');
    expect(await teller.vote('Alex', UNSIGNED)).toBe('cooldown');
    expect(teller.reported()).toEqual(['clock-doubtful', 'clock-believed']);
    expect(await teller.held()).toBe(2);
    expect((await teller.release()).released).toBe(2);
    teller.pass(23 * HOUR);
    expect(await teller.vote('Steve', UNSIGNED)).toBe(PAID);
  },

  'a jump back while Teller runs': async (teller) => {
    expect(await teller.vote('Steve', UNSIGNED)).toBe(PAID);
    teller.pass(HOUR);
    teller.jump(-2 * DAY);
    await expectDoubted(teller, 'Steve');
  },

  'clock at 1970 at boot, then set by NTP': async (teller) => {
    expect(await teller.vote('Steve', UNSIGNED)).toBe(PAID);
    teller.restart(HOUR, -Date.parse('2026-06-01T13:00:00Z'));
    await expectDoubted(teller, 'Steve');
    expect(await teller.vote('Alex', UNSIGNED)).toBe(HELD);
    teller.pass(MINUTE);
    teller.correct();
    expect(await teller.newcomer(UNSIGNED)).toBe(PAID);
    expect(teller.reported()).toEqual(['clock-doubtful', 'clock-believed']);
    // Once the clock is known, Alex’s vote is dated when it arrived: the 24 hours are neither shorter nor longer.
    teller.pass(DAY - 2 * MINUTE);
    expect(await teller.vote('Alex', UNSIGNED)).toBe('cooldown');
    teller.pass(MINUTE);
    expect(await teller.vote('Alex', UNSIGNED)).toBe(PAID);
  },

  'clock at 1970 on the very first start': async (teller) => {
    teller.restart(0, -START);
    expect(await teller.vote('Steve')).toBe(HELD);
    teller.pass(MINUTE);
    teller.correct();
    expect(await teller.vote('Steve')).toBe('cooldown');
    expect(await teller.newcomer()).toBe(PAID);
    expect(teller.reported()).toEqual(['clock-doubtful', 'clock-believed']);
    expect((await teller.release()).released).toBe(1);
  },

  'behind the newest vote after a restart': async (teller) => {
    expect(await teller.vote('Steve', UNSIGNED)).toBe(PAID);
    teller.restart(MINUTE, -2 * DAY);
    await expectDoubted(teller, 'Steve');
    teller.restart(MINUTE, -2 * DAY);
    expect(await teller.newcomer(UNSIGNED)).toBe(HELD);
    // Two days later the wrong clock shows the time of that vote, and is still wrong.
    teller.pass(2 * DAY);
    expect(await teller.newcomer(UNSIGNED)).toBe(HELD);
    teller.correct();
    expect(await teller.newcomer(UNSIGNED)).toBe(PAID);
  },

  'a clock that had always been wrong is corrected': async (teller) => {
    teller.jump(3 * HOUR);
    await teller.learnDelays(A, B);
    expect(await teller.vote('Steve', UNSIGNED)).toBe(PAID);
    teller.correct();
    await expectDoubted(teller, 'Steve');
    expect([await teller.newcomer(A), await teller.newcomer(B)]).toEqual([HELD, HELD]);
    expect((await teller.release()).released).toBe(3);
    expect([await teller.newcomer(A), await teller.newcomer(B)]).toEqual([PAID, PAID]);
    expect(await teller.vote('Steve', UNSIGNED)).toBe('cooldown');
  },

  'a machine that was asleep, on Linux': async (teller) => {
    expect(await teller.vote('Steve', UNSIGNED)).toBe(PAID);
    teller.sleep(3 * HOUR, true);
    expect([await teller.newcomer(UNSIGNED), await teller.vote('Steve', UNSIGNED)]).toEqual([
      PAID,
      'cooldown',
    ]);
    teller.pass(21 * HOUR);
    expect(await teller.vote('Steve', UNSIGNED)).toBe(PAID);
    teller.sleep(8 * HOUR, true);
    teller.jump(26 * HOUR);
    await expectDoubted(teller, 'Steve');
    teller.correct();
    expect(await teller.held()).toBeGreaterThan(0);
  },

  'a machine that was asleep, elsewhere': async (teller) => {
    await teller.learnDelays(A, B);
    expect(await teller.vote('Steve', UNSIGNED)).toBe(PAID);
    teller.sleep(3 * HOUR, false);
    await expectDoubted(teller, 'Steve');
    expect([await teller.vote('Alex', A), await teller.newcomer(A)]).toEqual([HELD, HELD]);
    expect([await teller.newcomer(B), await teller.newcomer(A)]).toEqual([PAID, PAID]);
    expect(teller.reported()).toEqual(['clock-doubtful', 'clock-believed']);
    expect(await teller.held()).toBe(3);
    teller.pass(DAY - MINUTE);
    expect(await teller.vote('Alex', A)).toBe('cooldown');
  },

  'ahead after a restart, and two listings sign their votes': async (teller) => {
    await teller.learnDelays(A, B);
    expect(await teller.vote('Steve', A)).toBe(PAID);
    teller.restart(MINUTE, 26 * HOUR);
    expect(await teller.newcomer(A)).toBe(PAID);
    expect(await teller.newcomer(A)).toBe(PAID);
    expect(await teller.newcomer(B)).toBe(HELD);
    await expectDoubted(teller, 'Steve');
    teller.correct();
    expect(await teller.newcomer(UNSIGNED)).toBe(PAID);
  },

  'slow drift, and two listings sign their votes': async (teller) => {
    await teller.learnDelays(A, B);
    for (let minutes = 0; minutes <= 9; minutes += 3) {
      expect([await teller.newcomer(A), await teller.newcomer(B)]).toEqual([PAID, PAID]);
      teller.pass(HOUR);
      teller.jump(3 * MINUTE);
    }
    expect(await teller.newcomer(A)).toBe(PAID);
    expect(await teller.newcomer(B)).toBe(HELD);
    expect(teller.reported()).toEqual(['clock-doubtful']);
  },

  'a listing whose own clock is wrong by hours': async (teller) => {
    const wrong = { site: 'C', agoMs: 5 * HOUR };
    await teller.learnDelays(A, wrong, { site: 'D', agoMs: 5 * HOUR });
    teller.restart(HOUR, 0);
    for (const ballot of [wrong, { site: 'D', agoMs: 5 * HOUR }, A, wrong]) {
      expect(await teller.newcomer(ballot)).toBe(PAID);
    }
    await expectQuiet(teller);
  },

  'a listing without usable times': async (teller) => {
    await teller.learnDelays(A, { site: 'C', agoMs: null }, { site: 'D', agoMs: null });
    teller.restart(HOUR, 0);
    expect(await teller.newcomer({ site: 'C', agoMs: null })).toBe(PAID);
    expect(await teller.newcomer({ site: 'D', agoMs: null })).toBe(PAID);
    await expectQuiet(teller);
  },

  'a single vote that arrives an hour late': async (teller) => {
    await teller.learnDelays(A, B);
    expect(await teller.newcomer({ site: 'A', agoMs: HOUR })).toBe(PAID);
    teller.restart(MINUTE, 0);
    expect(await teller.newcomer({ site: 'B', agoMs: HOUR })).toBe(PAID);
    expect(await teller.newcomer(A)).toBe(PAID);
    await expectQuiet(teller);
  },

  'a proxy delivers a queue an hour late': async (teller) => {
    await teller.learnDelays(A, B);
    for (let vote = 0; vote < 5; vote++) {
      for (const site of ['A', 'B']) {
        expect(await teller.newcomer({ site, agoMs: HOUR - vote * 1_000 })).toBe(PAID);
      }
    }
    expect([await teller.newcomer(A), await teller.newcomer(B)]).toEqual([PAID, PAID]);
    await expectQuiet(teller);
  },

  'a proxy delivers a queue an hour late after a restart': async (teller) => {
    await teller.learnDelays(A, B);
    teller.restart(HOUR, 0);
    expect(await teller.newcomer({ site: 'A', agoMs: HOUR })).toBe(PAID);
    expect(await teller.newcomer({ site: 'B', agoMs: HOUR })).toBe(HELD);
    expect(await teller.newcomer({ site: 'A', agoMs: HOUR })).toBe(HELD);
    expect(await teller.newcomer(A)).toBe(HELD);
    expect(await teller.held()).toBe(3);
    expect(await teller.newcomer(B)).toBe(PAID);
    expect(await teller.held()).toBe(0);
    expect(teller.reported()).toEqual(['clock-doubtful', 'clock-believed']);
  },

  'the API and the webhook report old votes': async (teller) => {
    await teller.learnDelays(A, B);
    teller.restart(DAY, 0);
    for (const [site, channel] of [
      ['A', 'api'],
      ['B', 'webhook'],
    ] as const) {
      expect(await teller.newcomer({ site, channel, agoMs: 20 * HOUR })).toBe(PAID);
    }
    await expectQuiet(teller);
  },

  'the practice clock is moved': async (teller) => {
    await teller.learnDelays(A, B);
    let offsetMs = 0;
    teller.useClock((clock) =>
      Object.assign(Object.create(clock), { now: () => clock.now() + offsetMs, base: () => clock.now() }),
    );
    expect(await teller.vote('Steve')).toBe(PAID);
    for (let day = 0; day < 3; day++) {
      offsetMs += DAY;
      teller.pass(MINUTE);
      expect(await teller.vote('Steve')).toBe(PAID);
      expect(await teller.newcomer(B)).toBe(PAID);
    }
    await expectQuiet(teller);
  },

  'not detected: ahead after a restart, without two listings that sign': async (teller) => {
    expect(await teller.vote('Steve', UNSIGNED)).toBe(PAID);
    teller.restart(MINUTE, 26 * HOUR);
    expect(await teller.vote('Steve', UNSIGNED)).toBe(PAID);
    await expectQuiet(teller);
  },

  'not detected: slow drift without two listings that sign': async (teller) => {
    expect(await teller.vote('Steve', UNSIGNED)).toBe(PAID);
    for (let hours = 0; hours < 22; hours++) {
      teller.pass(HOUR);
      teller.jump(6 * MINUTE);
      expect(await teller.newcomer(UNSIGNED)).toBe(PAID);
    }
    expect(await teller.vote('Steve', UNSIGNED)).toBe(PAID);
    await expectQuiet(teller);
  },
};

describe('a wrong clock', () => {
  test.each(Object.entries(cases))('%s', async (_, play) => {
    await play(new TellerWithClock());
  });

  test('is tested for each case on the operators’ page', () => {
    expect(promisedCases()).toEqual(Object.keys(cases));
  });
});
