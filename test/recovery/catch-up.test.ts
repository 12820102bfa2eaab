import { describe, expect, test } from 'vitest';
import { broken, scriptedServer } from '../listing-client/scripted-api.ts';
import { freshLedger, record as recordVotes, rulesFor, THANKS } from '../support/ledgers.ts';
import { addVote } from '../support/listing-rows.ts';
import { naming } from '../support/naming.ts';
import { Seeded } from '../support/seeded.ts';
import { arrival } from '../support/votes.ts';
import {
  busiestMinute,
  HOUR,
  MINUTE,
  NOW,
  recoveringTeller,
  SECOND,
  SITE,
  StillClock,
  servedListing,
} from './recovering-teller.ts';
import { record, reporting } from './reporting-api.ts';

const DAY = 24 * HOUR;
const PAY_FROM = NOW - 80 * DAY;

/** The real listing service with votes at these times, each by a different player, and a Teller that has just started. */
async function missed(
  times: readonly number[],
  options: Partial<Parameters<typeof recoveringTeller>[0]> = {},
) {
  const clock = new StillClock(NOW);
  const { service, listing, token, root } = await servedListing(clock);
  const cast = times.map((time, index) => addVote(service.database, listing, time, { player: `P${index}` }));
  const api = { payFrom: PAY_FROM, ...options.api };
  const teller = recoveringTeller({ roots: { [SITE]: root }, clock, token, ...options, api });
  return { ...teller, cast, service, listing, token, root };
}

const evenly = (count: number, from: number, ms: number): number[] =>
  Array.from({ length: count }, (_, index) => from + index * ms);

describe('a gap', () => {
  test('of 250 votes is recovered oldest first, each vote once', async () => {
    const { recovery, catchUp, stored, cast, sent } = await missed(evenly(250, NOW - 20 * HOUR, 4 * MINUTE));
    recovery.start();
    await catchUp();
    const votes = await stored();
    expect(votes.map(({ castAt }) => castAt)).toEqual(cast.map(({ castAt }) => castAt));
    expect(votes.map(({ player }) => player)).toEqual(cast.map(({ player }) => player));
    expect(
      new Set(votes.map(({ channel, decision, repeats }) => `${channel} ${decision} ${repeats}`)),
    ).toEqual(new Set(['api rewarded 0']));
    expect(recovery.status()).toEqual([
      {
        ...{ site: SITE, lastAt: NOW, lookedUntil: NOW, recoveredUntil: cast.at(-1)?.castAt },
        ...{ lastFault: null, found: 250 },
      },
    ]);
    expect(sent.length).toBe(3);
  });

  test('with 150 votes in one millisecond yields every vote that the API returns, and a log line that there are more', async () => {
    const instant = NOW - 5 * HOUR;
    const times = [
      ...evenly(50, instant - HOUR, MINUTE),
      ...evenly(150, instant, 0),
      ...evenly(50, instant + 1, 1),
    ];
    const { recovery, catchUp, stored, lines, sent } = await missed(times);
    recovery.start();
    await catchUp();
    const castAt = (await stored()).map((vote) => vote.castAt);
    expect(castAt).toEqual([...times.slice(0, 50), ...evenly(100, instant, 0), ...times.slice(200)]);
    expect(lines.filter(({ code }) => code === 'recovery-crowded')).toEqual([
      expect.objectContaining({
        level: 'error',
        sentence: expect.stringContaining('2026-06-03T07:00:00.000Z'),
      }),
    ]);
    expect(sent.length).toBeLessThan(8);
  });

  test('with 150 votes in one recent millisecond is logged once, although every poll finds it again', async () => {
    const { recovery, catchUp, pass, codes, stored } = await missed(evenly(150, NOW - SECOND, 0));
    recovery.start();
    await catchUp();
    await pass(8 * MINUTE);
    expect([codes('error'), (await stored()).length]).toEqual([['recovery-crowded'], 100]);
  });

  test('with 150 votes in two adjacent milliseconds is read completely', async () => {
    const instant = NOW - 5 * HOUR;
    const times = [...evenly(75, instant, 0), ...evenly(75, instant + 1, 0), ...evenly(100, instant + 2, 1)];
    const { recovery, catchUp, stored, codes } = await missed(times);
    recovery.start();
    await catchUp();
    expect((await stored()).map(({ castAt }) => castAt)).toEqual(times);
    expect(codes('error')).toEqual([]);
  });

  test('of 10,000 votes over 47 h takes at most 140 requests, never more than 30 in a minute', async () => {
    const downSince = NOW - 47 * HOUR;
    const { ledger } = freshLedger(':memory:');
    await ledger.firstSeen(SITE, NOW - 30 * DAY);
    await ledger.setRecoveredUntil(SITE, downSince);
    const { recovery, catchUp, stored, cast, sent, clock } = await missed(
      evenly(10_000, downSince, (47 * HOUR) / 10_000),
      { ledger, api: { payFrom: null } },
    );
    recovery.start();
    await catchUp();
    const votes = await stored();
    expect(votes.map(({ player }) => player)).toEqual(cast.map(({ player }) => player));
    expect(sent.length).toBeLessThanOrEqual(140);
    expect(busiestMinute(sent)).toBe(25);
    expect(clock.monotonic()).toBeLessThan(6 * MINUTE);
  }, 60_000);

  test('is recovered for the last 90 days at most', async () => {
    const times = [NOW - 91 * DAY, NOW - 89 * DAY];
    const { recovery, catchUp, stored } = await missed(times, { api: { payFrom: NOW - 365 * DAY } });
    recovery.start();
    await catchUp();
    expect((await stored()).map(({ castAt }) => castAt)).toEqual([NOW - 89 * DAY]);
  });
});

test('recovery rewards the same votes that would have been rewarded without the gap', async () => {
  const random = new Seeded(11);
  const players = ['Ada', 'Bob', 'Cyd', 'Dee'];
  const times = Array.from({ length: 300 }, () => NOW - random.below(20 * DAY)).sort((a, b) => a - b);
  const clock = new StillClock(NOW);
  const { service, listing, token, root } = await servedListing(clock);
  const votes = times.map((time) =>
    addVote(service.database, listing, time, { player: random.pick(players) }),
  );
  const live = freshLedger().ledger;
  for (const { castAt, player, id } of votes) {
    const facts = {
      player: String(player),
      castAt,
      claim: { at: castAt, precision: 'ms' as const },
      eventId: id,
    };
    const one = arrival({ ...facts, site: SITE, service: SITE, receivedAt: castAt });
    await recordVotes(live, [one], rulesFor(THANKS));
  }
  const { recovery, catchUp, stored } = recoveringTeller({
    roots: { [SITE]: root },
    clock,
    token,
    api: { payFrom: PAY_FROM, maxAgeMs: 90 * DAY },
  });
  recovery.start();
  await catchUp();
  const chosen = (await stored()).map(({ castAt, player, decision }) => [castAt, player, decision]);
  const wanted = [...(await live.votes({ limit: 1_000 }))].sort((a, b) => a.id - b.id);
  expect(chosen).toEqual(wanted.map(({ castAt, player, decision }) => [castAt, player, decision]));
  expect(chosen.filter(([, , decision]) => decision === 'cooldown').length).toBeGreaterThan(100);
});

describe('a vote', () => {
  test('that arrived at the listener and is reported by the API is stored once', async () => {
    const { recovery, catchUp, stored, ledger, cast } = await missed([NOW - MINUTE, NOW - SECOND]);
    const [, late] = cast;
    const facts = {
      site: SITE,
      service: SITE,
      player: 'P1',
      claim: { at: NOW - SECOND, precision: 'ms' as const },
    };
    await recordVotes(ledger, [arrival({ ...facts, receivedAt: NOW })], rulesFor(THANKS));
    recovery.start();
    await catchUp();
    const votes = await stored();
    expect(votes.map(({ player, channel, decision }) => [player, channel, decision])).toEqual([
      ['P1', 'listener-v2', 'rewarded'],
      ['P0', 'api', 'rewarded'],
    ]);
    expect([...(await ledger.knownEvents(SITE, [late?.id ?? '']))]).toEqual([late?.id]);
    expect(recovery.status()[0]?.found).toBe(1);
  });

  test('is not submitted again by later polls', async () => {
    const { recovery, catchUp, pass, stored, sent } = await missed([NOW - 30 * SECOND]);
    recovery.start();
    await catchUp();
    await pass(6 * MINUTE);
    expect(sent).toEqual([0, 2 * MINUTE, 4 * MINUTE, 6 * MINUTE]);
    expect((await stored()).map(({ repeats }) => repeats)).toEqual([0]);
  });

  test('that the API reports nine minutes late is found', async () => {
    const { recovery, catchUp, pass, stored, service, listing } = await missed([]);
    recovery.start();
    await catchUp();
    await pass(9 * MINUTE);
    addVote(service.database, listing, NOW + SECOND, { player: 'Late' });
    await pass(MINUTE);
    expect((await stored()).map(({ player, decision }) => [player, decision])).toEqual([
      ['Late', 'rewarded'],
    ]);
  });

  test('is found even if our clock was days ahead in an earlier run', async () => {
    const { ledger } = freshLedger(':memory:');
    await ledger.firstSeen(SITE, NOW - DAY);
    await ledger.setRecoveredUntil(SITE, NOW + 5 * DAY);
    const { recovery, catchUp, stored } = await missed([NOW - 9 * MINUTE], {
      ledger,
      api: { payFrom: null },
    });
    recovery.start();
    await catchUp();
    expect((await stored()).map(({ decision }) => decision)).toEqual(['rewarded']);
  });

  test('from before payFrom is counted but not rewarded, and one at payFrom is rewarded', async () => {
    const { recovery, catchUp, stored } = await missed(
      [NOW - 5 * MINUTE, NOW - 4 * MINUTE, NOW - 3 * MINUTE],
      {
        api: { payFrom: NOW - 4 * MINUTE },
      },
    );
    recovery.start();
    await catchUp();
    expect((await stored()).map(({ castAt, decision }) => [NOW - castAt, decision])).toEqual([
      [5 * MINUTE, 'before-start'],
      [4 * MINUTE, 'rewarded'],
      [3 * MINUTE, 'rewarded'],
    ]);
  });

  test('from before the first start is counted if it is not too old, and not rewarded without payFrom', async () => {
    const { recovery, catchUp, pass, stored, service, listing } = await missed(
      [NOW - 2 * DAY - 1, NOW - 2 * DAY, NOW - MINUTE],
      { api: { payFrom: null } },
    );
    recovery.start();
    await catchUp();
    addVote(service.database, listing, NOW + SECOND, { player: 'After' });
    await pass(2 * MINUTE);
    expect((await stored()).map(({ castAt, decision }) => [castAt - NOW, decision])).toEqual([
      [-2 * DAY, 'before-start'],
      [-MINUTE, 'before-start'],
      [SECOND, 'rewarded'],
    ]);
  });

  test('cast after the first start is rewarded even if its API answers only hours later and our clock is ahead', async () => {
    const clock = new StillClock(NOW + HOUR); // an hour ahead
    const listing = reporting([record(1, NOW - MINUTE, 'Before'), record(2, NOW + MINUTE, 'After')]);
    const server = await scriptedServer((response, request) => {
      const time = clock.now() - HOUR;
      response.setHeader('date', new Date(time).toUTCString());
      (time < NOW + 3 * HOUR ? broken : listing)(response, request);
    });
    const { recovery, pass, stored } = recoveringTeller({ roots: { [SITE]: server.root }, clock });
    recovery.start();
    await pass(4 * HOUR);
    expect((await stored()).map(({ player, decision }) => [player, decision])).toEqual([
      ['Before', 'before-start'],
      ['After', 'rewarded'],
    ]);
  });

  test('from a downtime is rewarded if its site has voted through the listener before, even if its API is new', async () => {
    const { ledger } = freshLedger(':memory:');
    const earlier = arrival({ site: SITE, service: SITE, player: 'First', receivedAt: NOW - 12 * HOUR });
    await recordVotes(ledger, [earlier], rulesFor(THANKS));
    const { recovery, catchUp, stored } = await missed([NOW - 13 * HOUR, NOW - 2 * HOUR], {
      ledger,
      api: { payFrom: null },
    });
    recovery.start();
    await catchUp();
    expect((await stored()).map(({ player, decision }) => [player, decision])).toEqual([
      ['First', 'rewarded'],
      ['P0', 'before-start'],
      ['P1', 'rewarded'],
    ]);
  });

  test('that is found later than maxAge is counted as too old', async () => {
    const { recovery, catchUp, stored } = await missed([NOW - 48 * HOUR - 1, NOW - 48 * HOUR]);
    recovery.start();
    await catchUp();
    expect((await stored()).map(({ decision }) => decision)).toEqual(['too-old', 'rewarded']);
  });

  test('without a player is stored for its voter, and its text is kept for the trace', async () => {
    const { recovery, catchUp, stored, service, listing } = await missed([]);
    const { id } = addVote(service.database, listing, NOW - SECOND, {
      userId: '80351110224678912',
      player: null,
    });
    recovery.start();
    await catchUp();
    expect(await stored()).toMatchObject([
      {
        recipient: '80351110224678912',
        player: null,
        decision: 'no-player',
        wire: `{"id":"${id}","userId":"80351110224678912","votedAt":"2026-06-03T11:59:59.000Z","metadata":{}}`,
      },
    ]);
  });

  test('with an invalid player name is logged once and skipped, and does not block others', async () => {
    const { recovery, catchUp, pass, stored, service, listing, lines } = await missed([]);
    addVote(service.database, listing, NOW - 3 * SECOND, { player: 'Ada' });
    addVote(service.database, listing, NOW - 2 * SECOND, { player: 'no"player' });
    addVote(service.database, listing, NOW - SECOND, { player: 'Bob' });
    recovery.start();
    await catchUp();
    await pass(6 * MINUTE);
    expect((await stored()).map(({ player }) => player)).toEqual(['Ada', 'Bob']);
    expect(lines.filter(({ code }) => code === 'api-name-not-allowed')).toEqual([
      expect.objectContaining({
        level: 'warn',
        sentence: naming('no"player'),
      }),
    ]);
    expect(recovery.status()).toMatchObject([{ lastFault: null, found: 2, recoveredUntil: NOW - SECOND }]);
  });

  test('pays the user if the site’s game has no player names', async () => {
    const { recovery, catchUp, stored, service, listing } = await missed([], { config: { game: 'fivem' } });
    addVote(service.database, listing, NOW - SECOND, { userId: '7' });
    recovery.start();
    await catchUp();
    expect(await stored()).toMatchObject([{ recipient: '7', player: null, decision: 'rewarded' }]);
  });
});

describe('an idle site', () => {
  test('costs one request per interval', async () => {
    const { recovery, pass, sent } = await missed([]);
    recovery.start();
    await pass(HOUR);
    expect(sent).toEqual(evenly(31, 0, 2 * MINUTE));
  });

  test('is polled at once after a nudge, and its interval starts over', async () => {
    const { recovery, pass, sent } = await missed([]);
    recovery.start();
    await pass(30 * SECOND);
    recovery.nudge('Another-List.com');
    await pass(SECOND);
    recovery.nudge(SITE);
    await pass(3 * MINUTE);
    expect(sent).toEqual([0, 31 * SECOND, 151 * SECOND]);
  });

  test('that is nudged constantly is polled 25 times a minute', async () => {
    const { recovery, idle, pass, sent } = await missed([]);
    recovery.start();
    for (let nudge = 0; nudge < 60; nudge++) {
      await idle();
      recovery.nudge();
    }
    await pass(5 * MINUTE);
    expect(busiestMinute(sent)).toBe(25);
  });
});
