import { expect, test } from 'vitest';
import { DAY_MS, HOUR_MS } from '../../../src/core/duration.ts';
import { localTime } from '../../../src/core/local-time.ts';
import { periodName } from '../../../src/core/period.ts';
import type { GrantRow, Ledger, VoteRow } from '../../../src/ledger/ledger.ts';
import { VotesByTime, type VotesInSpan } from '../../../src/operator/figures/votes-by-time.ts';
import { ALL_WON } from '../../../src/rewards/draws.ts';
import { DAILY, freshLedger, record, rulesFor, THANKS } from '../../support/ledgers.ts';
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
  await record(ledger, arrivals, rulesFor(THANKS, DAILY));
  for (const { id } of await ledger.grants({ limit: ALL }))
    if (id % 3 === 0) await ledger.cancel(id, { by: 'ann' }, receivedAt);
  return receivedAt;
}

const sum = (rows: readonly { readonly votes: number }[]): number =>
  rows.reduce((all, { votes }) => all + votes, 0);

/** What a span has, recomputed from every vote and grant. */
function recomputed({ start, end }: VotesInSpan, votes: readonly VoteRow[], grants: readonly GrantRow[]) {
  const inSpan = (time: number): boolean => time >= start && time < end;
  const own = votes.filter(({ receivedAt }) => inSpan(receivedAt));
  const granted = new Set(grants.map(({ voteId }) => voteId));
  const sums: Record<string, [number, number]> = {};
  for (const { id, site, decision } of own) {
    const [all, paid] = sums[`${site} ${decision}`] ?? [0, 0];
    sums[`${site} ${decision}`] = [all + 1, paid + (granted.has(id) ? 1 : 0)];
  }
  return sums;
}

const shown = ({ sums }: VotesInSpan) =>
  Object.fromEntries(
    sums.map(({ site, decision, votes, granted }) => [`${site} ${decision}`, [votes, granted]]),
  );

test.each(['UTC', 'Asia/Kolkata', 'America/New_York', 'Europe/Berlin'])(
  'hours and days in %s have the votes that were received in them, with and without a grant',
  async (zone) => {
    const { ledger } = freshLedger();
    await ledger.useTimeZone(zone);
    const now = (await tenDays(ledger)) + 1;
    const [votes, grants] = [await ledger.votes({ limit: ALL }), await ledger.grants({ limit: ALL })];
    const { hours, days, zone: stored } = await new VotesByTime(ledger).at(now);
    expect(stored).toBe(zone);
    for (const span of [...hours, ...days]) expect(shown(span)).toEqual(recomputed(span, votes, grants));
    expect([hours.length, days.length]).toEqual([48, 90]);
    expect(sum(days.flatMap(({ sums }) => sums))).toBe(300);
    expect(
      hours.every(({ start, end }) => localTime(start, zone).minute % 60 === 0 && end - start === HOUR_MS),
    ).toBe(true);
    expect(days.map(({ start }) => localTime(start, zone))).toEqual(
      days.map(({ day }) => ({ day: at(day) / DAY_MS, minute: 0 })),
    );
    expect(days.at(-1)?.day).toBe(periodName('day', localTime(now, zone).day));
  },
);

test('a day on which the clocks are put forward has 23 hours', async () => {
  const { ledger } = freshLedger();
  await ledger.useTimeZone('Europe/Berlin');
  const { days } = await new VotesByTime(ledger).at(at('2026-03-30T12:00:00Z'));
  const [before, changed] = days.slice(-3);
  expect([before?.day, (before?.end ?? 0) - (before?.start ?? 0)]).toEqual(['2026-03-28', DAY_MS]);
  expect([changed?.day, (changed?.end ?? 0) - (changed?.start ?? 0)]).toEqual(['2026-03-29', 23 * HOUR_MS]);
});

test('each vote is in one hour and one day, although the clock was set back in between', async () => {
  const { ledger } = freshLedger();
  const random = new Seeded(3);
  const now = START + 41 * HOUR_MS;
  const arrivals = Array.from({ length: 200 }, (_, n) => {
    const wrongMs = n % 50 > 40 ? random.below(5 * HOUR_MS) : 0;
    return arrival({ player: `P${n}`, receivedAt: START + n * (HOUR_MS / 5) - wrongMs });
  });
  await record(ledger, arrivals, rulesFor(THANKS));
  const { hours, days } = await new VotesByTime(ledger).at(now);
  for (const spans of [hours, days]) expect(sum(spans.flatMap(({ sums }) => sums))).toBe(200);
});

test('a page reads so many votes at most, the latest first, and the next one goes on', async () => {
  const { ledger } = freshLedger();
  const now = (await tenDays(ledger)) + 1;
  const whole = await new VotesByTime(ledger).at(now);
  const asked: number[] = [];
  const counting = new VotesByTime({
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
  expect(value).toEqual(whole);
  const read = asked.length;
  await counting.at(now, 100);
  expect(asked.length).toBe(read);
});

test('votes that came since are added, also by pages that ask at the same time', async () => {
  const { ledger } = freshLedger();
  const now = (await tenDays(ledger)) + 1;
  const votes = new VotesByTime(ledger);
  await votes.at(now);
  await record(ledger, [arrival({ player: 'Late', receivedAt: now })], rulesFor(THANKS));
  const [one, other] = await Promise.all([votes.at(now + 2), votes.at(now + 2)]);
  expect(one).toEqual(await new VotesByTime(ledger).at(now + 2));
  expect(other).toEqual(one);
  expect(sum(one.days.flatMap(({ sums }) => sums))).toBe(301);
});

test('a vote that the operator rewards is counted among those with a grant, although its day was read', async () => {
  const { ledger } = freshLedger();
  const now = (await tenDays(ledger)) + 1;
  const votes = new VotesByTime(ledger);
  await votes.at(now);
  const [vote] = await ledger.votes({ decision: 'cooldown', limit: 1 });
  const by = {
    site: 'List',
    cooldown: { kind: 'span', ms: HOUR_MS },
    rules: rulesFor(THANKS),
    draws: ALL_WON,
  } as const;
  await ledger.rewardVote(vote?.id ?? 0, by, now);
  const granted = ({ days }: Awaited<ReturnType<VotesByTime['at']>>): number =>
    days
      .flatMap(({ sums }) => sums)
      .reduce((all, each) => all + (each.decision === 'cooldown' ? each.granted : 0), 0);
  expect(granted(await votes.at(now))).toBe(1);
});
