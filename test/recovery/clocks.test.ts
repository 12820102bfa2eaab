import { describe, expect, test } from 'vitest';
import { scriptedServer } from '../listing-client/scripted-api.ts';
import { addVote } from '../support/listing-rows.ts';
import { naming } from '../support/naming.ts';
import {
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

/** A listing whose clock is right, and a Teller whose clock is ahead of it; both advance together. */
async function apart(aheadMs: number, payFrom: number | null = NOW - 24 * HOUR) {
  const listingClock = new StillClock(NOW);
  const { service, listing, token, root } = await servedListing(listingClock);
  const clock = new StillClock(NOW + aheadMs);
  const shared = { roots: { [SITE]: root }, token, api: { payFrom } };
  const teller = recoveringTeller({ ...shared, clock });
  const cast = (player: string) => addVote(service.database, listing, listingClock.now(), { player });
  const pass = async (ms: number) => {
    for (let passed = 0; passed < ms; passed += MINUTE) {
      listingClock.advance(MINUTE);
      await teller.pass(MINUTE);
    }
  };
  const players = async () => (await teller.stored()).map(({ player, decision }) => `${player} ${decision}`);
  const warnings = () => teller.lines.filter(({ code }) => code === 'clocks-apart');
  const restartedAt = (now: number) =>
    recoveringTeller({ ...shared, ledger: teller.ledger, clock: new StillClock(now) });
  return { ...teller, listingClock, cast, pass, players, warnings, restartedAt };
}

describe('if our clock is ahead of the listing’s', () => {
  test.each([20, 300])('by %i min, every missed vote is found', async (minutes) => {
    const { recovery, cast, pass, catchUp, players } = await apart(minutes * MINUTE);
    cast('Before');
    recovery.start();
    await catchUp();
    await pass(HOUR);
    cast('Later');
    await pass(2 * MINUTE);
    expect(await players()).toEqual(['Before rewarded', 'Later rewarded']);
  });

  test.each([2, 20, 300])(
    'by %i min at the very first start, later votes are still found and paid',
    async (minutes) => {
      const { recovery, cast, pass, catchUp, players } = await apart(minutes * MINUTE, null);
      recovery.start();
      await catchUp();
      await pass(MINUTE);
      cast('Ada');
      await pass(4 * MINUTE);
      expect(await players()).toEqual(['Ada rewarded']);
    },
  );

  test('by three days, a vote that was cast just now is not too old', async () => {
    const { recovery, cast, catchUp, players } = await apart(72 * HOUR);
    cast('Ada');
    recovery.start();
    await catchUp();
    expect(await players()).toEqual(['Ada rewarded']);
  });

  test('and is then corrected, votes cast while Teller was down are found', async () => {
    const first = await apart(5 * HOUR);
    first.cast('Before');
    first.recovery.start();
    await first.catchUp();
    await first.recovery.close();
    first.listingClock.advance(HOUR);
    first.cast('Meanwhile');
    first.listingClock.advance(HOUR);
    const second = first.restartedAt(first.listingClock.now());
    second.recovery.start();
    await second.catchUp();
    expect((await second.stored()).map(({ player }) => player)).toEqual(['Before', 'Meanwhile']);
  });

  test('the log says once how far it is ahead, and what to do', async () => {
    const { recovery, pass, catchUp, warnings } = await apart(20 * MINUTE);
    recovery.start();
    await catchUp();
    await pass(HOUR);
    expect(warnings()).toEqual([
      expect.objectContaining({
        level: 'warn',
        sentence: naming('2026-06-03T12:00:00.000Z', '20 min', 'NTP'),
      }),
    ]);
  });
});

describe('if our clock is behind the listing’s', () => {
  test('votes wait until our clock reaches their cast time, and the log says how far it is behind', async () => {
    const { recovery, cast, pass, catchUp, players, warnings } = await apart(-HOUR);
    cast('Ada');
    recovery.start();
    await catchUp();
    expect(await players()).toEqual([]);
    expect(warnings()).toMatchObject([{ sentence: naming('1 h') }]);
    await pass(HOUR);
    expect(await players()).toEqual(['Ada rewarded']);
  });
});

test('missed votes are found as soon as a clock that started in 1970 is set, even with a long interval', async () => {
  const { root } = await scriptedServer(reporting([record(1, NOW - SECOND, 'Ada')]));
  const clock = new StillClock(0);
  const api = { intervalMs: HOUR, payFrom: NOW - HOUR };
  const { recovery, pass, stored } = recoveringTeller({ roots: { [SITE]: root }, clock, api });
  recovery.start();
  await pass(MINUTE);
  expect(recovery.status()).toMatchObject([{ lastFault: { code: 'clock-unset' } }]);
  clock.jump(NOW);
  await pass(MINUTE);
  expect((await stored()).map(({ player }) => player)).toEqual(['Ada']);
});

test('a difference of 59 s between the clocks is not logged', async () => {
  const { recovery, catchUp, warnings } = await apart(59 * SECOND);
  recovery.start();
  await catchUp();
  expect(warnings()).toEqual([]);
});
