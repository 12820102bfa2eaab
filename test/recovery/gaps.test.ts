import { expect, test } from 'vitest';
import { here } from '../kit/here.ts';
import { BEHAVIOURS, busiestMinute, clusteredTimes, listingApi, record } from '../kit/listing-api.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { naming } from '../support/naming.ts';
import { Seeded } from '../support/seeded.ts';
import { DAY, evenly, HOUR, iso, MINUTE, NOW, recovering, SECOND, SITE, votesAt } from './fixture.ts';

test('a gap of 250 votes is recovered oldest first, each vote once, with 3 requests', async () => {
  const votes = votesAt(evenly(250, NOW - 20 * HOUR, 4 * MINUTE));
  const { api, log, ...teller } = await recovering({ votes });
  await teller.untilFound(250);
  const stored = await teller.votes();
  expect(stored.map(({ castAt }) => castAt)).toEqual(votes.map(({ votedAt }) => votedAt));
  expect(stored.map(({ player }) => player)).toEqual(votes.map((_, n) => `Player${n}`));
  expect(stored.filter(({ channel, decision }) => `${channel} ${decision}` !== 'api rewarded')).toEqual([]);
  expect(api.asked.length).toBe(3);
  expect(log.filter(({ code }) => code === 'recovered')).toMatchObject([
    { level: 'info', fields: { site: SITE, found: 250 }, sentence: naming('250', SITE) },
  ]);
});

test('an empty gap costs one request, and so do 99 votes', async () => {
  const clock = new FakeClock(NOW);
  const [empty, full] = [await listingApi(clock), await listingApi(clock)];
  full.votes.push(...votesAt(evenly(99, NOW - 47 * HOUR, MINUTE)));
  const settings = { payFrom: iso(NOW - 80 * DAY) };
  const sites = { default: {}, A: empty.site(settings), B: full.site(settings) };
  const teller = await here({ sites }, clock);
  await teller.until(() => teller.log.some(({ code }) => code === 'recovered'));
  expect([empty.asked.length, full.asked.length]).toEqual([1, 1]);
});

/** One Teller has a site for each way to read the specification. */
test('any gap is recovered in the order in which its votes were cast, each vote once, however a service reads the bounds', async () => {
  const random = new Seeded(1_000);
  const clock = new FakeClock(NOW);
  const listings = await Promise.all(
    BEHAVIOURS.map(async (behaviour, index) => {
      const api = await listingApi(clock, { behaviour });
      const from = NOW - random.pick([HOUR, 47 * HOUR, 80 * DAY]);
      const times = clusteredTimes(random, from, NOW, 260);
      api.votes.push(...times.map((time, n) => record(n, time, `B${index}_${n}`)));
      return { site: `S${index}`, api, from };
    }),
  );
  const entries = listings.map(({ site, api, from }) => [site, api.site({ payFrom: iso(from) })]);
  const teller = await here({ sites: { default: {}, ...Object.fromEntries(entries) }, rewards: [] }, clock);
  const found = () => teller.log.filter(({ code }) => code === 'recovered').length;
  while (found() < BEHAVIOURS.length) await teller.pass(SECOND, SECOND / 4);
  for (const { site, api } of listings) {
    const { json } = await teller.run('votes', '--site', site, '--limit', '10000', '--json');
    const players = json.map(({ player }: { player: string }) => player).toReversed();
    expect(players, site).toEqual(api.votes.map(({ metadata }) => metadata.playerName));
    expect(busiestMinute(api.asked), site).toBeLessThanOrEqual(25);
    expect(api.asked.length, site).toBeLessThan(80);
  }
}, 60_000);

test('of 150 votes in one millisecond all that the API returns are recovered, and those around them; the log says once that there are more', async () => {
  const instant = NOW - 5 * HOUR;
  const around = [evenly(50, instant - HOUR, MINUTE), evenly(50, instant + 1, 1)] as const;
  const times = [...around[0], ...evenly(150, instant, 0), ...around[1]];
  const { api, log, ...teller } = await recovering({ votes: votesAt(times) });
  await teller.untilFound(200);
  const castAt = (await teller.votes()).map((vote) => Date.parse(vote.castAt));
  expect(castAt).toEqual([...around[0], ...evenly(100, instant, 0), ...around[1]]);
  expect(log.filter(({ code }) => code === 'recovery-crowded')).toMatchObject([
    { level: 'error', sentence: naming('2026-06-03T07:00:00.000Z') },
  ]);
  expect(api.asked.length).toBeLessThan(8);
});

test('150 votes in one recent millisecond are logged once, although every poll finds them again', async () => {
  const { log, ...teller } = await recovering({ votes: votesAt(evenly(150, NOW - SECOND, 0)) });
  await teller.untilFound(100);
  await teller.pass(8 * MINUTE, 5 * SECOND);
  expect(log.filter(({ level }) => level === 'error').map(({ code }) => code)).toEqual(['recovery-crowded']);
  expect((await teller.votes()).length).toBe(100);
});

test('150 votes in two adjacent milliseconds are read completely', async () => {
  const instant = NOW - 5 * HOUR;
  const times = [...evenly(75, instant, 0), ...evenly(75, instant + 1, 0), ...evenly(100, instant + 2, 1)];
  const { log, ...teller } = await recovering({ votes: votesAt(times) });
  await teller.untilFound(250);
  expect((await teller.votes()).map(({ castAt }) => Date.parse(castAt))).toEqual(times);
  expect(log.filter(({ level }) => level === 'error')).toEqual([]);
});

test('1,000 votes over 47 h, and 4,000 as well, take at most one request for every 50 of them', async () => {
  for (const count of [1_000, 4_000]) {
    const votes = votesAt(evenly(count, NOW - 47 * HOUR, (47 * HOUR) / count));
    const { api, ...teller } = await recovering({ votes, settings: { payFrom: iso(NOW - 47 * HOUR) } });
    await teller.untilFound(count, 2 * SECOND);
    expect(await teller.players()).toEqual(votes.map((_, n) => `Player${n}`));
    expect(api.asked.length).toBeLessThanOrEqual(count / 50);
  }
}, 40_000);

test('600 votes in the last seconds of 90 days without votes take at most 60 requests', async () => {
  const { api, ...teller } = await recovering({ votes: votesAt(evenly(600, NOW - 10_000, 10)) });
  await teller.untilFound(600, 4 * SECOND);
  expect(api.asked.length).toBeLessThanOrEqual(60);
  expect(busiestMinute(api.asked)).toBe(25);
}, 40_000);

test('an idle site costs one request per interval, and a vote that was found is not submitted again', async () => {
  const { api, ...teller } = await recovering({ votes: votesAt([NOW - 30 * SECOND]) });
  await teller.untilFound(1);
  while (api.asked.length < 6) await teller.pass(SECOND, SECOND / 2);
  api.asked.slice(1).forEach(({ at }, index) => {
    const wait = at - (api.asked[index]?.at ?? 0);
    expect(wait).toBeGreaterThanOrEqual(2 * MINUTE);
    expect(wait).toBeLessThan(3 * MINUTE);
  });
  expect(await teller.said()).toEqual(['Player0 rewarded']);
  const { json } = await teller.run('explain', 'Player0', '--json');
  expect(json).toMatchObject([{ repeats: 0 }]);
});

test('a vote that the API reports nine minutes late is found, and one that it reports eleven minutes late is not', async () => {
  const { api, ...teller } = await recovering({ votes: votesAt([NOW - SECOND]) });
  await teller.untilFound(1);
  await teller.pass(9 * MINUTE, 5 * SECOND);
  api.votes.push(record(7, NOW - 9 * MINUTE, 'Late'), record(8, NOW - 11 * MINUTE, 'Lost'));
  await teller.untilFound(2);
  expect(await teller.said()).toEqual(['Player0 rewarded', 'Late rewarded']);
});

test('a vote that arrived at the listener is stored once when the API reports it', async () => {
  const { api, ...teller } = await recovering();
  await teller.until(() => api.asked.length > 0);
  teller.clock.advance(SECOND);
  expect(await teller.vote({ player: 'Ada', site: SITE })).toBe('ok');
  api.votes.push(record(1, teller.clock.now(), 'Ada'), record(2, teller.clock.now() - 1, 'Bob'));
  await teller.untilFound(1, 5 * SECOND);
  const stored = (await teller.votes()).map(({ player, channel }) => `${player} ${channel}`);
  expect(stored).toEqual(['Ada listener-v2', 'Bob api']);
});

test('a stop in the middle loses and duplicates no vote, and what was recovered is not asked for again', async () => {
  const votes = votesAt(evenly(600, NOW - 40 * HOUR, 4 * MINUTE));
  const { api, ...teller } = await recovering({ votes });
  let asked = 0;
  while ((await teller.count()) <= 450) await teller.pass(4 * SECOND, SECOND);
  await teller.restart(() => (asked = api.asked.length));
  while ((await teller.count()) < 600) await teller.pass(4 * SECOND, SECOND);
  expect(await teller.players()).toEqual(votes.map((_, n) => `Player${n}`));
  const from = Date.parse(api.asked[asked]?.query.startDate ?? '');
  expect(from).toBeGreaterThan(NOW - 39 * HOUR);
}, 40_000);
