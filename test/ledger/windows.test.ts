import { describe, expect, test } from 'vitest';
import type { ClockReading } from '../../src/core/clock-reading.ts';
import type { Ledger } from '../../src/ledger/ledger.ts';
import type { Arrival } from '../../src/rewards/arrival.ts';
import { freshLedger, record, rulesFor, THANKS } from '../support/ledgers.ts';
import { arrival, at, DAY, type VoteFacts, webhookArrival } from '../support/votes.ts';

const HOUR = DAY / 24;
const START = at('2026-06-01T00:00:00Z');

/** A vote cast this many hours after the start. */
const cast = (hours: number, facts: VoteFacts = {}): Arrival => {
  const ms = START + hours * HOUR;
  return arrival({ claim: null, receivedAt: ms, castAt: ms, ...facts });
};

/** The windows of the rewarded votes in hours after the start, in order of their IDs. */
async function windows(ledger: Ledger): Promise<number[][]> {
  const votes = await ledger.votes({ decision: 'rewarded', limit: 99 });
  return votes
    .map(({ castAt, nextAt }) => [(castAt - START) / HOUR, ((nextAt ?? 0) - START) / HOUR])
    .reverse();
}

/** The clock is right, and a moment later it is a day ahead: that is doubted, and the believed time is the start. */
const RIGHT: ClockReading = { wall: START, monotonic: 0 };
const AHEAD: ClockReading = { wall: START + DAY, monotonic: 0 };

/** A vote at the start, as the clock dates it that is ahead. */
const duringDoubt = () => cast(0, { receivedAt: START + DAY });

describe('the windows of one player on one site', () => {
  test('do not overlap after the cooldown was shortened: the earlier window ends where the next one starts', async () => {
    const { ledger } = freshLedger();
    const half = { cooldownMs: DAY / 2 };
    await record(ledger, [cast(0), cast(13, half), cast(25, half)], rulesFor(THANKS));
    expect(await windows(ledger)).toEqual([
      [0, 13],
      [13, 25],
      [25, 37],
    ]);
  });

  test('do not overlap after the cooldown was lengthened', async () => {
    const { ledger } = freshLedger();
    await record(ledger, [cast(0, { cooldownMs: DAY / 2 }), cast(20), cast(24)], rulesFor(THANKS));
    expect(await windows(ledger)).toEqual([
      [0, 12],
      [24, 48],
    ]);
  });

  test('are also shortened by a late vote', async () => {
    const { ledger } = freshLedger();
    const half = { cooldownMs: DAY / 2 };
    await record(ledger, [cast(0), cast(30), cast(14, half)], rulesFor(THANKS));
    expect(await windows(ledger)).toEqual([
      [0, 14],
      [30, 54],
      [14, 26],
    ]);
  });

  test('are shortened only if they overlap: any other error ends the transaction, after which no statement may run', async () => {
    const { ledger, database } = freshLedger();
    await record(ledger, [cast(0)], rulesFor(THANKS));
    const attempts: string[] = [];
    database.function('broken', (wire: unknown) => {
      attempts.push(String(wire));
      throw new Error('disk I/O error');
    });
    database.exec('CREATE TRIGGER a_fault BEFORE INSERT ON votes BEGIN SELECT broken(NEW.wire); END');
    const late = cast(13, { cooldownMs: DAY / 2 });
    await expect(record(ledger, [late], rulesFor(THANKS))).rejects.toThrow();
    expect(attempts).toHaveLength(1);
  });

  test.each([1, -1, 0])(
    'refuses a second rewarded vote %d h from the first, even if it is decided wrongly',
    async (hours) => {
      const { ledger, database } = freshLedger();
      await record(ledger, [cast(0)], rulesFor(THANKS));
      const columns = 'service, site, recipient_id, received_at, local_day, channel, decision, repeats, wire';
      const shift = hours * HOUR;
      const insert = () =>
        database.exec(`INSERT INTO votes (${columns}, cast_at, window_start, window_end)
                     SELECT ${columns}, cast_at + ${shift}, window_start + ${shift}, window_end + ${shift} FROM votes`);
      expect(insert).toThrow(/this window is taken/);
    },
  );

  test('move with votes that are redated after a doubt about the clock, and are shortened where they then overlap', async () => {
    const { ledger, database } = freshLedger();
    const decide = rulesFor(THANKS);
    const listed = (hours: number) =>
      webhookArrival(`E${hours}`, { castAt: START + hours * HOUR, claim: null });
    await record(ledger, [listed(-30), listed(30)], decide, RIGHT);
    await record(ledger, [duringDoubt()], decide, AHEAD);
    expect(await windows(ledger)).toEqual([
      [-30, -6],
      [30, 54],
      [0, 24],
    ]);
    await ledger.releaseClock(START + 20 * HOUR, null, START);
    expect(await windows(ledger)).toEqual([
      [-30, -6],
      [30, 54],
      [20, 30],
    ]);
    // The ledger still accepts a vote only if its window is free.
    const [late] = await record(ledger, [cast(54)], decide);
    expect(late).toMatchObject({ decision: { kind: 'rewarded' } });
    const days = database.prepare('SELECT local_day - 20605 FROM votes ORDER BY id').pluck().all();
    expect(days).toEqual([-2, 1, 0, 2]);
  });

  test('end at the next vote if a redated vote now comes before it', async () => {
    const { ledger } = freshLedger();
    const decide = rulesFor(THANKS);
    await record(ledger, [webhookArrival('E', { castAt: START - 26 * HOUR, claim: null })], decide, RIGHT);
    await record(ledger, [duringDoubt()], decide, AHEAD);
    await ledger.releaseClock(START - 10 * HOUR, null, START);
    expect(await windows(ledger)).toEqual([
      [-26, -10],
      [-10, 14],
    ]);
  });
});

test('each vote has the local day of its cast time', async () => {
  const { ledger, database } = freshLedger();
  await record(ledger, [cast(23.5), cast(24, { player: 'Alex' })], rulesFor());
  expect(database.prepare('SELECT local_day FROM votes').pluck().all()).toEqual([20_605, 20_606]);
});
