import { expect, test } from 'vitest';
import { DAY_MS, HOUR_MS } from '../../../src/core/duration.ts';
import { localTime } from '../../../src/core/local-time.ts';
import { periodName } from '../../../src/core/period.ts';
import type { Ledger, VoteRow } from '../../../src/ledger/ledger.ts';
import { VotesByDay, type VotesOfDay } from '../../../src/operator/figures/votes-by-day.ts';
import { freshLedger, record, rulesFor } from '../../support/ledgers.ts';
import { Seeded } from '../../support/seeded.ts';
import { arrival, at } from '../../support/votes.ts';

const START = at('2026-03-20T00:00:00Z');
const ALL = 10_000;

/** Votes of ten days, and the time of the last one. */
async function tenDays(ledger: Ledger, votes = 300): Promise<number> {
  const random = new Seeded(7);
  let receivedAt = START;
  const arrivals = Array.from({ length: votes }, () => {
    receivedAt += random.below((20 * DAY_MS) / votes);
    const site = random.pick(['List', 'Other', 'default']);
    const player = random.pick(['Steve', 'Alex', 'Herobrine', 'Notch']);
    return arrival({ site, player, receivedAt, cooldownMs: 6 * HOUR_MS });
  });
  await record(ledger, arrivals, rulesFor());
  return receivedAt;
}

const sum = (rows: readonly { readonly votes: number }[]): number =>
  rows.reduce((all, { votes }) => all + votes, 0);

/** What a day has, recomputed from every vote. */
function recomputed({ start, end }: VotesOfDay, votes: readonly VoteRow[]) {
  const sums: Record<string, number> = {};
  for (const { site, decision, receivedAt } of votes)
    if (receivedAt >= start && receivedAt < end)
      sums[`${site} ${decision}`] = (sums[`${site} ${decision}`] ?? 0) + 1;
  return sums;
}

const shown = ({ sums }: VotesOfDay) =>
  Object.fromEntries(sums.map(({ site, decision, votes }) => [`${site} ${decision}`, votes]));

test.each(['UTC', 'Asia/Kolkata', 'America/New_York', 'Europe/Berlin'])(
  'days in %s have the votes that were received on them',
  async (zone) => {
    const { ledger } = freshLedger();
    await ledger.useTimeZone(zone);
    const now = (await tenDays(ledger)) + 1;
    const votes = await ledger.votes({ limit: ALL });
    const { days, zone: stored } = await new VotesByDay(ledger).at(now);
    expect(stored).toBe(zone);
    for (const day of days) expect(shown(day)).toEqual(recomputed(day, votes));
    expect(days).toHaveLength(90);
    expect(sum(days.flatMap(({ sums }) => sums))).toBe(300);
    expect(days.map(({ start }) => localTime(start, zone))).toEqual(
      days.map(({ day }) => ({ day: at(day) / DAY_MS, minute: 0 })),
    );
    expect(days.at(-1)?.day).toBe(periodName('day', localTime(now, zone).day));
  },
);

test('a day on which the clocks are put forward has 23 hours', async () => {
  const { ledger } = freshLedger();
  await ledger.useTimeZone('Europe/Berlin');
  const { days } = await new VotesByDay(ledger).at(at('2026-03-30T12:00:00Z'));
  const [before, changed] = days.slice(-3);
  expect([before?.day, (before?.end ?? 0) - (before?.start ?? 0)]).toEqual(['2026-03-28', DAY_MS]);
  expect([changed?.day, (changed?.end ?? 0) - (changed?.start ?? 0)]).toEqual(['2026-03-29', 23 * HOUR_MS]);
});

test('each vote is on one day, although the clock was set back in between', async () => {
  const { ledger } = freshLedger();
  const random = new Seeded(3);
  const now = START + 41 * HOUR_MS;
  const arrivals = Array.from({ length: 200 }, (_, n) => {
    const wrongMs = n % 50 > 40 ? random.below(5 * HOUR_MS) : 0;
    return arrival({ player: `P${n}`, receivedAt: START + n * (HOUR_MS / 5) - wrongMs });
  });
  await record(ledger, arrivals, rulesFor());
  const { days } = await new VotesByDay(ledger).at(now);
  expect(sum(days.flatMap(({ sums }) => sums))).toBe(200);
});

test('a page reads so many votes at most, the latest first, and the next one goes on', async () => {
  const { ledger } = freshLedger();
  const now = (await tenDays(ledger)) + 1;
  const whole = await new VotesByDay(ledger).at(now);
  const asked: number[] = [];
  const counting = new VotesByDay({
    ...ledger,
    voteSums: (range) => {
      asked.push(range.to - range.from + 1);
      return ledger.voteSums(range);
    },
  });
  let value = await counting.at(now, 100);
  expect(asked.reduce((all, rows) => all + rows, 0)).toBe(100);
  const lacking = value.days.findLastIndex(({ isWhole }) => !isWhole);
  expect(lacking).toBeGreaterThan(80);
  expect(value.days.slice(lacking + 1)).toEqual(whole.days.slice(lacking + 1));
  for (let page = 0; page < 4; page++) value = await counting.at(now, 100);
  expect(value.days.every(({ isWhole }) => isWhole)).toBe(true);
  expect(value.days.map(shown)).toEqual(whole.days.map(shown));
  const read = asked.length;
  await counting.at(now, 100);
  expect(asked.length).toBe(read);
});

test('votes that came since are added, also by pages that ask at the same time', async () => {
  const { ledger } = freshLedger();
  const now = (await tenDays(ledger)) + 1;
  const votes = new VotesByDay(ledger);
  await votes.at(now);
  await record(ledger, [arrival({ player: 'Late', receivedAt: now })], rulesFor());
  const [one, other] = await Promise.all([votes.at(now + 2), votes.at(now + 2)]);
  expect(one).toEqual(await new VotesByDay(ledger).at(now + 2));
  expect(other).toEqual(one);
  expect(sum(one.days.flatMap(({ sums }) => sums))).toBe(301);
});
