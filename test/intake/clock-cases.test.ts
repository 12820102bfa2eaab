import { describe, expect, test } from 'vitest';
import { type Ballot, ClockScene, HOUR, MINUTE, promisedCases, START } from './clock-scene.ts';

const PAID = 'rewarded, pending';
const HELD = 'rewarded, held';
const DAY = 24 * HOUR;
const [A, B]: readonly [Ballot, Ballot] = [{ site: 'A' }, { site: 'B' }];
const UNSIGNED: Ballot = { channel: 'listener-v1', agoMs: null };

/** Votes `player` has been paid for are not paid again by this jump, and new players' rewards are held. */
async function expectDoubted(scene: ClockScene, paidBefore: string): Promise<void> {
  expect(await scene.vote(paidBefore, UNSIGNED)).toBe('cooldown');
  expect(await scene.newcomer(UNSIGNED)).toBe(HELD);
  expect(scene.reported()).toEqual(['clock-doubtful']);
}

async function expectQuiet(scene: ClockScene): Promise<void> {
  expect(scene.reported()).toEqual([]);
  expect(await scene.held()).toBe(0);
}

/** Each line of the operators' page. */
const cases: Readonly<Record<string, (scene: ClockScene) => Promise<void>>> = {
  'a step of less than 10 minutes': async (scene) => {
    for (const stepMs of [9 * MINUTE, -9 * MINUTE, 500]) {
      expect(await scene.newcomer(UNSIGNED)).toBe(PAID);
      scene.jump(stepMs);
      expect(await scene.newcomer(A)).toBe(PAID);
      scene.pass(2 * HOUR);
    }
    scene.restart(0, -9 * MINUTE);
    expect(await scene.newcomer(UNSIGNED)).toBe(PAID);
    await expectQuiet(scene);
  },

  'daylight saving time begins or ends': async (scene) => {
    // Wall time is UTC, which has no such hour; only people’s clocks do.
    await scene.settled(A, B);
    scene.pass(12 * HOUR);
    expect(await scene.newcomer(A)).toBe(PAID);
    await expectQuiet(scene);
  },

  'a jump forward while Teller runs': async (scene) => {
    expect(await scene.vote('Steve', UNSIGNED)).toBe(PAID);
    scene.pass(HOUR);
    scene.jump(26 * HOUR);
    await expectDoubted(scene, 'Steve');
    scene.pass(22 * HOUR);
    expect(await scene.vote('Steve', UNSIGNED)).toBe('cooldown');
    scene.pass(HOUR);
    expect(await scene.vote('Steve', UNSIGNED)).toBe(HELD);
  },

  'a jump forward and back': async (scene) => {
    expect(await scene.vote('Steve', UNSIGNED)).toBe(PAID);
    scene.jump(26 * HOUR);
    await expectDoubted(scene, 'Steve');
    expect(await scene.vote('Alex', UNSIGNED)).toBe(HELD);
    scene.pass(HOUR);
    scene.correct();
    expect(await scene.newcomer(UNSIGNED)).toBe(PAID);
    expect(await scene.vote('Steve', UNSIGNED)).toBe('cooldown');
    expect(await scene.vote('Alex', UNSIGNED)).toBe('cooldown');
    expect(scene.reported()).toEqual(['clock-doubtful', 'clock-believed']);
    expect(await scene.held()).toBe(2);
    expect((await scene.release()).released).toBe(2);
    scene.pass(23 * HOUR);
    expect(await scene.vote('Steve', UNSIGNED)).toBe(PAID);
  },

  'a jump back while Teller runs': async (scene) => {
    expect(await scene.vote('Steve', UNSIGNED)).toBe(PAID);
    scene.pass(HOUR);
    scene.jump(-2 * DAY);
    await expectDoubted(scene, 'Steve');
  },

  '1970 at boot, then set by NTP': async (scene) => {
    expect(await scene.vote('Steve', UNSIGNED)).toBe(PAID);
    scene.restart(HOUR, -Date.parse('2026-06-01T13:00:00Z'));
    await expectDoubted(scene, 'Steve');
    expect(await scene.vote('Alex', UNSIGNED)).toBe(HELD);
    scene.pass(MINUTE);
    scene.correct();
    expect(await scene.newcomer(UNSIGNED)).toBe(PAID);
    expect(scene.reported()).toEqual(['clock-doubtful', 'clock-believed']);
    // Dated as they came once the clock is known: Alex’s 24 hours are neither shorter nor longer.
    scene.pass(DAY - 2 * MINUTE);
    expect(await scene.vote('Alex', UNSIGNED)).toBe('cooldown');
    scene.pass(MINUTE);
    expect(await scene.vote('Alex', UNSIGNED)).toBe(PAID);
  },

  '1970 at the first start of all': async (scene) => {
    scene.restart(0, -START);
    expect(await scene.vote('Steve')).toBe(HELD);
    scene.pass(MINUTE);
    scene.correct();
    expect(await scene.vote('Steve')).toBe('cooldown');
    expect(await scene.newcomer()).toBe(PAID);
    expect(scene.reported()).toEqual(['clock-doubtful', 'clock-believed']);
    expect((await scene.release()).released).toBe(1);
  },

  'behind the newest vote after a restart': async (scene) => {
    expect(await scene.vote('Steve', UNSIGNED)).toBe(PAID);
    scene.restart(MINUTE, -2 * DAY);
    await expectDoubted(scene, 'Steve');
    scene.restart(MINUTE, -2 * DAY);
    expect(await scene.newcomer(UNSIGNED)).toBe(HELD);
    // Two days later the wrong clock shows the time of that vote, and is still wrong.
    scene.pass(2 * DAY);
    expect(await scene.newcomer(UNSIGNED)).toBe(HELD);
    scene.correct();
    expect(await scene.newcomer(UNSIGNED)).toBe(PAID);
  },

  'a clock that had always been wrong is corrected': async (scene) => {
    scene.jump(3 * HOUR);
    await scene.settled(A, B);
    expect(await scene.vote('Steve', UNSIGNED)).toBe(PAID);
    scene.correct();
    await expectDoubted(scene, 'Steve');
    expect([await scene.newcomer(A), await scene.newcomer(B)]).toEqual([HELD, HELD]);
    expect((await scene.release()).released).toBe(3);
    expect([await scene.newcomer(A), await scene.newcomer(B)]).toEqual([PAID, PAID]);
    expect(await scene.vote('Steve', UNSIGNED)).toBe('cooldown');
  },

  'a machine that was asleep, on Linux': async (scene) => {
    expect(await scene.vote('Steve', UNSIGNED)).toBe(PAID);
    scene.sleep(3 * HOUR, true);
    expect([await scene.newcomer(UNSIGNED), await scene.vote('Steve', UNSIGNED)]).toEqual([PAID, 'cooldown']);
    scene.pass(21 * HOUR);
    expect(await scene.vote('Steve', UNSIGNED)).toBe(PAID);
    scene.sleep(8 * HOUR, true);
    scene.jump(26 * HOUR);
    await expectDoubted(scene, 'Steve');
    scene.correct();
    expect(await scene.held()).toBeGreaterThan(0);
  },

  'a machine that was asleep, elsewhere': async (scene) => {
    await scene.settled(A, B);
    expect(await scene.vote('Steve', UNSIGNED)).toBe(PAID);
    scene.sleep(3 * HOUR, false);
    await expectDoubted(scene, 'Steve');
    expect([await scene.vote('Alex', A), await scene.newcomer(A)]).toEqual([HELD, HELD]);
    expect([await scene.newcomer(B), await scene.newcomer(A)]).toEqual([PAID, PAID]);
    expect(scene.reported()).toEqual(['clock-doubtful', 'clock-believed']);
    expect(await scene.held()).toBe(3);
    scene.pass(DAY - MINUTE);
    expect(await scene.vote('Alex', A)).toBe('cooldown');
  },

  'ahead after a restart, and two sites sign their votes': async (scene) => {
    await scene.settled(A, B);
    expect(await scene.vote('Steve', A)).toBe(PAID);
    scene.restart(MINUTE, 26 * HOUR);
    expect(await scene.newcomer(A)).toBe(PAID);
    expect(await scene.newcomer(A)).toBe(PAID);
    expect(await scene.newcomer(B)).toBe(HELD);
    await expectDoubted(scene, 'Steve');
    scene.correct();
    expect(await scene.newcomer(UNSIGNED)).toBe(PAID);
  },

  'slow drift, and two sites sign their votes': async (scene) => {
    await scene.settled(A, B);
    for (let minutes = 0; minutes <= 9; minutes += 3) {
      expect([await scene.newcomer(A), await scene.newcomer(B)]).toEqual([PAID, PAID]);
      scene.pass(HOUR);
      scene.jump(3 * MINUTE);
    }
    expect(await scene.newcomer(A)).toBe(PAID);
    expect(await scene.newcomer(B)).toBe(HELD);
    expect(scene.reported()).toEqual(['clock-doubtful']);
  },

  'a site whose own clock is wrong by hours': async (scene) => {
    const wrong = { site: 'C', agoMs: 5 * HOUR };
    await scene.settled(A, wrong, { site: 'D', agoMs: 5 * HOUR });
    scene.restart(HOUR, 0);
    for (const ballot of [wrong, { site: 'D', agoMs: 5 * HOUR }, A, wrong]) {
      expect(await scene.newcomer(ballot)).toBe(PAID);
    }
    await expectQuiet(scene);
  },

  'a site without usable times': async (scene) => {
    await scene.settled(A, { site: 'C', agoMs: null }, { site: 'D', agoMs: null });
    scene.restart(HOUR, 0);
    expect(await scene.newcomer({ site: 'C', agoMs: null })).toBe(PAID);
    expect(await scene.newcomer({ site: 'D', agoMs: null })).toBe(PAID);
    await expectQuiet(scene);
  },

  'a single delivery that is an hour late': async (scene) => {
    await scene.settled(A, B);
    expect(await scene.newcomer({ site: 'A', agoMs: HOUR })).toBe(PAID);
    scene.restart(MINUTE, 0);
    expect(await scene.newcomer({ site: 'B', agoMs: HOUR })).toBe(PAID);
    expect(await scene.newcomer(A)).toBe(PAID);
    await expectQuiet(scene);
  },

  'a proxy delivers a queue an hour late': async (scene) => {
    await scene.settled(A, B);
    for (let vote = 0; vote < 5; vote++) {
      for (const site of ['A', 'B']) {
        expect(await scene.newcomer({ site, agoMs: HOUR - vote * 1_000 })).toBe(PAID);
      }
    }
    expect([await scene.newcomer(A), await scene.newcomer(B)]).toEqual([PAID, PAID]);
    await expectQuiet(scene);
  },

  'a proxy delivers a queue an hour late after a restart': async (scene) => {
    await scene.settled(A, B);
    scene.restart(HOUR, 0);
    expect(await scene.newcomer({ site: 'A', agoMs: HOUR })).toBe(PAID);
    expect(await scene.newcomer({ site: 'B', agoMs: HOUR })).toBe(HELD);
    expect(await scene.newcomer({ site: 'A', agoMs: HOUR })).toBe(HELD);
    expect(await scene.newcomer(A)).toBe(HELD);
    expect(await scene.held()).toBe(3);
    expect(await scene.newcomer(B)).toBe(PAID);
    expect(await scene.held()).toBe(0);
    expect(scene.reported()).toEqual(['clock-doubtful', 'clock-believed']);
  },

  'the API and the webhook tell of old votes': async (scene) => {
    await scene.settled(A, B);
    scene.restart(DAY, 0);
    for (const [site, channel] of [
      ['A', 'api'],
      ['B', 'webhook'],
    ] as const) {
      expect(await scene.newcomer({ site, channel, agoMs: 20 * HOUR })).toBe(PAID);
    }
    await expectQuiet(scene);
  },

  'the practice clock is moved': async (scene) => {
    await scene.settled(A, B);
    let offsetMs = 0;
    scene.useClock((clock) =>
      Object.assign(Object.create(clock), { now: () => clock.now() + offsetMs, base: () => clock.now() }),
    );
    expect(await scene.vote('Steve')).toBe(PAID);
    for (let day = 0; day < 3; day++) {
      offsetMs += DAY;
      scene.pass(MINUTE);
      expect(await scene.vote('Steve')).toBe(PAID);
      expect(await scene.newcomer(B)).toBe(PAID);
    }
    await expectQuiet(scene);
  },

  'not detected: ahead after a restart, without two sites that sign': async (scene) => {
    expect(await scene.vote('Steve', UNSIGNED)).toBe(PAID);
    scene.restart(MINUTE, 26 * HOUR);
    expect(await scene.vote('Steve', UNSIGNED)).toBe(PAID);
    await expectQuiet(scene);
  },

  'not detected: slow drift without two sites that sign': async (scene) => {
    expect(await scene.vote('Steve', UNSIGNED)).toBe(PAID);
    for (let hours = 0; hours < 22; hours++) {
      scene.pass(HOUR);
      scene.jump(6 * MINUTE);
      expect(await scene.newcomer(UNSIGNED)).toBe(PAID);
    }
    expect(await scene.vote('Steve', UNSIGNED)).toBe(PAID);
    await expectQuiet(scene);
  },
};

describe('a wrong clock', () => {
  test.each(Object.entries(cases))('%s', async (_, play) => {
    await play(new ClockScene());
  });

  test('is treated as the operators’ page says, case by case', () => {
    expect(promisedCases()).toEqual(Object.keys(cases));
  });
});
