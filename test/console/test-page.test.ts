import { expect, test } from 'vitest';
import { systemClock } from '../../src/platform/clock.ts';
import { TOKEN } from '../support/config-folder.ts';
import { PASSWORD, practice } from '../support/rcon.ts';
import { runningConsole } from '../support/running-console.ts';
import { voteTo } from '../support/votes-to.ts';

const JSON_FORM = { accept: 'application/json' };
const rewards = [{ name: 'daily', commands: ['give {player} diamond 1'] }];
const VOTE = { player: 'Steve', service: 'My-List.com', version: 'v2' };
const MARKUP = '<img src=x onerror=alert(1)>';

async function opened(overrides: object = {}) {
  const running = await runningConsole(systemClock, { rewards, ...overrides });
  const browser = await running.operator();
  const page = (await browser.get('/test')).text;
  const json = async (path: string) => JSON.parse((await browser.get(path, JSON_FORM)).text);
  const send = async (path: string, fields: Record<string, string>) =>
    JSON.parse((await browser.post(path, fields, JSON_FORM)).text);
  return { ...running, browser, page, json, send };
}

test.each([
  ['v2', 'accepted', 'listener-v2'],
  ['v1', 'sent', 'listener-v1'],
])(
  'a vote of %s is sent to the listener, which answers %s, and is shown until it is paid',
  async (version, code, channel) => {
    const { browser, json } = await opened();
    const { to } = await browser.post('/test/votes', { ...VOTE, version });
    expect(to).toBe('/test/votes/1');
    await expect.poll(async () => (await json('/test/votes/1')).stored?.grants[0]?.state).toBe('delivered');
    const { result, stored } = await json('/test/votes/1');
    expect(result.code).toBe(code);
    expect(stored).toMatchObject({ player: 'Steve', service: 'My-List.com', channel, decision: 'rewarded' });
    const { text } = await browser.get('/test/votes/1');
    for (const part of [
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
  const { app, browser, json } = await opened();
  await voteTo(app.listener.port, 'Steve', 'My-List.com');
  await browser.post('/test/votes', VOTE);
  expect((await json('/test/votes/1')).stored.decision).toBe('cooldown');
  expect((await browser.get('/test/votes/1')).text).toContain('No reward came of this vote');
});

test('a vote that the listener refuses shows its answer, and never arrives', async () => {
  const { browser, json, send } = await opened();
  expect(await send('/test/votes', { ...VOTE, player: 'x'.repeat(64) })).toMatchObject({
    path: '/test/votes/1',
  });
  const { result, stored } = await json('/test/votes/1');
  expect([result.code, stored?.decision ?? null]).toEqual(['name-too-long', null]);
  expect((await browser.get('/test/votes/2')).status).toBe(404);
});

test.each([
  ['an empty name', { player: '  ' }, 'player'],
  ['a line break in the name', { player: 'Steve\nAlex' }, 'player'],
  ['an invisible character in the service name', { service: 'My\u202eList' }, 'service'],
  ['a service name of 129 characters', { service: 'x'.repeat(129) }, 'service'],
  ['a protocol that does not exist', { version: 'v3' }, 'version'],
])('%s is refused at its field, and nothing is sent', async (_, fields, field) => {
  const { send, json } = await opened();
  const refused = await send('/test/votes', { ...VOTE, ...fields });
  expect([refused.code, Object.keys(refused.faults)]).toEqual(['form-invalid', [field]]);
  expect((await json('/votes')).votes).toEqual([]);
});

test('a protocol that the listener does not accept is not offered', async () => {
  const { json, send } = await opened({ listener: { host: '127.0.0.1', port: 0, protocols: ['v2'] } });
  expect((await json('/test')).versions).toEqual(['v2']);
  expect((await send('/test/votes', { ...VOTE, version: 'v1' })).code).toBe('form-invalid');
});

test('a site without a token is refused with no-token', async () => {
  const { send } = await opened({ sites: { default: {} } });
  expect((await send('/test/votes', VOTE)).code).toBe('no-token');
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
  const { app, send, json, browser } = await opened();
  await send('/test/practice', { world: 'main', joining: 'Steve', move: 'join' });
  await voteTo(app.listener.port, 'Steve');
  await expect
    .poll(async () => (await json('/test')).practice)
    .toEqual([{ server: 'main', players: [{ name: 'Steve', items: { diamond: 1 } }] }]);
  expect((await browser.get('/test')).text).toContain('diamond');
  await send('/test/practice', { world: 'main', joining: 'Steve', move: 'leave' });
  expect((await json('/test')).practice).toEqual([{ server: 'main', players: [] }]);
});

test.each([
  [{ joining: MARKUP, move: 'join' }, 'not-a-name'],
  [{ joining: 'Alex', move: 'join' }, 'name-in-use'],
  [{ joining: 'Steve', move: 'leave' }, 'not-online'],
  [{ joining: '', move: 'join' }, 'form-invalid'],
  [{ joining: 'Steve', move: 'fly' }, 'form-invalid'],
  [{ joining: 'Steve', move: 'join', world: 'elsewhere' }, 'form-invalid'],
])('%j is refused with %s', async (fields, code) => {
  const { app, send } = await opened();
  app.practiceServers.get('main')?.join('Alex');
  expect((await send('/test/practice', { world: 'main', ...fields })).code).toBe(code);
});

test('nobody tests anything without signing in', async () => {
  const { visitor } = await opened();
  const stranger = visitor();
  await stranger.get('/sign-in');
  for (const path of ['/test/votes', '/test/practice'])
    expect((await stranger.post(path, {}, JSON_FORM)).status).toBe(403);
});
