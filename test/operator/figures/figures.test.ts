import { describe, expect, test } from 'vitest';
import { DAY_MS, HOUR_MS } from '../../../src/core/duration.ts';
import type { Ledger } from '../../../src/ledger/ledger.ts';
import { distribution, paidTimes } from '../../../src/operator/figures/paid-times.ts';
import { RefusalsByDay } from '../../../src/operator/figures/refusals-by-day.ts';
import { TopVoters } from '../../../src/operator/figures/top-voters.ts';
import { DAILY, freshLedger, record, rulesFor, THANKS } from '../../support/ledgers.ts';
import { arrival, at } from '../../support/votes.ts';

const NOON = at('2026-06-03T12:00:00Z');

/** A vote of a player, so many days before the third of June. */
const vote = (player: string, daysBefore: number, hour = 0) =>
  arrival({ player, receivedAt: NOON - daysBefore * DAY_MS + hour * HOUR_MS, site: `List-${hour}` });

async function deliver(ledger: Ledger, grantId: number, player: string, now: number): Promise<void> {
  await ledger.claim({ grantId, position: 0, player, uuid: null, now });
  const outcome = { kind: 'delivered', reply: '' } as const;
  const ended = { state: 'delivered', reason: null, dueAt: 0, endedAt: now } as const;
  await ledger.settle({ grantId, position: 0, outcome, ...ended });
}

describe('refusals', () => {
  const refused = (code: string, lastAt: number, count: number) => ({
    code,
    service: null,
    sender: 'a',
    count,
    lastAt,
  });

  test('are counted by local day and code, the most frequent first', async () => {
    const { ledger } = freshLedger();
    await ledger.useTimeZone('America/New_York');
    await ledger.countRefusals([
      refused('v2-token', at('2026-06-03T03:59:00Z'), 2),
      refused('v2-token', at('2026-06-03T04:00:00Z'), 3),
      ...[refused('timeout', NOON, 5), refused('v2-token', NOON, 1)],
    ]);
    const days = await new RefusalsByDay(ledger).at(NOON);
    expect(days).toHaveLength(30);
    expect(days.slice(-2).map(({ day, refusals }) => [day, refusals])).toEqual([
      ['2026-06-02', [{ code: 'v2-token', count: 2 }]],
      [
        '2026-06-03',
        [
          { code: 'timeout', count: 5 },
          { code: 'v2-token', count: 4 },
        ],
      ],
    ]);
  });

  test('of a day that is over are read once, those of today again', async () => {
    const { ledger } = freshLedger();
    await ledger.countRefusals([refused('timeout', NOON - DAY_MS, 1), refused('timeout', NOON, 1)]);
    let asked = 0;
    const counted = new RefusalsByDay({
      timeZone: () => ledger.timeZone(),
      refusalSums: (hours) => {
        asked++;
        return ledger.refusalSums(hours);
      },
    });
    await counted.at(NOON);
    await ledger.countRefusals([refused('timeout', NOON + 1, 8)]);
    asked = 0;
    const days = await counted.at(NOON + 2);
    expect(asked).toBe(1);
    expect(days.slice(-2).map(({ refusals }) => refusals[0]?.count)).toEqual([1, 9]);
  });
});

describe('the time until rewards were paid', () => {
  test('is the nearest rank of those that took it', () => {
    const hundred = Array.from({ length: 200 }, (_, n) => (200 - n) * 100);
    expect(distribution(hundred)).toMatchObject({ grants: 200, medianMs: 10_000, p99Ms: 19_800 });
    expect(distribution([7])).toMatchObject({ grants: 1, medianMs: 7, p99Ms: 7 });
    expect(distribution([])).toMatchObject({ grants: 0, medianMs: null, p99Ms: null });
    expect(distribution([1_000, 1_001, 70_000, 9 * DAY_MS]).within.map(({ grants }) => grants)).toEqual([
      1, 2, 2, 3, 3, 3, 3, 4,
    ]);
  });

  test('is said separately for rewards that wait for their player', async () => {
    const { ledger } = freshLedger();
    const single = { ...DAILY, commands: ['give {player} diamond 1'] };
    await record(ledger, [vote('Old', 9), vote('Steve', 0), vote('Alex', 0, 1)], rulesFor(THANKS, single));
    await deliver(ledger, 1, 'Old', NOON);
    await deliver(ledger, 3, 'Steve', NOON + 500);
    await deliver(ledger, 4, 'Steve', NOON + 60_000);
    await deliver(ledger, 5, 'Alex', NOON + HOUR_MS + 900);
    const value = await paidTimes(ledger, NOON - DAY_MS);
    expect(value).toMatchObject({
      ...{ since: NOON - DAY_MS, lookedAt: 4, leftOut: 0 },
      atOnce: { grants: 2, medianMs: 500, p99Ms: 900 },
      withPlayer: { grants: 1, medianMs: 60_000, p99Ms: 60_000 },
    });
  });

  test('is that of the latest grants if there are too many, and says since when', async () => {
    const { ledger } = freshLedger();
    await record(
      ledger,
      [3, 2, 1, 0].map((days) => vote(`P${days}`, days)),
      rulesFor(THANKS),
    );
    expect(await paidTimes(ledger, 0, 2)).toMatchObject({ since: NOON - DAY_MS, lookedAt: 2 });
    expect(await paidTimes(ledger, 0, 4)).toMatchObject({ since: 0, lookedAt: 4 });
    expect(await paidTimes(ledger, NOON + 1, 4)).toMatchObject({ since: NOON + 1, lookedAt: 0 });
  });
});

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
