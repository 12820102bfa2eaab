import { describe, expect, test } from 'vitest';
import { type Cast, DAY, HOUR, type LedgerOfTest, ledgers, NOON, RIGHT, reward } from '../kit/ledgers.ts';
import { Seeded } from '../support/seeded.ts';

const THANKS = { rewards: [reward('thanks')] };
const AHEAD = NOON + 26 * HOUR;

/** A vote that comes when the clock shows this time; the clock of the computer's uptime stands still. */
const shown = (player: string, wall: number, more: Partial<Cast> = {}): Cast => {
  return { player, at: wall, reading: { wall, monotonic: 0 }, ...more };
};
const told = ({ news }: LedgerOfTest) =>
  news.map((one) => (one.kind === 'doubted' ? one.doubt.reason : one.kind));

test('a clock that jumps ahead is doubted once, even if that could not be stored at first, and so is that it is right again', async () => {
  const ledger = await ledgers(THANKS);
  await ledger.vote(shown('Steve', NOON));
  const repair = ledger.failing('INSERT ON votes');
  for (const player of ['Alex', 'Zombie'])
    await expect(ledger.vote(shown(player, AHEAD))).rejects.toMatchObject({ code: 'ledger-failed' });
  expect([told(ledger), (await ledger.clock()).doubt]).toEqual([[], null]);
  repair();
  await ledger.vote(shown('Alex', AHEAD));
  await ledger.vote(shown('Steve', AHEAD));
  expect([told(ledger), await ledger.grantStates()]).toEqual([['jumped'], { pending: 1, held: 1 }]);

  const repairAgain = ledger.failing('INSERT ON votes');
  await expect(ledger.vote(shown('Later', NOON))).rejects.toMatchObject({ code: 'ledger-failed' });
  expect(told(ledger)).toEqual(['jumped']);
  repairAgain();
  await ledger.vote(shown('Later', NOON));
  expect(told(ledger)).toEqual(['jumped', 'believed']);
  expect(await ledger.grantStates()).toEqual({ pending: 2, held: 1 });
});

test('a clock that jumps ahead is judged once for votes of one moment, which are dated by the time that is believed', async () => {
  const ledger = await ledgers(THANKS);
  await ledger.vote(shown('Steve', NOON));
  const answers = ['Alex', 'Zombie', 'Ben'].map(async (player) => {
    await ledger.vote(shown(player, AHEAD));
    return ledger.news.length;
  });
  expect(await Promise.all(answers)).toEqual([1, 1, 1]);
  const doubt = { reason: 'jumped', shownAt: AHEAD, aheadMs: 26 * HOUR };
  expect(ledger.news).toEqual([{ kind: 'doubted', doubt }]);
  expect((await ledger.votes()).slice(1)).toMatchObject(Array(3).fill({ castAt: NOON, receivedAt: AHEAD }));
  expect(await ledger.grantStates()).toEqual({ pending: 1, held: 3 });
});

test('a clock that jumps ahead is not judged for a vote without a reading', async () => {
  const ledger = await ledgers(THANKS);
  await ledger.vote(shown('Steve', NOON));
  await ledger.vote({ player: 'Alex', at: AHEAD });
  expect([told(ledger), await ledger.clock()]).toMatchObject([[], { doubt: null, held: 0 }]);
  expect(await ledger.owed()).toEqual(['Steve thanks: pending', 'Alex thanks: pending']);
  expect((await ledger.votes())[1]?.castAt).toBe(AHEAD);
});

test('a clock that jumps ahead is doubted by both of two processes on one ledger, and trusted again by both', async () => {
  const one = await ledgers(THANKS);
  const other = await one.another();
  await one.vote(shown('A', NOON));
  await other.vote(shown('B', NOON));
  await one.vote(shown('C', AHEAD));
  await other.vote(shown('D', AHEAD));
  await other.vote(shown('A', AHEAD));
  expect(await one.grantStates()).toEqual({ pending: 2, held: 2 });
  expect([told(one), told(other)]).toEqual([['jumped'], ['jumped']]);
  await other.vote(shown('E', NOON));
  await one.vote(shown('F', NOON));
  expect(await one.grantStates()).toEqual({ pending: 4, held: 2 });
});

test('a clock that jumps ahead and is trusted leaves the votes of the doubt on the days that it believed, which counts and limits go by', async () => {
  const limit = { per: 'player', count: 1, within: 'day' };
  const figures = reward('told', { commands: ['say {votesDay} {streak} {bestStreak}'] });
  const rewards = [reward('daily', { limit }), figures];
  const ledger = await ledgers({ sites: { List: { cooldown: '1s' } }, rewards });
  const said = async () =>
    (await ledger.grants({ reward: 'told' })).map(({ commands }) => commands[0]?.command);
  const at = (wall: number, monotonic: number) => ({ at: wall, reading: { wall, monotonic } });
  const later = NOON + 49 * HOUR + 2_000;
  await ledger.vote(at(NOON, 0));
  await ledger.vote(at(later, 2_000));
  expect(await said()).toEqual(['say 1 1 1', 'say 2 1 1']);
  await ledger.release(later);
  await ledger.vote(at(later + 1_000, 3_000));
  expect(await said()).toEqual(['say 1 1 1', 'say 2 1 1', 'say 1 1 1']);
  expect((await ledger.votes()).map(({ castAt }) => castAt)).toEqual([NOON, NOON + 2_000, later + 1_000]);
  expect(await ledger.grants({ reward: 'daily' })).toHaveLength(2);
  expect(await ledger.wrong()).toEqual(RIGHT);
});

test('a clock that jumps ahead and is trusted releases no grants on a game server that changed while they were held', async () => {
  const ledger = await ledgers(THANKS);
  await ledger.holdOrphaned(new Map([['main', 'rcon']]), NOON);
  await ledger.vote(shown('Steve', NOON));
  await ledger.cancel(1);
  await ledger.vote(shown('Alex', AHEAD));
  await ledger.holdOrphaned(new Map([['main', 'http']]), NOON);
  expect(await ledger.release(AHEAD)).toEqual([0]);
  expect((await ledger.owed())[1]).toBe('Alex thanks: held other-game-server');
});

const PORTION = 500;
const PLAYERS = Array.from({ length: 1_203 }, (_, index) => `P${index}`);
const MANY = PLAYERS.length;
const MOVED = NOON + 2 * DAY;

/** A ledger with a vote of each player that came while the clock was doubted, which was two days ahead. */
async function doubted(): Promise<LedgerOfTest> {
  const ledger = await ledgers(THANKS);
  await ledger.vote(shown('First', NOON));
  await ledger.vote(...PLAYERS.map((player) => shown(player, MOVED)));
  expect(await ledger.clock()).toMatchObject({ held: MANY, doubt: { reason: 'jumped' } });
  return ledger;
}
const sum = (numbers: readonly number[]) => numbers.reduce((total, one) => total + one, 0);

test('releasing the clock releases 500 grants in one transaction at most, and trusts the clock in the first', async () => {
  const ledger = await doubted();
  const first = await ledger.releaseClock(MOVED, null, MOVED);
  expect(first).toMatchObject({ doubt: { reason: 'jumped' }, released: PORTION });
  expect(await ledger.clock()).toMatchObject({ held: MANY - PORTION, doubt: null });
  expect(await ledger.release(MOVED)).toEqual([PORTION, MANY - 2 * PORTION]);
  expect(await ledger.clock()).toMatchObject({ held: 0, doubts: [{ endedBy: 'released' }] });
  expect(await ledger.grantStates()).toEqual({ pending: MANY + 1 });
}, 60_000);

test('releasing the clock is done by another process without the progress of the first, and releases no grant twice', async () => {
  const ledger = await doubted();
  const first = await ledger.releaseClock(MOVED, null, MOVED);
  expect(sum(await (await ledger.another()).release(MOVED))).toBe(MANY - first.released);
  expect(await ledger.grantStates()).toEqual({ pending: MANY + 1 });
}, 60_000);

test('releasing the clock leaves what is held for other reasons, and looks at no more than 500 of those in one transaction', async () => {
  const ledger = await doubted();
  const other = 'restore-doubt';
  ledger.sql(`UPDATE grants SET reason = '${other}' WHERE id BETWEEN 2 AND ${PORTION + 1}`);
  const released = (await ledger.release(MOVED)).filter((count) => count > 0);
  expect(released).toEqual([PORTION, MANY - 2 * PORTION]);
  expect(await ledger.grantStates()).toEqual({ held: PORTION, pending: MANY + 1 - PORTION });
}, 60_000);

test('releasing the clock does not release what a new doubt holds between two portions', async () => {
  const ledger = await doubted();
  const first = await ledger.releaseClock(MOVED, null, MOVED);
  await ledger.vote(shown('Later', MOVED));
  await ledger.vote(shown('Doubted', MOVED + 3 * DAY));
  let rest = 0;
  for (let { next } = first; next !== null; ) {
    const portion = await ledger.releaseClock(MOVED, next, MOVED);
    rest += portion.released;
    next = portion.next;
  }
  expect(first.released + rest).toBe(MANY);
  expect(await ledger.clock()).toMatchObject({ held: 1, doubt: { reason: 'jumped' } });
}, 60_000);

test('releasing the clock while it is trusted pays what an earlier doubt has left, and lets the next vote show that the clock is wrong', async () => {
  const ledger = await ledgers(THANKS);
  await ledger.vote(shown('Steve', NOON));
  await ledger.vote(shown('Alex', AHEAD));
  await ledger.vote(shown('Zoe', NOON));
  expect(await ledger.clock()).toMatchObject({ held: 1, doubt: null });
  expect(await ledger.release(AHEAD)).toEqual([1]);
  expect(await ledger.vote(shown('Steve', AHEAD))).toEqual(['cooldown']);
  expect(await ledger.clock()).toMatchObject({ doubt: { reason: 'jumped' } });
});

test('while the clock is doubted, no vote is decided again whose service got an entry later', async () => {
  const ledger = await ledgers(THANKS);
  await ledger.vote(shown('Steve', NOON));
  await ledger.vote(shown('Alex', AHEAD));
  expect(await ledger.list([], AHEAD)).toEqual({ kind: 'clock-doubted' });
  await ledger.release(AHEAD);
  expect(await ledger.list([], AHEAD)).toMatchObject({ kind: 'decided' });
});

describe('nobody is paid twice in 24 hours', () => {
  const wallAt = (hours: number, ahead: number): number => NOON + (hours + ahead) * HOUR;
  /** A vote so many hours after noon, while the clock is so many hours ahead of the right time, or behind it. */
  const vote = (player: string, hours: number, ahead: number, more: Partial<Cast> = {}): Cast => {
    const wall = wallAt(hours, ahead);
    return { player, at: wall, reading: { wall, monotonic: hours * HOUR }, ...more };
  };
  const SECOND_EARLIER = 1 / 3_600;

  /** The first of these hours after noon at which a vote of a player is rewarded, or `too early`: a second before that. */
  async function rewardedAt(ledger: LedgerOfTest, ahead: number, votes: Record<string, readonly number[]>) {
    const found: Record<string, number | 'too early'> = {};
    const tried = Object.entries(votes)
      .flatMap(([player, hours]) => hours.map((hour) => ({ player, hour })))
      .sort((one, other) => one.hour - other.hour);
    for (const { player, hour } of tried) {
      if (player in found) continue;
      const two = [hour - SECOND_EARLIER, hour].map((at) => vote(player, at, ahead));
      const [before, then] = await ledger.vote(...two);
      if (before === 'rewarded') found[player] = 'too early';
      else if (then === 'rewarded') found[player] = hour;
    }
    return found;
  }

  // Whichever was right: Steve was paid at noon, and Alex’s reward was held at one o’clock and then released.
  test.each([
    ['was right and is set 26 hours ahead', 0, 26, { Steve: 24, Alex: 25 }],
    ['was 26 hours behind and is set right', -26, 0, { Steve: 24, Alex: 25 }],
    ['was right and is set 3 hours ahead', 0, 3, { Steve: 24, Alex: 25 }],
    // Until the clock shows a day after the votes before, they are waited for.
    ['was right and is set 3 hours back', 0, -3, { Steve: 27, Alex: 28 }],
    ['was 3 hours ahead and is set right', 3, 0, { Steve: 27, Alex: 28 }],
    ['was right and is set 26 hours back', 0, -26, { Steve: 50, Alex: 51 }],
    ['was 26 hours ahead and is set right', 26, 0, { Steve: 50, Alex: 51 }],
  ])('by a clock that %s, and is released then', async (_, before, after, expected) => {
    const ledger = await ledgers(THANKS);
    await ledger.vote(vote('Steve', 0, before));
    expect(await ledger.vote(vote('Steve', 1, after), vote('Alex', 1, after))).toEqual([
      ...['cooldown', 'rewarded'],
    ]);
    expect(await ledger.grantStates()).toEqual({ pending: 1, held: 1 });
    await ledger.release(wallAt(1, after));
    const tried = { Steve: [2, 24, 27, 50], Alex: [2, 25, 28, 51] };
    expect(await rewardedAt(ledger, after, tried)).toEqual(expected);
    expect(await ledger.grantStates()).toEqual({ pending: 4 });
    expect((await ledger.clock()).doubts).toHaveLength(1);
  });

  test('by a clock that is released some hours after the last vote, where those who voted before may wait some hours longer', async () => {
    const ledger = await ledgers(THANKS);
    await ledger.vote(vote('Steve', 0, 0));
    await ledger.vote(vote('Alex', 1, 26));
    await ledger.release(wallAt(5, 26));
    const tried = { Steve: [24, 28], Alex: [25, 29] };
    expect(await rewardedAt(ledger, 26, tried)).toEqual({ Steve: 28, Alex: 29 });
  });

  const NOT_SET = -NOON / HOUR;

  describe.each([
    ['is not set', NOT_SET],
    ['is two days behind', -48],
  ])('by a clock that after a restart %s', (_, wrong) => {
    /** Teller runs again at five. For how long it was stopped is not known, so Alex’s vote is dated as if it had come at noon. */
    async function restarted(): Promise<LedgerOfTest> {
      const ledger = await ledgers(THANKS);
      await ledger.vote(vote('Steve', 0, 0));
      const again = await ledger.another();
      const votes = [vote('Steve', 5, wrong), vote('Alex', 5, wrong)];
      expect(await again.vote(...votes)).toEqual(['cooldown', 'rewarded']);
      expect((await again.votes()).map(({ castAt }) => castAt)).toEqual([NOON, NOON, NOON]);
      return again;
    }
    const tried = { Steve: [24, 29], Alex: [24, 29] };

    test('and is right from the next vote on', async () => {
      const ledger = await restarted();
      await ledger.vote(vote('Zoe', 6, 0));
      expect(await ledger.clock()).toMatchObject({ doubt: null, held: 1 });
      await ledger.release(wallAt(6, 0));
      expect(await rewardedAt(ledger, 0, tried)).toEqual({ Steve: 24, Alex: 29 });
      expect(await ledger.grantStates()).toEqual({ pending: 5 });
    });

    test('and is set right and released before the next vote', async () => {
      const ledger = await restarted();
      await ledger.release(wallAt(5, 0));
      expect(await rewardedAt(ledger, 0, tried)).toEqual({ Steve: 24, Alex: 29 });
      expect(await ledger.grantStates()).toEqual({ pending: 4 });
    });
  });

  test('by a clock that after a restart is two days behind, and is released although it is wrong', async () => {
    const ledger = await ledgers(THANKS);
    await ledger.vote(vote('Steve', 0, 0));
    const restarted = await ledger.another();
    await restarted.vote(vote('Alex', 5, -48));
    await restarted.release(wallAt(5, -48));
    const tried = { Steve: [6, 24, 29, 72], Alex: [6, 24, 29, 72] };
    expect(await rewardedAt(restarted, -48, tried)).toEqual({ Steve: 72, Alex: 72 });
  });

  test('by a clock that is released although it is wrong, and later is set right and released again', async () => {
    const ledger = await ledgers(THANKS);
    await ledger.vote(vote('Steve', 0, 0));
    await ledger.vote(vote('Alex', 1, 26));
    await ledger.release(wallAt(1, 26));
    await ledger.vote(vote('Kai', 2, 26));
    await ledger.vote(vote('Zoe', 3, 0));
    await ledger.release(wallAt(3, 0));
    // Kai’s and Zoe’s votes were dated 26 hours later than they came, and are waited for.
    const tried = { Steve: [4, 24], Alex: [4, 25], Kai: [4, 26, 52], Zoe: [4, 27, 53] };
    expect(await rewardedAt(ledger, 0, tried)).toEqual({ Steve: 24, Alex: 25, Kai: 52, Zoe: 53 });
  });

  test('by two names that are joined after a doubt', async () => {
    const ledger = await ledgers(THANKS);
    await ledger.vote(vote('Zoe', -30, 0));
    await ledger.vote(vote('Alex', 1, 26));
    await ledger.release(wallAt(1, 26));
    expect(await ledger.merge('Alex', 'Zoe')).toMatchObject({ kind: 'changed' });
    expect(await rewardedAt(ledger, 26, { Zoe: [2, 25] })).toEqual({ Zoe: 25 });
  });

  test('for votes whose service gets an entry after the doubt in which the first of them came', async () => {
    const ledger = await ledgers({ ...THANKS, sites: { default: {} } });
    await ledger.vote(vote('Zoe', 0, 0));
    // Another service has the window that unlisted ones share.
    await ledger.vote(vote('Steve', 1, 26, { on: 'A' }), vote('Steve', 1, 26, { on: 'B' }));
    await ledger.release(wallAt(1, 26));
    const later = [2, 25].map((hours) => vote('Steve', hours, 26, { on: 'B' }));
    expect(await ledger.vote(...later)).toEqual(['unlisted', 'rewarded']);
    await ledger.use({ ...THANKS, sites: { default: {}, B: {} } });
    await ledger.list(['B'], wallAt(26, 26));
    expect((await ledger.votes({ site: 'B' })).map(({ decision }) => decision)).toEqual([
      ...['rewarded', 'cooldown', 'rewarded'],
    ]);
  });

  test('and two votes whose site says that they are 24 hours apart are both rewarded, whatever this clock shows', async () => {
    const ledger = await ledgers(THANKS);
    const found = (hours: number, ahead: number) =>
      vote('Steve', hours, ahead, { via: 'webhook', event: `E${hours}`, at: NOON + hours * HOUR });
    await ledger.vote(found(0, 0));
    await ledger.vote(found(1, 3), vote('Alex', 1, 3));
    await ledger.release(wallAt(1, 3));
    const later = [found(24 - SECOND_EARLIER, 3), found(24, 3)];
    expect(await ledger.vote(...later)).toEqual(['cooldown', 'rewarded']);
  });

  /** What no comparison shows is left out: a clock that is ahead after a restart. */
  test.each([1, 2, 3, 4])('whatever the clock does, and whenever it is released (seed %i)', async (seed) => {
    const random = new Seeded(seed);
    let ledger = await ledgers(THANKS);
    let [awake, asleep, ahead, trusted, others] = [0, 0, 0, 0, 0];
    const rewarded: Record<string, number[]> = {};
    const come = async (player: string): Promise<void> => {
      const wall = wallAt(awake + asleep, ahead);
      const cast = { player, at: wall, reading: { wall, monotonic: awake * HOUR } };
      const hours = rewarded[player] ?? [];
      rewarded[player] = hours;
      if ((await ledger.vote(cast))[0] === 'rewarded') hours.push(awake + asleep);
      if ((await ledger.clock()).doubt === null) trusted = ahead;
    };
    const steps = {
      vote: () => come(random.pick(['Steve', 'Alex', 'Kai'])),
      pass: async () => {
        awake += random.pick([1, 2, 5, 11, 24]);
      },
      sleep: async () => {
        asleep += random.pick([1, 8, 30]);
      },
      set: async () => {
        const [{ doubt }, to] = [await ledger.clock(), ahead + random.pick([26, -26, 3, -3, 50, -50])];
        if (doubt === null || doubt.reason === 'jumped' || to <= trusted) ahead = to;
      },
      correct: async () => {
        ahead = trusted;
      },
      restart: async () => {
        asleep += random.pick([0, 1, 7, 30]);
        ahead = trusted - random.pick([0, 3, 40, 20_000]);
        ledger = await ledger.another();
      },
      release: async () => {
        if ((await ledger.clock()).doubt !== null) trusted = ahead;
        await ledger.release(wallAt(awake + asleep, ahead));
      },
    };
    const often = ['vote', 'vote', 'vote', 'pass', 'pass'] as const;
    const seldom = ['sleep', 'set', 'correct', 'restart', 'release'] as const;
    await come('First');
    for (let step = 0; step < 150; step++) {
      const name = random.pick([...often, ...seldom]);
      await steps[name]();
      // The clock is only judged when votes come.
      if (name !== 'vote' && name !== 'pass') await come(`Other${others++}`);
    }
    const apart = Object.values(rewarded).flatMap((hours) =>
      hours.slice(1).map((at, index) => at - (hours[index] ?? 0)),
    );
    expect(apart.length).toBeGreaterThan(10);
    expect(Math.min(...apart)).toBeGreaterThanOrEqual(24);
  });
});
