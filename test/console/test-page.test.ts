import { expect, test } from 'vitest';
import { systemClock } from '../../src/platform/clock.ts';
import { TOKEN } from '../support/config-folder.ts';
import { loggedLines } from '../support/logged-lines.ts';
import { PASSWORD, practice } from '../support/rcon.ts';
import { runningConsole } from '../support/running-console.ts';
import { voteTo } from '../support/votes-to.ts';

const JSON_FORM = { accept: 'application/json' };
const rewards = [{ name: 'daily', commands: ['give {player} diamond 1'] }];
const VOTE = { player: 'Steve', service: 'My-List.com', version: 'v2' };
const MARKUP = '<img src=x onerror=alert(1)>';

async function opened(overrides: object = {}) {
  const { log, lines } = loggedLines();
  const running = await runningConsole(systemClock, { rewards, ...overrides }, log);
  const browser = await running.operator();
  const page = (await browser.get('/test')).text;
  const json = async (path: string) => JSON.parse((await browser.get(path, JSON_FORM)).text);
  const send = async (path: string, fields: Record<string, string>) =>
    JSON.parse((await browser.post(path, fields, JSON_FORM)).text);
  return { ...running, browser, page, json, send, lines };
}

async function withRealServer() {
  const server = await practice();
  const { port } = server;
  const main = { kind: 'rcon', host: '127.0.0.1', port, password: PASSWORD, joinDelay: '0s' };
  return { server, ...(await opened({ gameServers: { main } })) };
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
  expect((await withRealServer()).page).toContain('The player is paid for real');
  expect((await opened()).page).not.toContain('The player is paid for real');
});

test('a command runs at once on a practice server, and its outcome and reply are shown', async () => {
  const { app, browser, json, lines } = await opened();
  app.practiceServers.get('main')?.join('Steve');
  const { to } = await browser.post('/test/commands', { server: 'main', command: 'give Steve diamond 3' });
  expect(await json(to ?? '')).toMatchObject({ outcome: 'delivered', code: null });
  expect((await browser.get('/test/commands/1')).text).toContain('Gave 3 [Diamond] to Steve');
  expect(app.practiceServers.get('main')?.inventory('Steve')).toEqual({ diamond: 3 });
  const { fields } = lines.find(({ code }) => code === 'test-command') ?? {};
  expect(fields).toMatchObject({
    by: 'console from 127.0.0.1 by link',
    server: 'main',
    command: 'give Steve diamond 3',
  });
});

test('a command that the game server does not know, or whose player is away, is not delivered', async () => {
  const { send } = await opened();
  const outcome = async (command: string) =>
    (await send('/test/commands', { server: 'main', command })).outcome;
  expect(await outcome('no-such-command')).toBe('refused');
  expect(await outcome('give Steve diamond 1')).toBe('player-offline');
});

test('a command is refused by a real game server until it is confirmed', async () => {
  const { server, browser, send } = await withRealServer();
  const fields = { server: 'main', command: `say ${MARKUP}` };
  expect((await send('/test/commands', fields)).code).toBe('confirm-first');
  const { text } = await browser.post('/test/commands', fields);
  expect(text).toContain('name="confirmed" value="yes"');
  expect(text).not.toContain('<img');
  expect(server.commands().filter(({ command }) => command.startsWith('say'))).toEqual([]);
  expect((await send('/test/commands', { ...fields, confirmed: 'yes' })).outcome).toBe('delivered');
});

test('a game server that is away leaves the command unsent, with the reason', async () => {
  const { server, send } = await withRealServer();
  await server.close();
  const ran = await send('/test/commands', { server: 'main', command: 'list', confirmed: 'yes' });
  expect([ran.outcome, ran.reply]).toEqual(['not-sent', null]);
});

test.each([
  [{ server: 'main', command: '' }, 'command'],
  [{ server: 'main', command: 'say a\nop Steve' }, 'command'],
  [{ server: 'elsewhere', command: 'list' }, 'server'],
])('%j is refused', async (fields, field) => {
  const { send } = await opened();
  const refused = await send('/test/commands', fields);
  expect([refused.code, Object.keys(refused.faults)]).toEqual(['form-invalid', [field]]);
});

test('a reply that is markup is shown as text', async () => {
  const { browser } = await opened();
  await browser.post('/test/commands', { server: 'main', command: `${MARKUP} now` });
  expect((await browser.get('/test/commands/1')).text).not.toContain('<img');
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
  for (const path of ['/test/votes', '/test/commands', '/test/practice'])
    expect((await stranger.post(path, {}, JSON_FORM)).status).toBe(403);
});
