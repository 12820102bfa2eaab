import { describe, expect, test } from 'vitest';
import { DAY_MS, HOUR_MS } from '../../../src/core/duration.ts';
import { TopVoters } from '../../../src/operator/figures/top-voters.ts';
import { freshLedger, record, rulesFor } from '../../support/ledgers.ts';
import { arrival, at } from '../../support/votes.ts';

const NOON = at('2026-06-03T12:00:00Z');

/** A vote of a player, so many days before the third of June. */
const vote = (player: string, daysBefore: number, hour = 0) =>
  arrival({ player, receivedAt: NOON - daysBefore * DAY_MS + hour * HOUR_MS, site: `List-${hour}` });

describe('those with the most votes', () => {
  // The third of June 2026 is a Wednesday.
  const VOTES = [
    vote('Old', 40),
    vote('old', 39),
    vote('OLD', 38),
    vote('Mia', 2),
    vote('mia', 1),
    vote('Zoe', 0),
  ];

  test('are those of the day, the week, the month and since the beginning', async () => {
    const { ledger } = freshLedger();
    await record(ledger, [...VOTES, vote('Zoe', 0, 1)], rulesFor());
    const value = await new TopVoters(ledger, 2).at(NOON);
    expect(value.day).toEqual({ period: '2026-06-03', isWhole: true, voters: [{ player: 'Zoe', votes: 2 }] });
    const tied = [
      { player: 'mia', votes: 2 },
      { player: 'Zoe', votes: 2 },
    ];
    expect(value.week).toEqual({ period: '2026-W23', isWhole: true, voters: tied });
    expect(value.month).toEqual({ period: '2026-06', isWhole: true, voters: tied });
    expect(value.total).toEqual([
      { player: 'OLD', votes: 3 },
      { player: 'mia', votes: 2 },
    ]);
  });

  test('follow votes that come, are voided, or are of a new period', async () => {
    const { ledger } = freshLedger();
    await record(ledger, VOTES, rulesFor());
    const voters = new TopVoters(ledger, 9);
    await voters.at(NOON);
    await record(ledger, [vote('Zoe', 0, 1)], rulesFor());
    expect((await voters.at(NOON)).day.voters).toEqual([{ player: 'Zoe', votes: 2 }]);
    await ledger.voidVotes([6], { by: 'ann', reason: 'test' }, NOON);
    expect((await voters.at(NOON)).day.voters).toEqual([{ player: 'Zoe', votes: 1 }]);
    expect((await voters.at(NOON + DAY_MS)).day).toEqual({ period: '2026-06-04', isWhole: true, voters: [] });
    const total = (await voters.at(NOON + DAY_MS)).total;
    expect(total.map(({ player, votes }) => [player, votes])).toEqual([
      ['OLD', 3],
      ['mia', 2],
      ['Zoe', 1],
    ]);
  });
});
