import { expect, test } from 'vitest';
import { rconGame } from '../kit/game.ts';
import { type Here, here } from '../kit/here.ts';
import { operator, page, visitor } from '../kit/page.ts';
import { rewrite } from '../kit/place.ts';
import { TOKEN } from '../kit/vote.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { findingsOf, noticeOf } from '../support/page-text.ts';

const THANKS = [{ name: 'thanks', when: 'always', commands: ['say {player}'] }];
const SITES = { default: { token: TOKEN } };
const DAY = 86_400_000;

/** Waits until *Now* has a button that posts there, and presses it. */
async function press(teller: Here, action: string) {
  let now = await page(teller, '/');
  await teller.until(async () => {
    now = await page(teller, '/');
    return findingsOf(now.html).some(({ button }) => button === action);
  });
  return (await operator(teller)).submit(now, action);
}

const sent = async (teller: Here, action: string, fields = {}): Promise<string> => {
  await page(teller, '/');
  return (await (await operator(teller)).post(action, fields)).text;
};

test('Reload applies the file, and the page then finds nothing that is newer', async () => {
  const teller = await here({ sites: SITES });
  await operator(teller);
  rewrite(teller, { sites: { ...SITES, New: {} } });
  const after = await press(teller, '/reload');
  expect([after.status, after.at]).toEqual([303, '/']);
  expect(after.text).toContain('Applied sites.New.');
  const isNewer = ({ code }: { code: string }) => code === 'config-older';
  await teller.until(async () => !findingsOf((await page(teller, '/')).html).some(isNewer));
});

test('Reload is refused for a file with faults, and what runs stays', async () => {
  const teller = await here({ sites: SITES });
  await operator(teller);
  rewrite(teller, { sites: 5 });
  await page(teller, '/');
  const after = await (await operator(teller)).post('/reload', { next: '/' });
  expect(after.html).toMatch(/class="alert bad" role="alert"/);
  expect(await teller.vote({ player: 'Steve' })).toBe('ok');
});

test('what is held is paid: its commands run again', async () => {
  const game = await rconGame();
  const teller = await here({ gameServers: { main: game.entry }, rewards: THANKS });
  game.fault('run-and-close');
  await teller.vote({ player: 'Steve' });
  await teller.untilGrants('held');
  const after = await press(teller, '/now/pay-held');
  expect(after.text).toContain('1 grant will be paid.');
  await teller.untilGrants('delivered');
  expect(game.ran).toEqual(['say Steve', 'say Steve']);
  expect(await sent(teller, '/now/pay-held', { server: 'main' })).toContain(
    'Nothing that can be paid is held there any more.',
  );
});

test('what is held for a game server that is not in the config any more is not paid', async () => {
  const game = await rconGame();
  const teller = await here({ gameServers: { main: game.entry }, rewards: THANKS });
  game.fault('run-and-close');
  await teller.vote({ player: 'Steve' });
  await teller.untilGrants('held');
  await teller.reload({ gameServers: { other: { kind: 'practice' } }, rewards: THANKS });
  expect(await sent(teller, '/now/pay-held', { server: 'main' })).toContain(
    'None can be paid: see grant 1 under Needs you.',
  );
  expect((await teller.grants()).map(({ state }) => state)).toEqual(['held']);
});

test('a pause is ended', async () => {
  const teller = await here();
  await teller.run('pause', '--server', 'main');
  const after = await press(teller, '/now/resume');
  expect(after.text).toContain('The pause of all rewards on main is over.');
  expect(noticeOf(after.html)).toMatch(/^Practice: [^:]*$/);
  await teller.vote({ player: 'Steve' });
  await teller.untilGrants('delivered');
});

test.each([
  ['There is no pause of all rewards on main any more.', { server: 'main' }],
  ['No game server in the config is called "nowhere".', { server: 'nowhere' }],
  ['No reward in the config is called "nothing".', { reward: 'nothing' }],
])('ending a pause is refused with “%s”', async (sentence, fields) => {
  expect(await sent(await here(), '/now/resume', fields)).toContain(sentence);
});

test('the clock is released, and what was held because of it is paid', async () => {
  const teller = await here({ rewards: THANKS }, new FakeClock('2026-06-01T12:00:00Z'));
  // Without a time, so that this machine’s clock decides.
  await teller.vote({ player: 'Steve', timestamp: '' });
  teller.clock.jump(DAY + 2 * 3_600_000);
  await teller.vote({ player: 'Alex', timestamp: '' });
  const after = await press(teller, '/now/release-clock');
  expect(after.text).toContain('1 reward will be paid');
  await teller.untilGrants('delivered', 'delivered');
});

test('what is held because of the clock is a problem of the clock, not one of the grants', async () => {
  const teller = await here({ rewards: THANKS }, new FakeClock('2026-06-01T12:00:00Z'));
  await teller.vote({ player: 'Steve', timestamp: '' });
  teller.clock.jump(DAY + 2 * 3_600_000);
  await teller.vote({ player: 'Alex', timestamp: '' });
  const codes = async () => findingsOf((await page(teller, '/')).html).map(({ code }) => code);
  await teller.until(async () => (await codes()).includes('clock-doubtful'));
  expect(await codes()).not.toContain('grants-stuck');
});

test('the clock is not released while it is trusted, or while it shows 1970', async () => {
  const teller = await here({}, new FakeClock('2026-06-01T12:00:00Z'));
  expect(await sent(teller, '/now/release-clock')).toContain(
    'The clock is trusted, and nothing is held because of it.',
  );
  teller.clock.jump(Date.parse('1970-01-01T00:10:00Z') - teller.clock.now());
  expect(await sent(teller, '/now/release-clock')).toContain('This machine’s clock is not set.');
});

test('nothing is done for a form of another page, or without a session', async () => {
  const teller = await here({ sites: SITES });
  await operator(teller);
  rewrite(teller, { sites: { ...SITES, New: {} } });
  const forged = await (await operator(teller)).post('/reload', { csrf: 'guessed' });
  expect([forged.status, forged.text]).toEqual([403, expect.stringContaining('403 form-outdated')]);
  expect((await (await visitor(teller)).post('/reload')).status).toBe(403);
  await teller.until(async () =>
    findingsOf((await page(teller, '/')).html).some(({ code }) => code === 'config-older'),
  );
});

test('what was done or refused is logged with who asked for it', async () => {
  const teller = await here();
  await sent(teller, '/now/resume', { server: 'main' });
  await sent(teller, '/now/pay-held', { server: 'main' });
  const by = 'console from 127.0.0.1 by link';
  expect(
    teller.log.filter(({ code }) => code === 'console-action').map(({ fields }) => fields),
  ).toMatchObject([
    { action: '/now/resume', by, ended: 'not-paused' },
    { action: '/now/pay-held', by, ended: 'nothing-held' },
  ]);
});
