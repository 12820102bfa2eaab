import { expect, test } from 'vitest';
import { DAY_MS, HOUR_MS } from '../../src/core/duration.ts';
import type { Ledger } from '../../src/ledger/ledger.ts';
import { VotesByDay, type VotesOfDay } from '../../src/operator/figures/votes-by-day.ts';
import { freshLedger, record, rulesFor } from '../support/ledgers.ts';
import { Seeded } from '../support/seeded.ts';
import { arrival, at } from '../support/votes.ts';

const START = at('2026-03-20T00:00:00Z');

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

const shown = ({ sums }: VotesOfDay) =>
  Object.fromEntries(sums.map(({ site, decision, votes }) => [`${site} ${decision}`, votes]));

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
