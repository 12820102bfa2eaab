import { expect, test } from 'vitest';
import { TOKEN } from '../support/config-folder.ts';
import { addListing } from '../support/listing-rows.ts';
import { runningApp } from '../support/running-app.ts';
import { SERVICE_NAME, sendsFixture } from '../support/sends-fixture.ts';
import { SettableClock } from '../support/settable-clock.ts';

const SITES = { default: { token: TOKEN }, [SERVICE_NAME]: {} };

/** A listing whose votes go to a real Teller with a practice server. */
async function loop() {
  const clock = new SettableClock('2026-06-01T12:00:00Z');
  const running = await runningApp(clock, { sites: SITES });
  const scene = sendsFixture({}, clock);
  await scene.save({ port: String(running.app.listener.port), credential: TOKEN });
  const diamonds = (): number => running.app.practiceServers.get('main')?.inventory('Steve').diamond ?? 0;
  const decisions = async (): Promise<string[]> =>
    (await running.look.votes({ limit: 9 })).map(({ decision }) => decision);
  return { clock, scene, diamonds, decisions };
}

test('VT-12, NS-42: two votes for a player both arrive but only one is rewarded, until 24 h have passed', async () => {
  const { clock, scene, diamonds, decisions } = await loop();
  scene.vote({ userId: '1' });
  await scene.ended(1);
  clock.set('2026-06-01T13:00:00Z');
  scene.vote({ userId: '2' });
  await scene.ended(2);
  expect((await scene.sends.page(scene.listing.id, { limit: 9 })).rows.map(({ outcome }) => outcome)).toEqual(
    ['accepted', 'accepted'],
  );
  expect(await decisions()).toEqual(['cooldown', 'rewarded']);
  await expect.poll(diamonds).toBe(1);

  clock.set('2026-06-02T12:00:00Z');
  scene.vote({ userId: '3' });
  await scene.ended(3);
  expect(await decisions()).toEqual(['rewarded', 'cooldown', 'rewarded']);
  await expect.poll(diamonds).toBe(2);
});

test('VT-13: the same player is also rewarded on another server that has its own listing and listener', async () => {
  const first = await loop();
  const second = await runningApp(first.clock, { sites: SITES });
  const other = addListing(first.scene.database, { name: 'Other server' });
  await first.scene.save({ port: String(second.app.listener.port), credential: TOKEN }, other);
  first.scene.vote();
  first.scene.vote({}, other);
  await first.scene.ended(2);
  await expect.poll(first.diamonds).toBe(1);
  await expect.poll(() => second.app.practiceServers.get('main')?.inventory('Steve').diamond).toBe(1);
});
