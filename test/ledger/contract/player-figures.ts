import { describe, expect, test } from 'vitest';
import type { Days } from '../../../src/core/period.ts';
import type { PlayerName } from '../../../src/core/player-name.ts';
import type { Ledger } from '../../../src/ledger/ledger.ts';
import { record, rulesFor } from '../../support/ledgers.ts';
import { Seeded } from '../../support/seeded.ts';
import { arrival, DAY } from '../../support/votes.ts';
import type { LedgerFactory } from './engine.ts';
import { on, START_DAY } from './rewards.ts';

/** A day of June 2026, whose first is a Monday. */
const june = (date: number): number => START_DAY + date - 1;
const JUNE: Days = { from: june(1), to: june(30) };
const player = (name: string) => ({ kind: 'player', key: name.toLowerCase() }) as const;

const ALEX = 'aaaaaaaa-aaaa-4aaa-8aaa-aaaaaaaaaaaa';

export function playerFiguresContract(freshLedger: LedgerFactory): void {
  const figuresOn = async (ledger: Ledger, date: number, name = 'Steve') =>
    ledger.playerFigures(player(name), june(date), JUNE);

  describe('the figures of a player', () => {
    test('are their votes in total and in the day, week and month, and each day with its votes and services', async () => {
      const { ledger } = await freshLedger();
      const votes = [
        on(1),
        on(8),
        on(9),
        on(9, { site: 'Other' }),
        on(9, { site: 'Other' }),
        on(10, { player: 'Alex' }),
      ];
      await record(ledger, votes, rulesFor());
      expect(await figuresOn(ledger, 9)).toEqual({
        counts: { total: 4, day: 2, week: 3, month: 4 },
        streak: { from: june(8), to: june(9) },
        bestStreak: 2,
        days: [
          { day: june(1), votes: 1, services: 1, isImported: false },
          { day: june(8), votes: 1, services: 1, isImported: false },
          { day: june(9), votes: 3, services: 2, isImported: false },
        ],
      });
      expect(await figuresOn(ledger, 40)).toMatchObject({ counts: { total: 4, day: 0, week: 0, month: 0 } });
    });

    test('have a streak that goes on until the end of the day after its last', async () => {
      const { ledger } = await freshLedger();
      await record(ledger, [on(3), on(4), on(5)], rulesFor());
      const days = { from: june(3), to: june(5) };
      expect((await figuresOn(ledger, 5))?.streak).toEqual(days);
      expect((await figuresOn(ledger, 6))?.streak).toEqual(days);
      expect(await figuresOn(ledger, 7)).toMatchObject({ streak: null, bestStreak: 3 });
    });

    test('are those of all names of the player, and null for a name that was never seen', async () => {
      const { ledger } = await freshLedger();
      await record(ledger, [on(1, { player: 'Alex' }), on(2, { player: 'Sasha' })], rulesFor());
      const order = { name: 'Sasha' as PlayerName, into: 'Alex' as PlayerName, by: 'ann', rules: rulesFor() };
      await ledger.mergePlayers(order, 0);
      const both = { counts: { total: 2 }, streak: { from: june(1), to: june(2) } };
      expect(await figuresOn(ledger, 2, 'alex')).toMatchObject(both);
      expect(await figuresOn(ledger, 2, 'sasha')).toMatchObject(both);
      expect(await figuresOn(ledger, 2, 'nobody')).toBe(null);
    });

    test('leave out votes that were voided, and days that are not asked for', async () => {
      const { ledger } = await freshLedger();
      await record(ledger, [on(1), on(2), on(3), on(4)], rulesFor());
      await ledger.voidVotes([2], { by: 'ann', reason: 'test' }, 0);
      const figures = await ledger.playerFigures(player('Steve'), june(4), { from: june(1), to: june(3) });
      expect(figures?.days.map(({ day }) => day)).toEqual([june(1), june(3)]);
      expect(figures).toMatchObject({ counts: { total: 3 }, streak: { from: june(3), to: june(4) } });
    });

    test('look at 1,000 votes of a day, however many a sender invents', async () => {
      const { ledger } = await freshLedger();
      const invented = Array.from({ length: 1_100 }, (_, n) => on(1, { site: `List-${n % 7}` }));
      await record(ledger, [...invented, on(2)], rulesFor());
      expect((await figuresOn(ledger, 2))?.days).toMatchObject([
        { day: june(1), votes: 1_000, services: 7 },
        { day: june(2), votes: 1 },
      ]);
    });

    test('say which days were imported as days in a row', async () => {
      const { ledger } = await freshLedger();
      const rules = rulesFor();
      const start = { source: 'votingplugin', asOf: june(10) * DAY, by: 'ann', now: june(10) * DAY } as const;
      const importId = await ledger.startImport(start);
      const totals = { all: 50, month: null, week: null, day: null };
      const runs = { day: { from: june(7), to: june(9) }, week: null, month: null };
      const entry = { player: 'Steve' as PlayerName, totals, uuid: null, runs, bestRun: 12 };
      await ledger.importBalances([entry], { ...start, importId, isReplacing: false, rules });
      await record(ledger, [on(9), on(10)], rules);
      expect(await figuresOn(ledger, 10)).toMatchObject({
        streak: { from: june(7), to: june(10) },
        bestStreak: 12,
        days: [
          { day: june(7), votes: 0, services: 0, isImported: true },
          { day: june(8), votes: 0, services: 0, isImported: true },
          { day: june(9), votes: 1, services: 1, isImported: true },
          { day: june(10), votes: 1, services: 1, isImported: false },
        ],
      });
    });

    test.each([1, 2, 3])(
      'have for each day the votes that mark it, and their services (seed %i)',
      async (seed) => {
        const { ledger } = await freshLedger();
        const random = new Seeded(seed);
        let receivedAt = june(1) * DAY;
        const votes = Array.from({ length: 150 }, () => {
          receivedAt += random.below(DAY / 3);
          const site = random.pick(['List', 'Other', 'default']);
          return arrival({ player: random.pick(['Steve', 'Alex']), site, receivedAt, cooldownMs: DAY / 4 });
        });
        await record(ledger, votes, rulesFor());
        const stored = await ledger.votes({ recipient: 'steve', limit: 999 });
        const days = { from: june(3), to: june(20) };
        const figures = await ledger.playerFigures(player('Steve'), june(20), days);
        const own = new Map<number, string[]>();
        for (const { castAt, service } of stored.toReversed()) {
          const day = Math.floor(castAt / DAY);
          if (day >= days.from && day <= days.to) own.set(day, [...(own.get(day) ?? []), service]);
        }
        const expected = [...own].map(([day, services]) => {
          return { day, votes: services.length, services: new Set(services).size, isImported: false };
        });
        expect(figures?.days).toEqual(expected);
        expect(expected.some(({ votes, services }) => votes > services)).toBe(true);
      },
    );
  });

  describe('names', () => {
    const NAMES = ['Alex', 'Alexander', 'ALEXIS', '.alex', 'Alx', 'Steve', 'Bob_1', 'Bob21'];

    async function named(): Promise<Ledger> {
      const { ledger } = await freshLedger();
      await record(
        ledger,
        NAMES.map((name) => on(1, { player: name })),
        rulesFor(),
      );
      return ledger;
    }

    test('are found by a spelling with few typos, those with another Bedrock prefix first', async () => {
      const ledger = await named();
      expect(await ledger.similarNames('alex', ['.'], 3)).toEqual(['.alex', 'alx', 'alexis']);
      expect(await ledger.similarNames('alex', ['.'], 1)).toEqual(['.alex']);
      expect(await ledger.similarNames('stevee', ['.'], 3)).toEqual(['steve']);
      expect(await ledger.similarNames('alexa', ['.'], 9)).toEqual(['alex', 'alexis']);
    });

    test('are found by how they begin, in alphabetical order', async () => {
      const ledger = await named();
      expect(await ledger.namesBeginning('alex', 9)).toEqual(['alex', 'alexander', 'alexis']);
      expect(await ledger.namesBeginning('alex', 2)).toEqual(['alex', 'alexander']);
      expect(await ledger.namesBeginning('bob_', 9)).toEqual(['bob_1']);
      expect(await ledger.namesBeginning('z', 9)).toEqual([]);
    });

    test('are found by the UUID of their player, however it is written', async () => {
      const ledger = await named();
      const players = [{ name: 'Alex', uuid: ALEX, at: null }];
      await ledger.storeSeen({ players, server: 'main', rules: rulesFor() }, 0);
      expect(await ledger.namesOfUuid(ALEX)).toEqual(['alex']);
      expect(await ledger.namesOfUuid(ALEX.toUpperCase().replaceAll('-', ''))).toEqual(['alex']);
      expect(await ledger.namesOfUuid(ALEX.replace('a', 'b'))).toEqual([]);
      expect(await ledger.namesOfUuid('alex')).toEqual([]);
    });
  });
}
