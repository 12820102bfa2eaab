import { expect, test } from 'vitest';
import { Pace } from '../../src/votes/catch-up/pace.ts';
import { Seeded } from '../support/seeded.ts';

/** The send times of requests that come `gap()` apart, each sent as early as the pace allows. */
function sentTimes(count: number, gap: () => number): number[] {
  const pace = new Pace();
  const sent: number[] = [];
  let now = 0;
  while (sent.length < count) {
    now += gap();
    for (let ms = pace.waitMs(now); ms > 0; ms = pace.waitMs(now)) now += ms;
    pace.send(now);
    sent.push(now);
  }
  return sent;
}

test('a constant demand is served with 25 requests at once, and 25 more after each minute', () => {
  const sent = sentTimes(60, () => 0);
  expect(sent.filter((at) => at === 0).length).toBe(25);
  expect(sent.filter((at) => at === 60_000).length).toBe(25);
  expect(sent.filter((at) => at === 120_000).length).toBe(10);
});

test('no 60 s contain more than 25 requests', () => {
  const random = new Seeded(3);
  const sent = sentTimes(2_000, () => (random.chance(0.9) ? random.next() * 50 : random.next() * 40_000));
  const most = Math.max(
    ...sent.map((at) => sent.filter((other) => other >= at && other < at + 60_000).length),
  );
  expect(most).toBe(25);
});

test('a site that asks every two minutes never waits', () => {
  const pace = new Pace();
  for (let now = 0; now < 3_600_000; now += 120_000) {
    expect(pace.waitMs(now)).toBe(0);
    pace.send(now);
  }
});
