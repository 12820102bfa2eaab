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
