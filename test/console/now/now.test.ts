import { expect, test } from 'vitest';
import { systemClock } from '../../../src/platform/clock.ts';
import { practiceClockIn } from '../../../src/platform/practice-clock.ts';
import { TOKEN } from '../../support/config-folder.ts';
import { consoleEvents } from '../../support/console-stream.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { PASSWORD, practice } from '../../support/rcon.ts';
import { voteTo } from '../../support/votes-to.ts';
import { openConsole } from './open-console.ts';
import { noticeOf, rowsOf, stateSentenceOf, textOf } from '../../support/page-text.ts';

const rcon = (port: number, password = PASSWORD) => ({ kind: 'rcon', host: '127.0.0.1', port, password });
const rewards = [{ name: 'daily', when: 'always', commands: ['give {player} diamond'] }];

test('before the first vote the page says where Teller listens, that it is for practice, and that no vote came', async () => {
  const { page, app } = await openConsole();
  const text = await page();
  expect(stateSentenceOf(text)).toBe(
    `Listening on port ${app.listener.port}. For practice only. No site is in the config yet. No vote yet.`,
  );
  expect(noticeOf(text)).toContain('no real player is paid');
  expect(text).toContain('No site has sent a vote yet');
});

test('each site is shown with its votes, its vote page and what was refused of it, and the listed ones come first', async () => {
  const sites = {
    default: { token: TOKEN },
    Listed: { url: 'https://listed.example/vote' },
    Silent: {},
  };
  const { app, page } = await openConsole({ sites, rewards });
  const { port } = app.listener;
  await voteTo(port, 'Steve', 'Unlisted');
  await voteTo(port, 'Steve', 'Listed');
  await voteTo(port, 'Alex', 'Listed');
  await voteTo(port, 'Alex', 'Silent', 'another-token-of-thirty-two-chars');
  await expect
    .poll(async () => rowsOf(await page(), 'Sites'))
    .toMatchObject([
      { Site: 'Listed', 'Votes today': '2', 'Refused today': '0', State: 'Listed' },
      { Site: 'Silent', 'Last vote': 'never', 'Votes today': '0' },
      { Site: 'Unlisted', 'Votes today': '1', State: 'Unlisted' },
    ]);
  expect(await page()).toContain('<a href="https://listed.example/vote"');
});

test('a wrong token is shown at its site with the cause, once it is stored', async () => {
  const { app, page, text } = await openConsole({ sites: { default: { token: TOKEN }, Silent: {} } });
  await voteTo(app.listener.port, 'Alex', 'Silent', 'another-token-of-thirty-two-chars');
  await expect
    .poll(async () => rowsOf(await page(), 'Sites'), { timeout: 10_000 })
    .toMatchObject([{ Site: 'Silent', 'Refused today': '1', State: 'Only refused' }]);
  expect(await text()).toMatch(/Refused once: [^:]*127\.0\.0\.1.*with a wrong token.* v2-signature/);
});

test('service names and the names of players are shown as text', async () => {
  const { app, browser } = await openConsole({ rewards });
  app.practiceServers.get('main')?.join('Steve');
  await voteTo(app.listener.port, 'Steve', '<script>alert(1)</script>\u202E');
  const { text } = await browser.get('/');
  expect(text).toContain('&lt;script&gt;alert(1)&lt;/script&gt;\\u202e');
  expect(text).not.toContain('<script>alert');
});

test('who is online is asked without delaying the page, and shown by the next one', async () => {
  const { app, gameServer } = await openConsole();
  app.practiceServers.get('main')?.join('Steve');
  await expect.poll(gameServer).toMatchObject({
    Connection: 'It accepts commands.',
    Online: '1 player: Steve',
    Reports: 'Its players, with their UUIDs.',
  });
});

test('a game server that refuses the password is shown with what to do, and with what it owes', async () => {
  const server = await practice();
  const { app, gameServer, text } = await openConsole({
    gameServers: { main: rcon(server.port, 'not its password') },
    rewards,
  });
  await voteTo(app.listener.port);
  await expect.poll(gameServer).toMatchObject({
    Connection: expect.stringMatching(/ wrong-password$/),
    Online: 'Not known.',
    Queue: '1 to pay now',
  });
  expect(await text()).toContain(`, 127.0.0.1:${server.port}`);
  expect(await text()).toContain('compare it with rcon.password in server.properties');
});

test('every page says that nothing is paid in shadow, or before the hand-over, but only to who has signed in', async () => {
  const shadow = await openConsole({ pay: { mode: 'shadow' } });
  expect((await shadow.browser.get('/')).text).toContain('nothing is paid here, because pay.mode');
  expect((await shadow.visitor().get('/sign-in')).text).not.toContain('Shadow');
  const later = await openConsole({ pay: { from: '2090-01-01T00:00:00Z' } });
  const { text } = await later.browser.get('/no-such-page');
  expect(textOf({ text })).toContain(
    'votes that arrive before 1 Jan 2090 00:00:00 UTC are paid by the other listener',
  );
});

test('a pause by another process is said on the next page', async () => {
  const { app, page } = await openConsole({ rewards });
  await app.ledger.pause({ server: null, reward: null }, 'admin', systemClock.now());
  expect(noticeOf(await page())).toMatch(
    /^Paused: all rewards have been paused since .+ by admin\. ?Practice: /,
  );
});

test('the stream tells of a vote within a second', async () => {
  const { app, browser, console: pages } = await openConsole({ rewards });
  const events = await consoleEvents(browser, pages.url);
  await voteTo(app.listener.port);
  const sentAt = systemClock.monotonic();
  expect(await events.next()).toBe('change');
  expect(systemClock.monotonic() - sentAt).toBeLessThan(1_000);
});

test('the stream tells of a player who joined, because the game servers are asked while somebody watches', {
  timeout: 20_000,
}, async () => {
  const { app, browser, console: pages, page, gameServer } = await openConsole({ rewards });
  await page();
  const events = await consoleEvents(browser, pages.url);
  app.practiceServers.get('main')?.join('Steve');
  await events.next();
  await expect.poll(async () => (await gameServer()).Online, { timeout: 8_000 }).toBe('1 player: Steve');
});

test('every page says how far the practice clock is ahead', async () => {
  const clock = practiceClockIn(temporaryFolder(), systemClock);
  const { page, browser } = await openConsole({}, clock);
  expect(noticeOf(await page())).not.toContain('Practice clock');
  await clock.advance(86_400_000);
  for (const page of ['/', '/votes', '/rewards'])
    expect((await browser.get(page)).text).toMatch(/Practice clock[^<]* 24 h ahead of real time/);
});
