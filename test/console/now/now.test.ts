import { expect, test } from 'vitest';
import { systemClock } from '../../../src/platform/clock.ts';
import { practiceClockIn } from '../../../src/platform/practice-clock.ts';
import { TOKEN } from '../../support/config-folder.ts';
import { consoleEvents } from '../../support/console-stream.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { PASSWORD, practice } from '../../support/rcon.ts';
import { runningConsole } from '../../support/running-console.ts';
import { voteTo } from '../../support/votes-to.ts';
import { openConsole } from './open-console.ts';
import { textOf } from '../../support/page-text.ts';

const JSON_WANTED = { accept: 'application/json' };
const rcon = (port: number, password = PASSWORD) => ({ kind: 'rcon', host: '127.0.0.1', port, password });
const rewards = [{ name: 'daily', when: 'always', commands: ['give {player} diamond'] }];

async function opened(overrides: object = {}) {
  const running = await runningConsole(systemClock, overrides);
  const browser = await running.operator();
  const json = async () => JSON.parse((await browser.get('/', JSON_WANTED)).text);
  return { ...running, browser, json };
}

test('before the first vote the page says where Teller listens, that it is for practice, and that no vote came', async () => {
  const { browser, app, json } = await opened();
  const { text } = await browser.get('/');
  expect(text).toContain(
    `Listening on port ${app.listener.port}. For practice only. No site is in the config yet. No vote yet.`,
  );
  expect(await json()).toMatchObject({
    port: app.listener.port,
    modes: [{ kind: 'practice', servers: ['main'], isOnly: true }],
    lastVoteAt: null,
    needYou: 0,
    sites: [],
  });
});

test('each site is shown with its votes, its vote page and what was refused of it, and the listed ones come first', async () => {
  const sites = {
    default: { token: TOKEN },
    Listed: { url: 'https://listed.example/vote' },
    Silent: {},
  };
  const { app, json } = await opened({ sites, rewards });
  const { port } = app.listener;
  await voteTo(port, 'Steve', 'Unlisted');
  await voteTo(port, 'Steve', 'Listed');
  await voteTo(port, 'Alex', 'Listed');
  await voteTo(port, 'Alex', 'Silent', 'another-token-of-thirty-two-chars');
  await expect
    .poll(async () => (await json()).sites)
    .toMatchObject([
      { service: 'Listed', isListed: true, url: 'https://listed.example/vote', today: 2, refusals: [] },
      { service: 'Silent', isListed: true, lastVoteAt: null, today: 0 },
      { service: 'Unlisted', isListed: false, today: 1 },
    ]);
});

test('a wrong token is shown at its site with the cause, once it is stored', async () => {
  const { app, browser, json } = await opened({ sites: { default: { token: TOKEN }, Silent: {} } });
  await voteTo(app.listener.port, 'Alex', 'Silent', 'another-token-of-thirty-two-chars');
  await expect
    .poll(async () => (await json()).sites[0].refusals, { timeout: 10_000 })
    .toMatchObject([{ code: 'v2-signature', count: 1, senders: ['127.0.0.1'] }]);
  expect((await browser.get('/')).text).toContain('with a wrong token');
});

test('service names and the names of players are shown as text', async () => {
  const { app, browser } = await opened({ rewards });
  app.practiceServers.get('main')?.join('Steve');
  await voteTo(app.listener.port, 'Steve', '<script>alert(1)</script>\u202E');
  const { text } = await browser.get('/');
  expect(text).toContain('&lt;script&gt;alert(1)&lt;/script&gt;\\u202e');
  expect(text).not.toContain('<script>alert');
});

test('who is online is asked without delaying the page, and shown by the next one', async () => {
  const { app, json } = await opened();
  app.practiceServers.get('main')?.join('Steve');
  await expect
    .poll(async () => (await json()).gameServers)
    .toMatchObject([
      {
        ...{ name: 'main', kind: 'practice', isPractice: true, place: null },
        connection: { kind: 'connected' },
        reports: { kind: 'list', hasUuids: true },
        online: { names: ['Steve'] },
      },
    ]);
});

test('a game server that refuses the password is shown with what to do, and with what it owes', async () => {
  const server = await practice();
  const { app, browser, json } = await opened({
    gameServers: { main: rcon(server.port, 'not its password') },
    rewards,
  });
  await voteTo(app.listener.port);
  await expect
    .poll(async () => (await json()).gameServers)
    .toMatchObject([
      {
        place: `127.0.0.1:${server.port}`,
        connection: { kind: 'trouble', code: 'wrong-password' },
        online: null,
        queue: { pending: 1, waiting: 0, held: 0, refused: 0 },
      },
    ]);
  expect((await browser.get('/')).text).toContain('compare it with rcon.password in server.properties');
});

test('every page says that nothing is paid in shadow, or before the hand-over, but only to who has signed in', async () => {
  const shadow = await opened({ pay: { mode: 'shadow' } });
  expect((await shadow.browser.get('/')).text).toContain('nothing is paid here, because pay.mode');
  expect((await shadow.visitor().get('/sign-in')).text).not.toContain('Shadow');
  const later = await opened({ pay: { from: '2090-01-01T00:00:00Z' } });
  const { text } = await later.browser.get('/no-such-page');
  expect(textOf({ text })).toContain(
    'votes that arrive before 1 Jan 2090 00:00:00 UTC are paid by the other listener',
  );
});

test('a pause by another process is said on the next page', async () => {
  const { app, browser, json } = await opened({ rewards });
  await app.ledger.pause({ server: null, reward: null }, 'admin', systemClock.now());
  expect(await json()).toMatchObject({
    modes: [{ kind: 'paused', pause: { by: 'admin', server: null } }, { kind: 'practice' }],
  });
  expect((await browser.get('/')).text).toMatch(/all rewards have been paused since .+ by admin/);
});

test('the stream tells of a vote within a second', async () => {
  const { app, browser, console: pages } = await opened({ rewards });
  const events = await consoleEvents(browser, pages.url);
  await voteTo(app.listener.port);
  const sentAt = systemClock.monotonic();
  expect(await events.next()).toBe('change');
  expect(systemClock.monotonic() - sentAt).toBeLessThan(1_000);
});

test('the stream tells of a player who joined, because the game servers are asked while somebody watches', {
  timeout: 20_000,
}, async () => {
  const { app, browser, console: pages, json } = await opened({ rewards });
  await json();
  const events = await consoleEvents(browser, pages.url);
  app.practiceServers.get('main')?.join('Steve');
  await events.next();
  await expect
    .poll(async () => (await json()).gameServers[0].online.names, { timeout: 8_000 })
    .toEqual(['Steve']);
});

test('every page says how far the practice clock is ahead', async () => {
  const clock = practiceClockIn(temporaryFolder(), systemClock);
  const { json, browser } = await openConsole({}, clock);
  const kinds = async () => (await json()).modes.map(({ kind }) => kind);
  expect(await kinds()).not.toContain('practice-clock');
  await clock.advance(86_400_000);
  expect(await kinds()).toContain('practice-clock');
  for (const page of ['/', '/votes', '/rewards'])
    expect((await browser.get(page)).text).toMatch(/Practice clock[^<]* 24 h ahead of real time/);
});
