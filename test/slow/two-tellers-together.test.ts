import { describe, expect, test } from 'vitest';
import { DAY_MS } from '../../src/core/duration.ts';
import { openLedger } from '../../src/ledger/sqlite/in-process.ts';
import { systemClock } from '../../src/platform/clock.ts';
import type { KillPoint } from '../support/killing-teller.ts';
import { top } from '../support/parties.ts';
import { arrival } from '../support/votes.ts';
import { logged } from './disk-fixture.ts';
import {
  expectRightCounts,
  expectStates,
  numbered,
  SOON,
  type TwoTellers,
  twoTellers,
} from './two-tellers-fixture.ts';

const PLAYERS = numbered('Player', 6);

/** Either nobody has it, or one is held because it may have run. */
const KILLS: readonly (readonly [KillPoint, held: number, ran: number])[] = [
  ['between-claim-and-write', 1, 5],
  ['between-write-and-settlement', 1, 6],
];

/** Without announcements of how many votes are left: a look between two votes would send one. */
const PARTY = {
  ...{ name: 'cake', every: 6, when: 'always', announceLeft: [] },
  commands: ['say cake for {player}'],
};
const CAKES = PLAYERS.map((player) => `say cake for ${player}`);

describe('a party that two processes reach together', { timeout: 60_000 }, () => {
  test('is fixed and paid by the one that holds the lock', async () => {
    const here = await twoTellers({ party: [PARTY] });
    const [holder, recorder] = [await here.run(), await here.run()];
    await here.voteInTurn(
      [holder, recorder],
      PLAYERS.map((player) => [player]),
    );
    const look = here.look();
    await expectStates(look, { delivered: 6 });
    expect(here.ran().toSorted()).toEqual(CAKES);
    expect(logged(holder, 'party')).toEqual(['party 1 of cake was reached: 6 grant(s)']);
    expect([logged(recorder, 'party'), logged(recorder, 'not-delivering')]).toEqual([
      [],
      [expect.any(String)],
    ]);
    await expectRightCounts(look);
  });

  test.each([['before-fixParty', 0, 6] as const, ['after-fixParty', 0, 6] as const, ...KILLS])(
    'is fixed once and paid to nobody twice if kill -9 comes %s, and the lock passes over',
    async (point, held, ran) => {
      const here = await twoTellers({ party: [PARTY] });
      const [holder, recorder] = [await here.runDying(point), await here.run()];
      await here.voteInTurn(
        [recorder, recorder],
        PLAYERS.map((player) => [player]),
      );
      await holder.ended();
      expect(logged(recorder, 'party')).toEqual([]);
      const look = here.look();
      await expectStates(look, { delivered: 6 - held, ...(held > 0 ? { held } : {}) });
      expect(logged(recorder, 'delivering')).toHaveLength(1);
      expect(logged(recorder, 'party')).toHaveLength(point === 'before-fixParty' ? 1 : 0);
      expect(here.ran().filter((command) => !CAKES.includes(command))).toEqual([]);
      expect(new Set(here.ran()).size).toBe(here.ran().length);
      expect(here.ran()).toHaveLength(ran);
      expect(new Set((await look.grants({ limit: 99 })).map(({ occasion }) => occasion))).toEqual(
        new Set(['party 1']),
      );
      await expectRightCounts(look);
    },
  );
});

const TOP = {
  ...{ name: 'best', period: 'day', when: 'always' },
  prizes: { '1..6': ['say {player} won {occasion}'] },
};
/** The day before yesterday, as days since 1970. */
const DAY = Math.floor(systemClock.now() / DAY_MS) - 2;
const DATE = new Date(DAY * DAY_MS).toISOString().slice(0, 10);
const WON = PLAYERS.map((player, at) => `say ${player} won top ${DATE} place ${at + 1}`);
/** Until both processes run. */
const START_MS = 8_000;

/** Stores votes of that day, from whose beginning the top counts. */
async function voteThen({ ledger }: TwoTellers): Promise<void> {
  const opened = await openLedger(ledger, 'create', { clock: systemClock });
  const entry = top('best', { period: 'day' });
  await opened.useTimeZone('UTC');
  await opened.useConfig({ rewards: [entry], today: DAY });
  await opened.useConfig({ tops: [entry], today: DAY });
  for (const [at, player] of PLAYERS.entries())
    await opened.record(arrival({ player, receivedAt: DAY * DAY_MS + at * 60_000 }), null);
  await opened.close();
}

describe('a top of a day that is over, on a ledger of two processes', { timeout: 60_000 }, () => {
  test('is settled and paid by the one that holds the lock', async () => {
    const here = await twoTellers({ tops: [TOP] });
    await voteThen(here);
    const [holder, recorder] = [await here.run(), await here.run()];
    const look = here.look();
    await expectStates(look, { delivered: 6 });
    expect(here.ran().toSorted()).toEqual(WON);
    expect(logged(holder, 'top')).toContain(`the places of best in ${DATE} are final: 6 grant(s)`);
    await here.vote(recorder, 'Player1');
    expect(logged(recorder, 'top')).toEqual([]);
    expect(await look.grantStates()).toEqual({ delivered: 6 });
  });

  test.each([['before-settleTop', 0, 6] as const, ['after-settleTop', 0, 6] as const, ...KILLS])(
    'is settled once and paid to nobody twice if kill -9 comes %s, and the lock passes over',
    async (point, held, ran) => {
      // While it is settled, both have to run.
      const settle = Math.ceil((systemClock.now() + START_MS - (DAY + 1) * DAY_MS) / 1_000);
      const here = await twoTellers({ tops: [{ ...TOP, settle: `${settle}s` }] });
      await voteThen(here);
      const holder = await here.runDying(point);
      const recorder = await here.run();
      await holder.ended();
      const look = here.look();
      await expectStates(look, { delivered: 6 - held, ...(held > 0 ? { held } : {}) });
      expect(new Set(here.ran()).size).toBe(here.ran().length);
      expect(here.ran()).toHaveLength(ran);
      expect(WON).toEqual(expect.arrayContaining([...here.ran()]));
      // On a busy machine the first may have settled the top and died before the second one was there to wait for it.
      const waited = logged(recorder, 'not-delivering').length;
      await expect.poll(() => logged(recorder, 'delivering').length, SOON).toBe(waited);
    },
  );
});
