import { expect, test } from 'vitest';
import { readingOf } from '../../src/core/clock-reading.ts';
import { wrongCountsOf } from '../../src/ledger/deep-check.ts';
import type { ClockNews, Ledger } from '../../src/ledger/ledger.ts';
import type { Reward } from '../../src/rewards/reward.ts';
import { START, TellerWithClock } from '../intake/teller-with-clock.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { freshLedger, record, rulesFor, THANKS } from '../support/ledgers.ts';
import { reward } from '../support/rewards.ts';
import { arrival } from '../support/votes.ts';

const HOUR = 3_600_000;

/** A ledger that is told the time of a clock with every vote, and what it found out about that clock. */
function judging(file?: string, clock = new FakeClock()) {
  const news: ClockNews[] = [];
  const fresh = freshLedger(file, (one) => news.push(one));
  const voted = (player: string) => arrival({ player, receivedAt: clock.now(), claim: null });
  const vote = (player: string, ...rewards: readonly Reward[]) => {
    const rules = rulesFor(...(rewards.length === 0 ? [THANKS] : rewards));
    return fresh.ledger.record({ ...voted(player), rules }, readingOf(clock));
  };
  const told = () => news.map((one) => (one.kind === 'doubted' ? one.doubt.reason : one.by));
  return { ...fresh, clock, news, voted, vote, told };
}

/** Until the returned function is called, each vote fails after it is stored, and its transaction is lost. */
function failing({ database }: ReturnType<typeof judging>): () => void {
  database.exec(
    `CREATE TEMP TRIGGER failing AFTER INSERT ON votes BEGIN SELECT RAISE(ROLLBACK, 'the disk fails'); END`,
  );
  return () => database.exec('DROP TRIGGER failing');
}

test('tells of a doubt once, even if it could not be stored at first', async () => {
  const one = judging();
  const { ledger, clock, vote, told } = one;
  await vote('Steve');
  clock.jump(26 * HOUR);
  const repair = failing(one);
  for (const player of ['Alex', 'Zombie']) {
    await expect(vote(player)).rejects.toMatchObject({ code: 'ledger-failed' });
  }
  expect(told()).toEqual([]);
  expect(await ledger.clock()).toMatchObject({ doubt: null });
  repair();
  await vote('Alex');
  await vote('Steve');
  expect(told()).toEqual(['jumped-ahead']);
  expect(await ledger.grantStates()).toEqual({ pending: 1, held: 1 });

  clock.jump(-26 * HOUR);
  const repairAgain = failing(one);
  await expect(vote('Later')).rejects.toMatchObject({ code: 'ledger-failed' });
  expect(told()).toEqual(['jumped-ahead']);
  repairAgain();
  await vote('Later');
  expect(told()).toEqual(['jumped-ahead', 'corrected']);
  expect(await ledger.grantStates()).toEqual({ pending: 2, held: 1 });
});

test('doubts the clock even if the vote that shows it cannot be decided', async () => {
  const { ledger, clock, vote, told } = judging();
  await vote('Steve');
  clock.jump(26 * HOUR);
  await expect(vote('Alex', null as unknown as Reward)).rejects.toThrow(TypeError);
  expect(told()).toEqual(['jumped-ahead']);
  expect(await ledger.votes({ limit: 9 })).toHaveLength(1);
  await vote('Alex');
  expect(told()).toEqual(['jumped-ahead']);
  expect(await ledger.grantStates()).toEqual({ pending: 1, held: 1 });
});

test('judges the clock once for votes of one moment, and tells of the doubt before it answers them', async () => {
  const { ledger, clock, news, voted, vote } = judging();
  await vote('Steve');
  clock.jump(26 * HOUR);
  const shownAt = clock.now();
  const answers = ['Alex', 'Zombie', 'Ben'].map(async (player) => {
    await ledger.record({ ...voted(player), rules: rulesFor(THANKS) }, readingOf(clock));
    return news.length;
  });
  expect(await Promise.all(answers)).toEqual([1, 1, 1]);
  const doubt = { reason: 'jumped-ahead', shownAt, aheadMs: 26 * HOUR };
  expect(news).toEqual([{ kind: 'doubted', doubt }]);
  expect(await ledger.grantStates()).toEqual({ pending: 1, held: 3 });
});

test('dates the votes of a doubted clock by the time that is believed, and stores when they were received by that clock', async () => {
  const { ledger, clock, vote } = judging();
  await vote('Steve');
  const believed = clock.now();
  clock.jump(26 * HOUR);
  await vote('Alex');
  const [alex] = await ledger.votes({ limit: 1 });
  expect(alex).toMatchObject({ player: 'Alex', castAt: believed, receivedAt: clock.now() });
});

test('does not judge the clock for a vote without a reading', async () => {
  const { ledger, clock, voted, vote, told } = judging();
  await vote('Steve');
  clock.jump(26 * HOUR);
  await record(ledger, [voted('Alex')], rulesFor(THANKS));
  expect(told()).toEqual([]);
  expect(await ledger.clock()).toMatchObject({ doubt: null, held: 0 });
  expect(await ledger.grantStates()).toEqual({ pending: 2 });
  const [alex] = await ledger.votes({ limit: 1 });
  expect(alex?.castAt).toBe(clock.now());
});

test('does not release grants on a game server that changed while they were held for the clock', async () => {
  const teller = new TellerWithClock();
  await teller.look.holdOrphaned(new Map([['main', 'rcon']]), START);
  await teller.newcomer();
  teller.jump(26 * HOUR);
  expect(await teller.newcomer()).toBe('rewarded, held');
  await teller.look.holdOrphaned(new Map([['main', 'http']]), START);
  expect(await teller.release()).toMatchObject({ released: 0 });
  expect(await teller.look.grants({ limit: 9 })).toMatchObject([
    { state: 'held', reason: { code: 'other-game-server' } },
    { state: 'held' },
  ]);
});

test('two processes on one ledger both hold grants during a doubt, and both trust the clock again afterwards', async () => {
  const one = judging();
  const other = judging(one.file, one.clock);
  const ledger: Ledger = one.ledger;
  await one.vote('A');
  await other.vote('B');
  one.clock.jump(26 * HOUR);
  await one.vote('C');
  await other.vote('D');
  await other.vote('A');
  expect(await ledger.grantStates()).toEqual({ pending: 2, held: 2 });
  expect([one.told(), other.told()]).toEqual([['jumped-ahead'], ['jumped-ahead']]);
  one.clock.jump(-26 * HOUR);
  await other.vote('E');
  await one.vote('F');
  expect(await ledger.grantStates()).toEqual({ pending: 4, held: 2 });
});

test('moves the days, streaks and limits of votes whose time was doubted, once the clock is trusted', async () => {
  const { ledger, clock } = judging();
  const vote = async (...rewards: readonly Reward[]) => {
    const cast = arrival({ cooldownMs: 1_000, receivedAt: clock.now(), claim: null });
    await ledger.record({ ...cast, rules: rulesFor(...rewards) }, readingOf(clock));
  };
  const daily = reward('daily', { limit: { per: 'player', count: 1, within: 'day' } });
  const told = reward('told', { commands: ['say {votesDay} {streak} {bestStreak}'] });
  const rewards = [daily, told];
  const grantsOf = async (name: string) =>
    (await ledger.grants({ reward: name, limit: 9 }))
      .map(({ commands }) => commands[0]?.command)
      .toReversed();
  await vote(...rewards);
  await clock.advance(2_000);
  clock.jump(49 * HOUR);
  await vote(...rewards);
  // By the time that was believed, both votes were cast on one day, and the limit of that day was full.
  expect(await grantsOf('told')).toEqual(['say 1 1 1', 'say 2 1 1']);
  expect(await ledger.grantStates()).toEqual({ pending: 2, held: 1 });

  await ledger.releaseClock(clock.now(), null, clock.now());
  expect(await wrongCountsOf(ledger)).toEqual({ recipients: [], network: false, parties: [] });
  clock.jump(24 * HOUR);
  await vote(...rewards);
  expect((await grantsOf('told')).at(-1)).toBe('say 1 2 2');
  expect(await grantsOf('daily')).toHaveLength(2);
});
