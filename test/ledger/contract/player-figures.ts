import { describe, expect, test } from 'vitest';
import type { PlayerName } from '../../../src/core/player-name.ts';
import type { Ledger } from '../../../src/ledger/ledger.ts';
import { record, rulesFor } from '../../support/ledgers.ts';
import { DAY } from '../../support/votes.ts';
import type { LedgerFactory } from './engine.ts';
import { on, START_DAY } from './rewards.ts';

/** A day of June 2026, whose first is a Monday. */
const june = (date: number): number => START_DAY + date - 1;
const player = (name: string) => ({ kind: 'player', key: name.toLowerCase() }) as const;

const ALEX = 'aaaaaaaa-aaaa-4aaa-8aaa-aaaaaaaaaaaa';

export function playerFiguresContract(freshLedger: LedgerFactory): void {
  const figuresOn = async (ledger: Ledger, date: number, name = 'Steve') =>
    ledger.playerFigures(player(name), june(date));

  describe('the figures of a player', () => {
    test('are their votes in total and in the day, week and month', async () => {
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

    test('leave out votes that were voided', async () => {
      const { ledger } = await freshLedger();
      await record(ledger, [on(1), on(2), on(3), on(4)], rulesFor());
      await ledger.voidVotes([2], { by: 'ann', reason: 'test' }, 0);
      expect(await figuresOn(ledger, 4)).toMatchObject({
        counts: { total: 3 },
        streak: { from: june(3), to: june(4) },
      });
    });

    test('have a streak that goes on from days that were imported', async () => {
      const { ledger } = await freshLedger();
      const rules = rulesFor();
      const start = { source: 'votingplugin', asOf: june(10) * DAY, by: 'ann', now: june(10) * DAY } as const;
      const importId = await ledger.startImport(start);
      const totals = { all: 50, month: null, week: null, day: null };
      const runs = { day: { from: june(7), to: june(9) }, week: null, month: null };
      const entry = { player: 'Steve' as PlayerName, totals, uuid: null, runs, bestRun: 12 };
      await ledger.importBalances([entry], { ...start, importId, rules });
      await record(ledger, [on(9), on(10)], rules);
      expect(await figuresOn(ledger, 10)).toMatchObject({
        streak: { from: june(7), to: june(10) },
        bestStreak: 12,
      });
    });
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
      const players = [{ name: 'Alex', uuid: ALEX }];
      await ledger.storeSeen({ players, server: 'main', rules: rulesFor() }, 0);
      expect(await ledger.namesOfUuid(ALEX)).toEqual(['alex']);
      expect(await ledger.namesOfUuid(ALEX.toUpperCase().replaceAll('-', ''))).toEqual(['alex']);
      expect(await ledger.namesOfUuid(ALEX.replace('a', 'b'))).toEqual([]);
      expect(await ledger.namesOfUuid('alex')).toEqual([]);
    });
  });
}
