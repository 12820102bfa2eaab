import { expect, test } from 'vitest';
import { systemClock } from '../../../src/platform/clock.ts';
import { practiceClockIn } from '../../../src/platform/practice-clock.ts';
import { TOKEN } from '../../support/config-folder.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { PASSWORD, practice } from '../../support/rcon.ts';
import { voteTo } from '../../support/votes-to.ts';
import { type OpenConsole, openConsole } from './open-console.ts';
import { textOf } from '../../support/page-text.ts';

const DAILY = [{ name: 'daily', commands: ['give {player} diamond 1'] }];
const rcon = (port: number, password = PASSWORD) => ({ kind: 'rcon', host: '127.0.0.1', port, password });

/** The steps of the guide: `✓` done, `→` current, `·` to do. */
async function steps({ browser }: OpenConsole): Promise<string[]> {
  const { text } = await browser.get('/');
  return [...text.matchAll(/<li class="step ([\w-]+)".*?step-title">(.*?)<\/p>/gs)].map(
    ([, state = '', title = '']) => `${{ done: '✓', current: '→' }[state] ?? '·'} ${textOf({ text: title })}`,
  );
}

const PAID = '✓ Done: See the first reward';

const AT_FIRST = [
  '→ Now: Send a test vote',
  '· See the first reward',
  '· Connect your game server',
  '· See a reward on your game server',
  '· Tell your listings where to send votes',
];

test('a first start is led from a test vote over the network to the first diamond', async () => {
  const one = await openConsole({ rewards: DAILY });
  expect(await steps(one)).toEqual(AT_FIRST);
  const { text } = await one.browser.get('/');
  expect(text).toContain('Send a test vote for Steve');
  const sent = await one.browser.post('/test/votes', {
    ...{ player: 'Steve', service: 'Teller test', version: 'v2', next: '/' },
  });
  expect([sent.status, sent.to]).toEqual([303, '/']);
  await expect
    .poll(() => steps(one))
    .toEqual([
      '✓ Done: Send a test vote',
      '✓ Done: See the first reward',
      '→ Now: Connect your game server',
      '· See a reward on your game server',
      '· Tell your listings where to send votes',
    ]);
  const after = await one.text();
  expect(after).toContain('Steve has 1 diamond.');
  expect(after).toContain('Send a test vote for Alex');
  expect(after).toContain('The last one was for Steve: vote 1.');
});

test('the steps are what has happened: a vote of a listing without a test vote leaves the first one open', async () => {
  const one = await openConsole({ rewards: DAILY });
  await voteTo(one.app.listener.port, 'Steve', 'List');
  await expect.poll(() => steps(one)).toContain(PAID);
  expect(await steps(one)).toEqual([
    '→ Now: Send a test vote',
    '✓ Done: See the first reward',
    '· Connect your game server',
    '· See a reward on your game server',
    '✓ Done: Tell your listings where to send votes',
  ]);
});

test('with a real game server the guide offers no test vote, because it would pay a real player', async () => {
  const server = await practice();
  const one = await openConsole({ rewards: DAILY, gameServers: { main: rcon(server.port) } });
  await expect.poll(() => steps(one)).toContain('✓ Done: Connect your game server');
  const { text } = await one.browser.get('/');
  expect(text).not.toContain('Send a test vote for');
  expect(textOf({ text })).toContain('A test vote now pays a real player');
});

test('after the game server, the guide asks for a reward there, and the vote that the Test page suggests keeps the listings open', async () => {
  const server = await practice();
  server.join('Alex');
  const one = await openConsole({ rewards: DAILY });
  await voteTo(one.app.listener.port, 'Steve', 'Teller test');
  await expect.poll(() => steps(one)).toContain(PAID);
  const entered = { replaces: 'main', name: 'main', host: '127.0.0.1', password: PASSWORD };
  const { page } = await one.act('/now/game-server', { ...entered, port: String(server.port) });
  await one.act('/now/game-server/write', { plan: /name="plan" value="([^"]+)"/.exec(page)?.[1] ?? '' });
  await expect.poll(() => steps(one)).toContain('→ Now: See a reward on your game server');
  expect(await one.text()).toContain('Choose another name than Steve');
  expect((await one.browser.get('/test')).text).toMatch(/name="service"[^>]*value="Teller test"/);
  await one.browser.post('/test/votes', { player: 'Alex', service: 'Teller test', version: 'v2' });
  await expect
    .poll(() => steps(one))
    .toEqual([
      '✓ Done: Send a test vote',
      '✓ Done: See the first reward',
      '✓ Done: Connect your game server',
      '✓ Done: See a reward on your game server',
      '→ Now: Tell your listings where to send votes',
    ]);
  expect(await one.text()).toContain('main paid daily to Alex.');
});

test('a step that a message did check off does not say that the player has nothing', async () => {
  const one = await openConsole({ rewards: [{ name: 'thanks', commands: ['say {player} voted'] }] });
  await voteTo(one.app.listener.port, 'Steve', 'Teller test');
  await expect.poll(() => steps(one)).toContain('✓ Done: See the first reward');
  const text = await one.text();
  expect(text).toContain('A reward was paid.');
  expect(text).not.toContain('has nothing');
});

test('a game server that does not accept the login is no done step', async () => {
  const server = await practice();
  const one = await openConsole({ gameServers: { main: rcon(server.port, 'not its password') } });
  await expect.poll(() => one.text()).toContain('main: The game server refused the password');
  expect(await steps(one)).toContain('· Connect your game server');
});

test('the guide ends with a real game server and the vote of a listing', async () => {
  const server = await practice();
  const one = await openConsole({
    ...{ rewards: DAILY, gameServers: { main: rcon(server.port) } },
    sites: { default: { token: TOKEN }, List: {} },
  });
  await voteTo(one.app.listener.port, 'Steve', 'List');
  await expect.poll(() => steps(one)).toEqual([]);
});

test('where no real game server can be connected, as in the loop, the guide ends with the first reward', async () => {
  const one = await openConsole({ rewards: DAILY }, practiceClockIn(temporaryFolder(), systemClock));
  expect(await steps(one)).toEqual(AT_FIRST.slice(0, 2));
  expect((await one.browser.get('/now/game-server')).status).toBe(404);
  await voteTo(one.app.listener.port, 'Steve', 'Teller test');
  await expect.poll(() => steps(one)).toEqual([]);
});

test('no token and no key is on the page: the guide leads to the page of keys', async () => {
  const { text } = await (await openConsole()).browser.get('/');
  expect(text).not.toContain(TOKEN);
  expect(text).toContain('href="/keys"');
});
