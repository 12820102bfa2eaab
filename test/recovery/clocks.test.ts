import { describe, expect, test } from 'vitest';
import { scriptedServer } from '../listing-client/scripted-api.ts';
import { addVote } from '../support/listing-rows.ts';
import { withFacts } from '../support/sentences.ts';
import { HOUR, MINUTE, NOW, RestingClock, SECOND, SITE, scene, servedListing } from './scene.ts';
import { telling, told } from './told-api.ts';

/** A listing whose clock is right, and a Teller whose clock is so far ahead of it; both go on together. */
async function apart(aheadMs: number, payFrom: number | null = NOW - 24 * HOUR) {
  const listingClock = new RestingClock(NOW);
  const { service, listing, token, root } = await servedListing(listingClock);
  const clock = new RestingClock(NOW + aheadMs);
  const shared = { roots: { [SITE]: root }, token, api: { payFrom } };
  const teller = scene({ ...shared, clock });
  const cast = (player: string) => addVote(service.database, listing, listingClock.now(), { player });
  const pass = async (ms: number) => {
    for (let passed = 0; passed < ms; passed += MINUTE) {
      listingClock.advance(MINUTE);
      await teller.pass(MINUTE);
    }
  };
  const players = async () => (await teller.stored()).map(({ player, decision }) => `${player} ${decision}`);
  const told = () => teller.lines.filter(({ code }) => code === 'clocks-apart');
  const restartedAt = (now: number) =>
    scene({ ...shared, ledger: teller.ledger, clock: new RestingClock(now) });
  return { ...teller, listingClock, cast, pass, players, told, restartedAt };
}

describe('with a clock of ours that is ahead of the listing’s', () => {
  test.each([20, 300])('by %i min every missed vote is found', async (minutes) => {
    const { recovery, cast, pass, caughtUp, players } = await apart(minutes * MINUTE);
    cast('Before');
    recovery.start();
    await caughtUp();
    await pass(HOUR);
    cast('Later');
    await pass(2 * MINUTE);
    expect(await players()).toEqual(['Before rewarded', 'Later rewarded']);
  });

  test.each([2, 20, 300])(
    'by %i min at the very first start, votes that follow it are found and paid',
    async (minutes) => {
      const { recovery, cast, pass, caughtUp, players } = await apart(minutes * MINUTE, null);
      recovery.start();
      await caughtUp();
      await pass(MINUTE);
      cast('Ada');
      await pass(4 * MINUTE);
      expect(await players()).toEqual(['Ada rewarded']);
    },
  );

  test('by three days, a vote that was cast just now is not too old', async () => {
    const { recovery, cast, caughtUp, players } = await apart(72 * HOUR);
    cast('Ada');
    recovery.start();
    await caughtUp();
    expect(await players()).toEqual(['Ada rewarded']);
  });

  test('and is then set right, what was cast while Teller was down is found', async () => {
    const first = await apart(5 * HOUR);
    first.cast('Before');
    first.recovery.start();
    await first.caughtUp();
    await first.recovery.close();
    first.listingClock.advance(HOUR);
    first.cast('Meanwhile');
    first.listingClock.advance(HOUR);
    const second = first.restartedAt(first.listingClock.now());
    second.recovery.start();
    await second.caughtUp();
    expect((await second.stored()).map(({ player }) => player)).toEqual(['Before', 'Meanwhile']);
  });

  test('the log says once how far, and what to do', async () => {
    const { recovery, pass, caughtUp, told } = await apart(20 * MINUTE);
    recovery.start();
    await caughtUp();
    await pass(HOUR);
    expect(told()).toEqual([
      expect.objectContaining({
        level: 'warn',
        sentence: withFacts('2026-06-03T12:00:00.000Z', '20 min', 'NTP'),
      }),
    ]);
  });
});

describe('with a clock of ours that is behind the listing’s', () => {
  test('votes wait until it shows that they were cast, and the log says how far it is', async () => {
    const { recovery, cast, pass, caughtUp, players, told } = await apart(-HOUR);
    cast('Ada');
    recovery.start();
    await caughtUp();
    expect(await players()).toEqual([]);
    expect(told()).toMatchObject([{ sentence: withFacts('1 h') }]);
    await pass(HOUR);
    expect(await players()).toEqual(['Ada rewarded']);
  });
});

test('a clock that begins in 1970 and is set a minute later has missed votes found then, however long the interval', async () => {
  const { root } = await scriptedServer(telling([told(1, NOW - SECOND, 'Ada')]));
  const clock = new RestingClock(0);
  const api = { intervalMs: HOUR, payFrom: NOW - HOUR };
  const { recovery, pass, stored } = scene({ roots: { [SITE]: root }, clock, api });
  recovery.start();
  await pass(MINUTE);
  expect(recovery.status()).toMatchObject([{ lastFault: { code: 'clock-unset' } }]);
  clock.jump(NOW);
  await pass(MINUTE);
  expect((await stored()).map(({ player }) => player)).toEqual(['Ada']);
});

test('clocks that are 59 s apart are nothing to tell of', async () => {
  const { recovery, caughtUp, told } = await apart(59 * SECOND);
  recovery.start();
  await caughtUp();
  expect(told()).toEqual([]);
});
