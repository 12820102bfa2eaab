import { describe, expect, test } from 'vitest';
import { readingOf } from '../../src/core/clock-reading.ts';
import { noteRestore } from '../../src/ledger/sqlite/restoring.ts';
import type { Top } from '../../src/rewards/reward.ts';
import { record } from '../support/ledgers.ts';
import { rulesWith, top } from '../support/parties.ts';
import { type Start, startTogether } from '../support/together.ts';
import { arrival, at, DAY } from '../support/votes.ts';

const HOUR = 3_600_000;
const DAY_1 = 20_605;
const END = at('2026-07-01T00:00:00Z');

/** A top of each month that a config has contained since 1 June 2026. */
async function start(more: Partial<Top> = {}, around: Omit<Start, 'tops'> = {}) {
  const one = top('best', more);
  const started = startTogether({ tops: [one], ...around });
  await started.ledger.useConfig({ rewards: [one], today: DAY_1 });
  await started.ledger.useConfig({ tops: [one], today: DAY_1 });
  let site = 0;
  /** Votes that were cast at these times, each on a site of its own. */
  const votes = async (player: string, ...times: readonly string[]) => {
    for (const time of times) {
      site += 1;
      const castAt = at(`2026-${time}Z`);
      const cast = arrival({ player, site: `Site ${site}`, claim: null, castAt, receivedAt: castAt });
      await record(started.ledger, [cast], rulesWith());
    }
  };
  const june = async () => {
    await votes('Alex', '06-02T10:00', '06-20T10:00');
    await votes('Steve', '06-03T10:00', '06-19T10:00');
    await votes('Sasha', '06-04T10:00', '06-05T10:00', '06-06T10:00');
    await votes('Robin', '06-30T23:59:59');
    await votes('Robin', '07-01T00:00', '07-01T00:01', '07-01T00:02');
  };
  const until = (time: string) => started.clock.jump(at(`2026-${time}Z`) - started.clock.now());
  const states = async () => (await started.ledger.grants({ limit: 99 })).map(({ state }) => state);
  return { ...started, one, votes, june, until, states };
}

const JUNE = [
  'Sasha: top 2026-06 place 1 on main',
  'Steve: top 2026-06 place 2 on main',
  'Alex: top 2026-06 place 3 on main',
];

describe('a top', () => {
  test('pays the players with the most votes of a month, an hour after it', async () => {
    const { june, until, pass, paid, ledger } = await start();
    await june();
    until('07-01T00:59:30');
    await pass(20_000);
    expect(await paid()).toEqual([]);
    await pass(20_000);
    expect(await paid()).toEqual(JUNE);
    const [first] = (await ledger.grants({ limit: 9 })).toReversed();
    expect(first).toMatchObject({ cause: 'top', voteId: null, choice: { from: 'prizes', name: '1' } });
    expect(first?.commands.map(({ command }) => command)).toEqual([
      'give Sasha beacon 1',
      'say Sasha won top 2026-06 place 1 with 3 votes',
    ]);
    expect(await ledger.grants({ recipient: 'sasha', together: true, limit: 9 })).toHaveLength(1);
  });

  test('is paid once when Teller was down for three days over the end of the month', async () => {
    const { june, until, pass, paid, close, again } = await start();
    await june();
    until('06-29T12:00');
    await close();
    until('07-02T12:00');
    again();
    await pass(20_000);
    await pass(20_000);
    expect(await paid()).toEqual(JUNE);
  });

  test('waits until missed votes were looked for after the end of the month, and counts them', async () => {
    const { june, votes, until, pass, paid, recover } = await start({}, { maxAgeMs: 2 * DAY });
    await june();
    recover(END - 1);
    until('07-02T12:00');
    await pass(20_000);
    expect(await paid()).toEqual([]);
    await votes('Alex', '06-30T10:00', '06-30T11:00');
    recover(END + 1);
    await pass(20_000);
    expect((await paid())[0]).toBe('Alex: top 2026-06 place 1 on main');
  });

  test('does not wait for votes that would be too old by now', async () => {
    const { june, until, pass, paid } = await start({}, { maxAgeMs: 2 * DAY });
    await june();
    until('07-02T23:59');
    await pass(20_000);
    expect(await paid()).toEqual([]);
    until('07-03T00:00');
    await pass(20_000);
    expect(await paid()).toEqual(JUNE);
  });

  test('is not changed by votes that come later', async () => {
    const { june, votes, until, pass, paid, ledger, one } = await start();
    await june();
    until('07-01T02:00');
    await pass(20_000);
    await votes('Zoe', '06-07T10:00', '06-08T10:00', '06-09T10:00', '06-10T10:00');
    await pass(20_000);
    expect(await paid()).toEqual(JUNE);
    const places = await ledger.settledPlaces(one, 677);
    expect(places?.map(({ place, player, votes: many }) => `${place} ${player} ${many}`)).toEqual([
      '1 Sasha 3',
      '2 Steve 2',
      '3 Alex 2',
      '4 Robin 1',
    ]);
  });

  test('pays every period of a long time in which Teller was down, the oldest first', async () => {
    const { june, votes, until, pass, paid } = await start();
    await june();
    await votes('Zoe', '08-05T10:00');
    until('09-03T12:00');
    await pass(20_000);
    expect(await paid()).toEqual([
      ...JUNE,
      'Robin: top 2026-07 place 1 on main',
      'Zoe: top 2026-08 place 1 on main',
    ]);
  });

  test('does not pay periods that ended before a running config first contained it, or contained such periods', async () => {
    const { june, votes, until, pass, paid, ledger, one } = await start();
    const weekly = { ...one, period: 'week' } as const;
    await june();
    await votes('Zoe', '07-09T10:00');
    until('07-13T02:00');
    await ledger.useConfig({ tops: [weekly], today: DAY_1 + 38 });
    expect(await ledger.dueTop(weekly, 2_949)).toBe(2_949);
    expect(await ledger.dueTop(weekly, 2_948)).toBe(null);
    expect(await ledger.dueTop({ name: 'unknown', period: 'week' }, 2_949)).toBe(null);
    await pass(20_000);
    expect(await paid()).toEqual(JUNE);
  });

  test('gives a place to those who share it, and none to those who are left out', async () => {
    const { june, until, pass, paid } = await start({ ties: 'share', exclude: ['sasha'] });
    await june();
    until('07-01T02:00');
    await pass(20_000);
    expect(await paid()).toEqual([
      'Steve: top 2026-06 place 1 on main',
      'Alex: top 2026-06 place 1 on main',
      'Robin: top 2026-06 place 3 on main',
    ]);
  });

  test('counts only the votes that its conditions let through', async () => {
    const { june, until, pass, paid } = await start({ if: { weekday: ['sat'] } });
    await june();
    until('07-01T02:00');
    await pass(20_000);
    expect(await paid()).toEqual(['Sasha: top 2026-06 place 1 on main', 'Alex: top 2026-06 place 2 on main']);
  });

  test('does not count votes that were voided', async () => {
    const { june, until, pass, paid, ledger } = await start();
    await june();
    await ledger.voidVotes([5, 6], { by: 'root', reason: 'a bot' }, END);
    until('07-01T02:00');
    await pass(20_000);
    expect((await paid())[2]).toBe('Sasha: top 2026-06 place 3 on main');
  });

  test('that two processes settle is paid once', async () => {
    const { june, until, pass, paid, ledger, one, again } = await start();
    await june();
    until('07-01T02:00');
    again();
    await pass(20_000);
    expect(await paid()).toEqual(JUNE);
    const order = { top: one, period: 677, endedAt: END, places: [], rules: rulesWith() };
    expect(await ledger.settleTop({ ...order, draws: { kind: 'drawn', seed: 0.5 } }, END)).toBe(0);
  });
});

describe('a top in doubt', () => {
  test('is held if it may have been settled between a backup and its restore, and the next one is paid', async () => {
    const { june, until, pass, states, database } = await start();
    await june();
    noteRestore(database, at('2026-06-30T23:59:59.5Z'), at('2026-07-02T00:00:00Z'));
    until('07-02T00:01');
    await pass(20_000);
    expect(await states()).toEqual(['held', 'held', 'held']);
    until('08-01T02:00');
    await pass(20_000);
    expect((await states())[0]).toBe('pending');
  });

  test('is held under a doubtful clock, by whose believed time the month is over, and paid when the clock is released', async () => {
    const { june, until, pass, states, clock, ledger } = await start();
    const voted = async (player: string) => {
      const cast = arrival({ player, site: `${player}s`, claim: null, receivedAt: clock.now() });
      await record(ledger, [cast], rulesWith(), readingOf(clock));
    };
    until('06-30T20:00');
    await june();
    await voted('Alex');
    clock.jump(26 * HOUR);
    await voted('Steve');
    await pass(20_000);
    expect(await states()).toEqual([]);
    await pass(5 * HOUR, HOUR);
    await pass(20_000);
    expect(await states()).toEqual(['held', 'held', 'held']);
    expect(await ledger.releaseClock(clock.now(), null, clock.now())).toMatchObject({ released: 3 });
    expect(await states()).toEqual(['pending', 'pending', 'pending']);
  });

  test('waits for votes whose times a doubt left to be moved, which goes on by itself', async () => {
    const { pass, clock, ledger, one } = await start();
    const voted = (player: string) => arrival({ player, claim: null, receivedAt: clock.now() });
    await record(ledger, [voted('First')], rulesWith(), readingOf(clock));
    clock.jump(26 * HOUR);
    const votes = Array.from({ length: 1_100 }, (_, index) => voted(`P${index}`));
    await record(ledger, votes, rulesWith(), readingOf(clock));
    // By a process that has ended since.
    await ledger.releaseClock(clock.now(), null, clock.now());
    expect([await ledger.areVotesMoving(), await ledger.dueTop(one, 999)]).toEqual([true, null]);
    await pass(3_000);
    expect([await ledger.areVotesMoving(), await ledger.dueTop(one, 999)]).toEqual([false, 677]);
  });
});
