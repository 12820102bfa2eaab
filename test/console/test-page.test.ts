import { expect, test } from 'vitest';
import { systemClock } from '../../src/platform/clock.ts';
import { TOKEN } from '../support/config-folder.ts';
import { faultsOf, rowsOf, textOf } from '../support/page-text.ts';
import { PASSWORD, practice } from '../support/rcon.ts';
import { runningConsole } from '../support/running-console.ts';
import { voteTo } from '../support/votes-to.ts';

const rewards = [{ name: 'daily', commands: ['give {player} diamond 1'] }];
const VOTE = { player: 'Steve', service: 'My-List.com', version: 'v2' };
const MARKUP = '<img src=x onerror=alert(1)>';

async function opened(overrides: object = {}) {
  const running = await runningConsole(systemClock, { rewards, ...overrides });
  const browser = await running.operator();
  const page = (await browser.get('/test')).text;
  return { ...running, browser, page };
}

test.each([
  ['v2', 'accepted', 'listener-v2'],
  ['v1', 'sent', 'listener-v1'],
])(
  'a vote of %s is sent to the listener, which answers %s, and is shown until it is paid',
  async (version, code, channel) => {
    const { app, browser } = await opened();
    const { to } = await browser.post('/test/votes', { ...VOTE, version });
    expect(to).toBe('/test/votes/1');
    await expect.poll(() => app.ledger.grantStates()).toEqual({ delivered: 1 });
    expect(await app.ledger.votes({ limit: 9 })).toMatchObject([
      { player: 'Steve', service: 'My-List.com', channel, decision: 'rewarded' },
    ]);
    const { text } = await browser.get('/test/votes/1');
    for (const part of [
      `<code>${code}</code>`,
      'Stored',
      'href="/votes/1"',
      'Decided',
      'Paid: <bdi>daily</bdi>',
      'give Steve diamond 1',
    ])
      expect(text).toContain(part);
  },
);

test.each([
  [
    'Teller test, so that no listed site loses a window',
    { default: { token: TOKEN }, List: {} },
    'Teller test',
  ],
  ['a listed site, if only its votes can be signed', { List: { token: TOKEN } }, 'List'],
])('the service that is suggested for a vote is %s', async (_, sites, service) => {
  const { page } = await opened({ sites });
  expect(/name="service"[^>]*value="([^"]*)"/.exec(page)?.[1]).toBe(service);
});

test('a vote that came too early shows its decision and that nothing was paid', async () => {
  const { app, browser } = await opened();
  await voteTo(app.listener.port, 'Steve', 'My-List.com');
  await browser.post('/test/votes', VOTE);
  const text = async () => textOf(await browser.get('/test/votes/1'));
  await expect.poll(text).toContain('No reward came of this vote');
  expect(await text()).toContain('Decided too early');
});

test('a vote that the listener refuses shows its answer, and never arrives', async () => {
  const { app, browser } = await opened();
  expect((await browser.post('/test/votes', { ...VOTE, player: 'x'.repeat(64) })).to).toBe('/test/votes/1');
  const { text } = await browser.get('/test/votes/1');
  for (const part of ['The vote was not accepted.', 'name-too-long']) expect(text).toContain(part);
  expect(await app.ledger.votes({ limit: 1 })).toEqual([]);
  expect((await browser.get('/test/votes/2')).status).toBe(404);
});

test.each([
  ['an empty name', { player: '  ' }, 'player'],
  ['a line break in the name', { player: 'Steve\nAlex' }, 'player'],
  ['an invisible character in the service name', { service: 'My\u202eList' }, 'service'],
  ['a service name of 129 characters', { service: 'x'.repeat(129) }, 'service'],
  ['a protocol that does not exist', { version: 'v3' }, 'version'],
])('%s is refused at its field, and nothing is sent', async (_, fields, field) => {
  const { app, browser } = await opened();
  const refused = await browser.post('/test/votes', { ...VOTE, ...fields });
  expect([refused.status, faultsOf(refused.text)]).toEqual([422, [field]]);
  expect(await app.ledger.votes({ limit: 1 })).toEqual([]);
});

test('a protocol that the listener does not accept is not offered', async () => {
  const { browser, page } = await opened({ listener: { host: '127.0.0.1', port: 0, protocols: ['v2'] } });
  expect([page.includes('value="v2"'), page.includes('value="v1"')]).toEqual([true, false]);
  expect(faultsOf((await browser.post('/test/votes', { ...VOTE, version: 'v1' })).text)).toEqual(['version']);
});

test('a site without a token is refused, and why is said at its name', async () => {
  const { browser } = await opened({ sites: { default: {} } });
  const { text } = await browser.post('/test/votes', VOTE);
  expect([faultsOf(text), text.includes('no token is set')]).toEqual([['service'], true]);
});

test('a service name that is markup is shown as text', async () => {
  const { browser } = await opened();
  await browser.post('/test/votes', { ...VOTE, service: MARKUP, player: MARKUP });
  const { text } = await browser.get('/test/votes/1');
  expect(text).toContain('&lt;img');
  expect(text).not.toContain('<img');
});

test('a vote is said to be paid for real only if a game server is real and this Teller pays', async () => {
  const { port } = await practice();
  const main = { kind: 'rcon', host: '127.0.0.1', port, password: PASSWORD };
  expect((await opened({ gameServers: { main } })).page).toContain('The player is paid for real');
  expect((await opened()).page).not.toContain('The player is paid for real');
});

test('players join and leave a practice server, and their inventories are shown', async () => {
  const { app, browser } = await opened();
  const players = async () => rowsOf((await browser.get('/test')).text, 'Players on practice servers');
  await browser.post('/test/practice', { world: 'main', joining: 'Steve', move: 'join' });
  await voteTo(app.listener.port, 'Steve');
  await expect.poll(players).toMatchObject([{ Player: 'Steve', On: 'main', Has: '1 diamond' }]);
  await browser.post('/test/practice', { world: 'main', joining: 'Steve', move: 'leave' });
  expect(await players()).toEqual([]);
});

test.each([
  [{ joining: MARKUP, move: 'join' }, 'No player can have this name.'],
  [{ joining: 'Alex', move: 'join' }, 'A player with this name is online already.'],
  [{ joining: 'Steve', move: 'leave' }, 'The player is not online any more.'],
  [{ joining: '', move: 'join' }, 'Name is missing.'],
  [{ joining: 'Steve', move: 'fly' }, 'Action'],
  [{ joining: 'Steve', move: 'join', world: 'elsewhere' }, 'Practice server'],
])('%j is refused: %s', async (fields, said) => {
  const { app, browser } = await opened();
  app.practiceServers.get('main')?.join('Alex');
  const sent = await browser.post('/test/practice', { world: 'main', ...fields });
  const { text } = sent.to === null ? sent : await browser.get(sent.to);
  const [, alert = ''] = /role="alert"(.*?)<\/div>\s*<\/div>/s.exec(text) ?? [];
  expect(textOf({ text: alert })).toContain(said);
  expect(app.practiceServers.get('main')?.players()).toEqual(['Alex']);
});

test('nobody tests anything without signing in', async () => {
  const { visitor } = await opened();
  const stranger = visitor();
  await stranger.get('/sign-in');
  for (const path of ['/test/votes', '/test/practice']) expect((await stranger.post(path)).status).toBe(403);
});
