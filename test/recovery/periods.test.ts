import { expect, test } from 'vitest';
import { here } from '../kit/here.ts';
import { broken, listingApi, record } from '../kit/listing-api.ts';
import { rewrite } from '../kit/place.ts';
import { TOKEN } from '../kit/vote.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { naming } from '../support/naming.ts';
import { Seeded } from '../support/seeded.ts';
import { DAY, HOUR, iso, MINUTE, NOW, recovering, SECOND, SITE, votesAt } from './fixture.ts';

test('recovery rewards the same votes that would have been rewarded without the gap', async () => {
  const random = new Seeded(11);
  const players = ['Ada', 'Bob', 'Cyd', 'Dee'];
  const times = Array.from({ length: 150 }, () => NOW - random.below(12 * DAY)).sort((a, b) => a - b);
  const votes = times.map((time, index) => record(index, time, random.pick(players)));
  const teller = await recovering({ votes });
  await teller.untilFound(150, 5 * SECOND);
  // A player is rewarded if a day has passed since their last rewarded vote.
  const rewardedAt = new Map<string, number>();
  const wanted = votes.map(({ votedAt, metadata: { playerName = '' } }) => {
    const at = Date.parse(votedAt);
    const isRewarded = at >= (rewardedAt.get(playerName) ?? 0) + DAY;
    if (isRewarded) rewardedAt.set(playerName, at);
    return `${playerName} ${isRewarded ? 'rewarded' : 'cooldown'}`;
  });
  expect(await teller.said()).toEqual(wanted);
  expect(wanted.filter((one) => one.endsWith('cooldown')).length).toBeGreaterThan(50);
});

test('a missed vote is paid from payFrom on, is too old after maxAge, and is looked for in the last 90 days', async () => {
  const clock = new FakeClock(NOW);
  const periods = [
    [{ payFrom: iso(NOW - 4 * MINUTE) }, [5, 4, 3].map((many) => NOW - many * MINUTE)],
    [{ payFrom: iso(NOW - 80 * DAY) }, [NOW - 48 * HOUR - 1, NOW - 48 * HOUR + 10 * SECOND]],
    [{ payFrom: iso(NOW - 365 * DAY), maxAge: '90d' }, [NOW - 91 * DAY, NOW - 89 * DAY]],
  ] as const;
  const sites: Record<string, object> = { default: {} };
  for (const [index, [settings, times]] of periods.entries()) {
    const api = await listingApi(clock);
    api.votes.push(...times.map((time, n) => record(10 * index + n, time, `P${index}_${n}`)));
    sites[`S${index}`] = api.site(settings);
  }
  const teller = await here({ sites, rewards: [] }, clock);
  await teller.until(() => teller.log.filter(({ code }) => code === 'recovered').length === periods.length);
  const { json } = await teller.run('votes', '--json');
  const said = json.map(({ player, decision }: Record<string, string>) => `${player} ${decision}`);
  expect(said.toSorted()).toEqual([
    ...['P0_0 before-start', 'P0_1 rewarded', 'P0_2 rewarded'],
    ...['P1_0 too-old', 'P1_1 rewarded', 'P2_1 rewarded'],
  ]);
});

test('without payFrom, a vote from before the first start is counted if it is at most 48 hours old, and not rewarded', async () => {
  const votes = votesAt([NOW - 2 * DAY - 1, NOW - 2 * DAY + SECOND, NOW - MINUTE]);
  const { api, ...teller } = await recovering({ votes, settings: {} });
  await teller.untilFound(2);
  api.votes.push(record(9, teller.clock.now(), 'After'));
  await teller.untilFound(3, 5 * SECOND);
  expect(await teller.said()).toEqual(['Player1 before-start', 'Player2 before-start', 'After rewarded']);
});

test('a vote of a downtime is rewarded if its site has voted through the listener before, even if its API is new', async () => {
  const clock = new FakeClock(NOW - 12 * HOUR);
  const api = await listingApi(clock);
  const knowing = (site: object) => ({ sites: { default: { token: TOKEN }, [SITE]: site }, rewards: [] });
  const teller = await here(knowing({}), clock);
  expect(await teller.vote({ player: 'First', site: SITE })).toBe('ok');
  api.votes.push(record(0, NOW - 13 * HOUR, 'Earlier'), record(1, NOW - 2 * HOUR, 'Meanwhile'));
  await teller.stop();
  clock.advance(12 * HOUR);
  await teller.restart(() => void rewrite(teller, knowing(api.site())));
  await teller.until(() => teller.log.some(({ code }) => code === 'recovered'));
  const { json } = await teller.run('votes', '--json');
  const said = json.map(({ player, decision }: Record<string, string>) => `${player} ${decision}`);
  expect(said).toEqual(['Meanwhile rewarded', 'Earlier before-start', 'First rewarded']);
});

test('a vote without a player is stored for its voter, and what was received is kept for the trace', async () => {
  const { metadata: _, ...vote } = record(1, NOW - SECOND);
  const votes = [{ ...vote, userId: '80351110224678912', metadata: {} }];
  const teller = await recovering({ votes });
  await teller.untilFound(1);
  expect(await teller.said()).toEqual(['80351110224678912 no-player']);
  const { json } = await teller.run('explain', '80351110224678912', '--bytes', '--json');
  expect(json[0].received).toBe(
    '{"id":"01970000-0000-7000-8000-000000000001","userId":"80351110224678912","votedAt":"2026-06-03T11:59:59.000Z","metadata":{}}',
  );
});

test('a vote pays the user if the site’s game has no player names', async () => {
  const votes = [{ ...record(1, NOW - SECOND), userId: '7', metadata: {} }];
  const teller = await recovering({ votes, site: { game: 'fivem' } });
  await teller.untilFound(1);
  expect(await teller.said()).toEqual(['7 rewarded']);
});

/** A listing whose clock is right, and a Teller whose clock is ahead of it. */
async function apart(aheadMs: number, settings: object = { payFrom: iso(NOW - DAY) }) {
  let ahead = aheadMs;
  const clock = new FakeClock(NOW + aheadMs);
  const api = await listingApi(clock, { aheadMs: () => -ahead });
  const teller = await recovering({ clock, api, settings });
  const cast = (player: string) => api.votes.push(record(api.votes.length, clock.now() - ahead, player));
  const correct = () => {
    clock.jump(-ahead);
    ahead = 0;
  };
  const warnings = () => teller.log.filter(({ code }) => code === 'clocks-apart');
  return { ...teller, cast, correct, warnings };
}

test('if our clock is ahead of the listing’s, every missed vote is found, at the very first start too', async () => {
  for (const minutes of [2, 20, 300]) {
    for (const settings of [{ payFrom: iso(NOW - DAY) }, {}]) {
      const { api, cast, ...teller } = await apart(minutes * MINUTE, settings);
      await teller.until(() => api.asked.length > 0);
      await teller.pass(MINUTE, 5 * SECOND);
      cast('Ada');
      await teller.untilFound(1, 5 * SECOND);
      expect(await teller.said(), String(minutes)).toEqual(['Ada rewarded']);
      await teller.stop();
    }
  }
});

test('if our clock is three days ahead, a vote that was cast just now is not too old', async () => {
  const { cast, ...teller } = await apart(72 * HOUR);
  cast('Ada');
  await teller.untilFound(1, 5 * SECOND);
  expect(await teller.said()).toEqual(['Ada rewarded']);
});

test('if our clock was ahead and is corrected, votes that were cast meanwhile are found', async () => {
  const { cast, correct, ...teller } = await apart(5 * HOUR);
  cast('Before');
  await teller.untilFound(1, 5 * SECOND);
  await teller.restart(() => {
    teller.clock.advance(HOUR);
    cast('Meanwhile');
    teller.clock.advance(HOUR);
    correct();
  });
  await teller.untilFound(2, 5 * SECOND);
  expect(await teller.players()).toEqual(['Before', 'Meanwhile']);
});

test('the log says once by how much our clock is ahead and what to do, and nothing about less than a minute', async () => {
  const { warnings, ...teller } = await apart(20 * MINUTE);
  await teller.pass(10 * MINUTE, 5 * SECOND);
  expect(warnings()).toMatchObject([
    { level: 'warn', sentence: naming(/2026-06-03T12:00:0\d/, '20 min', 'NTP') },
  ]);
  await teller.stop();
  const near = await apart(59 * SECOND);
  await near.until(() => near.api.asked.length > 0);
  await near.pass(SECOND);
  expect(near.warnings()).toEqual([]);
});

test('if our clock is behind, votes wait until it reaches their time, and the log says by how much it is behind', async () => {
  const { cast, warnings, api, ...teller } = await apart(-HOUR);
  cast('Ada');
  await teller.until(() => api.asked.length > 0);
  await teller.pass(SECOND);
  expect(await teller.said()).toEqual([]);
  expect(warnings()).toMatchObject([{ sentence: naming('1 h') }]);
  await teller.pass(HOUR, 10 * SECOND);
  expect(await teller.said()).toEqual(['Ada rewarded']);
});

test('a vote cast after the first start is rewarded even if its API answers only hours later and our clock is ahead', async () => {
  const clock = new FakeClock(NOW + HOUR);
  const api = await listingApi(clock, { aheadMs: () => -HOUR });
  api.answer(broken);
  const votes = [record(1, NOW - MINUTE, 'Before'), record(2, NOW + MINUTE, 'After')];
  const teller = await recovering({ votes, clock, api, settings: {} });
  await teller.pass(10 * SECOND, SECOND);
  for (let hour = 0; hour < 3; hour++) {
    clock.advance(HOUR);
    await teller.pass(SECOND);
  }
  api.answer();
  await teller.untilFound(2, 5 * SECOND);
  expect(await teller.said()).toEqual(['Before before-start', 'After rewarded']);
});

test('missed votes are found as soon as a clock that started in 1970 is set, even with a long interval', async () => {
  const clock = new FakeClock(0);
  const votes = [record(1, NOW - SECOND, 'Ada')];
  const settings = { interval: '1h', payFrom: iso(NOW - HOUR) };
  const { api, ...teller } = await recovering({ votes, clock, settings });
  await teller.pass(MINUTE, 5 * SECOND);
  expect([teller.faults(), api.asked.length]).toEqual([['clock-unset'], 0]);
  clock.jump(NOW);
  await teller.untilFound(1, 5 * SECOND);
  expect(await teller.players()).toEqual(['Ada']);
});
