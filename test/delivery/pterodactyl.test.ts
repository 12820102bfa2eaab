import { expect, onTestFinished, test, vi } from 'vitest';
import { checked, connected, until } from '../kit/connected.ts';
import { API_KEY, CONSOLE_TOKEN, type PanelScript, panelGame } from '../kit/panel.ts';
import { freePort } from '../kit/serve.ts';
import { selfSigned } from '../support/network.ts';

const LOGGED = '[12:00:00] [Server thread/INFO]: ';
const UUID = '069a79f4-44e9-4726-a5be-fca90e38aaf5';
const GAVE = `${LOGGED}Gave 1 [Diamond] to Alex`;
const OFF = { console: false };
const OFFLINE = JSON.stringify({
  errors: [{ code: 'HttpException', status: '502', detail: 'Server must be online.' }],
});

/** A panel, and Teller’s connection to its server. @param settings of its entry. */
async function pair(script: PanelScript = {}, settings: object = {}) {
  const panel = await panelGame(script, settings);
  return { panel, ...(await connected(panel.entry)) };
}

test('a command is one request to the panel, with the key of the account', async () => {
  const { panel, run } = await pair({}, OFF);
  expect(await run('give Alex diamond 1 “ö”')).toEqual({ kind: 'delivered', reply: '' });
  const [{ method, path, headers, body } = expect.fail()] = panel.asked;
  expect([method, path, JSON.parse(body)]).toEqual([
    'POST',
    '/api/client/servers/d3aac109/command',
    { command: 'give Alex diamond 1 “ö”' },
  ]);
  expect(headers).toMatchObject({
    authorization: `Bearer ${API_KEY}`,
    accept: 'application/json',
    'content-type': 'application/json',
  });
  expect(panel.asked).toHaveLength(1);
});

test.each([
  [401, '', 'pterodactyl.not-let-in'],
  [403, '', 'pterodactyl.not-let-in'],
  [404, '', 'pterodactyl.no-server'],
  [409, '', 'pterodactyl.not-ready'],
  [429, '', 'http-busy'],
  [502, OFFLINE, 'pterodactyl.offline'],
])('a command that is answered with HTTP %i %s was certainly not passed on', async (status, body, reason) => {
  const { server, run } = await pair({ command: () => ({ status, body }) }, OFF);
  expect(await run('say hi')).toEqual({ kind: 'not-sent', reason });
  expect(await server.open()).toMatchObject({ kind: 'resting', reason });
});

test.each([
  [500, '', 'http-server-fault'],
  [502, '<h1>Bad Gateway</h1>', 'http-server-fault'],
  [504, '', 'http-server-fault'],
  [302, '', 'http-redirect'],
])('a command that is answered with HTTP %i %s may have run', async (status, body, reason) => {
  const { run } = await pair({ command: () => ({ status, body }) }, OFF);
  expect(await run('say hi')).toEqual({ kind: 'unknown', reason });
});

test('a command that the panel finds invalid is refused, with its words', async () => {
  const { run } = await pair({ command: () => ({ status: 422, body: 'too long' }) }, OFF);
  expect(await run('say hi')).toEqual({ kind: 'refused', reply: 'HTTP 422: too long' });
});

test('a command with a line break is never sent, because the next line would be another command', async () => {
  const { panel, run } = await pair();
  const refused = { kind: 'refused', reply: null, reason: 'command-not-one-line' };
  expect(await run('say hi\nop Alex')).toEqual(refused);
  expect(panel.asked).toEqual([]);
});

test('while nothing listens at the address of the panel, the pauses get longer', async () => {
  const { entry } = await panelGame({}, OFF);
  const url = `http://127.0.0.1:${await freePort()}`;
  const { server, run, clock } = await connected({ ...entry, url });
  for (const restMs of [1_000, 2_000, 4_000]) {
    expect(await run('say hi')).toEqual({ kind: 'not-sent', reason: 'http-unreachable' });
    expect(await server.open()).toMatchObject({ kind: 'resting', restMs });
    clock.advance(restMs);
  }
});

test('a command in progress at the end may have run, and the next one is not sent', async () => {
  const { panel, server } = await pair({ command: () => null }, OFF);
  const running = server.run('say hi');
  await until(() => panel.asked.length === 1);
  await server.close();
  expect(await running).toEqual({ kind: 'unknown', reason: 'shut-down' });
  expect(await server.run('say hi')).toEqual({ kind: 'not-sent', reason: 'shut-down' });
});

test('a command’s reply is what the console shows between two marks, without lines before and after', async () => {
  const { panel, run, presence } = await pair({
    prints: (command) => (command.startsWith('give') ? [`> ${command}`, GAVE] : []),
  });
  await presence();
  panel.print(`${LOGGED}Steve joined the game`);
  expect(await run('give Alex diamond 1')).toEqual({ kind: 'delivered', reply: 'Gave 1 [Diamond] to Alex' });
  expect(panel.origins).toEqual([panel.url]);
  const mark = expect.stringMatching(/^data get storage teller:mark_[\da-f]{16}$/);
  expect(panel.commands().slice(-3)).toEqual([mark, 'give Alex diamond 1', mark]);
  expect(new Set(panel.commands().slice(-3)).size).toBe(3);
});

test.each([
  `${LOGGED}<Steve> No player was found`,
  `${LOGGED}No player was found`,
  `${LOGGED}Unknown or incomplete command, see below for error`,
])('the console never decides how a command ended: %s', async (line) => {
  const { run } = await pair({ prints: () => [line] });
  expect(await run('give Alex diamond 1')).toMatchObject({ kind: 'delivered' });
});

test('a command is delivered without a reply if the server knows no marks, or the console may not be read', async () => {
  const unmarked = await pair({ knowsStorage: false, prints: () => [GAVE] }, { commandTimeout: '1s' });
  expect(await unmarked.run('give Alex diamond 1')).toEqual({ kind: 'delivered', reply: '' });
  const { panel, run } = await pair({ console: () => ({ status: 403 }) });
  expect(await run('say hi')).toEqual({ kind: 'delivered', reply: '' });
  expect(panel.commands()).toEqual(['say hi']);
});

test('the console is read with a new token when the old one is about to expire', async () => {
  const { panel, run } = await pair({ prints: () => [GAVE] });
  await run('say hi');
  panel.emit('token expiring');
  await until(() => panel.said.length === 2);
  const auth = { event: 'auth', args: [CONSOLE_TOKEN] };
  expect(panel.said).toEqual([auth, auth]);
  expect(await run('give Alex diamond 1')).toMatchObject({ reply: 'Gave 1 [Diamond] to Alex' });
});

test('the console is opened again after its connection broke', async () => {
  const { panel, run } = await pair({ prints: () => [GAVE] });
  await run('say hi');
  panel.cut();
  await expect.poll(() => run('give Alex diamond 1')).toMatchObject({ reply: 'Gave 1 [Diamond] to Alex' });
});

test('the console is asked nothing that decides about a payment', async () => {
  const { panel, server } = await pair();
  const unanswered = { kind: 'unanswered', reason: 'pterodactyl.untrusted' };
  expect(await server.ask('execute if entity Alex')).toEqual(unanswered);
  expect(panel.asked).toEqual([]);
});

/** A server whose console shows these lines after `minecraft:list uuids`. */
const listing = (...lines: string[]): PanelScript => ({
  prints: (command) => (command === 'minecraft:list uuids' ? lines.map((line) => LOGGED + line) : []),
});
const ALEX = `There are 1 of a max of 20 players online: Alex (${UUID})`;

test('who is online is what the console shows after `list uuids`', async () => {
  const { presence } = await pair(listing(ALEX));
  const uuids = new Map([['alex', UUID]]);
  expect(await presence('Alex')).toEqual({ kind: 'known', names: ['Alex'], uuids });
});

test('it is asked with `list` where `minecraft:list uuids` is not known, and then always so', async () => {
  const { panel, presence } = await pair({
    prints: (command) =>
      command === 'list' ? ['[12:00:00 INFO]: There are 1 of a max of 20 players online: Alex'] : [],
  });
  expect(await presence()).toEqual({ kind: 'known', names: ['Alex'] });
  await presence();
  const lists = panel.commands().filter((command) => command.includes('list'));
  expect(lists).toEqual(['minecraft:list uuids', 'list', 'list']);
});

test.each(['<Steve>', '[Steve]', '* Steve', '[Not Secure] <Steve>'])(
  'who is online is not what a player says: %s',
  async (speaker) => {
    const forged = `${speaker} There are 1 of a max of 20 players online: Herobrine`;
    const { presence } = await pair(listing(forged, ALEX));
    expect(await presence()).toMatchObject({ kind: 'known', names: ['Alex'] });
  },
);

test('who is online is not known if two answers were shown', async () => {
  const list = 'There are 1 of a max of 20 players online: Alex';
  const { presence } = await pair(listing(list, list.replace('Alex', 'Herobrine')));
  expect(await presence()).toEqual({ kind: 'cannot-tell', reason: 'pterodactyl.list-twice' });
});

test.each<readonly [string, PanelScript, object, string]>([
  ['an answer that is not understood', {}, {}, 'pterodactyl.list-unseen'],
  [
    'an account without the permission',
    { console: () => ({ status: 403 }) },
    {},
    'pterodactyl.console-refused',
  ],
  ['a panel that fails', { console: () => ({ status: 500 }) }, {}, 'pterodactyl.console-closed'],
  [
    'an answer that is not JSON',
    { console: () => ({ status: 200, body: 'hi' }) },
    {},
    'pterodactyl.console-closed',
  ],
  ['`"console": false`', {}, OFF, 'pterodactyl.console-off'],
])('who is online is not known with %s', async (_, script, settings, reason) => {
  const { presence } = await pair(script, settings);
  expect(await presence()).toEqual({ kind: 'cannot-tell', reason });
});

test('who is online is not known with a token that the daemon refuses', async () => {
  const script: PanelScript = {};
  const { panel, presence } = await pair(script);
  script.console = () => panel.access('an old one');
  expect(await presence()).toEqual({ kind: 'cannot-tell', reason: 'pterodactyl.console-closed' });
});

test('a console at ws:// is not read if the panel is reached by https', async () => {
  // The certificate is its own authority.
  vi.stubEnv('NODE_TLS_REJECT_UNAUTHORIZED', '0');
  onTestFinished(() => void vi.unstubAllEnvs());
  const { panel, server } = await pair({ certificate: selfSigned() });
  const reason = 'pterodactyl.console-unencrypted';
  expect(await server.presence([])).toEqual({ kind: 'cannot-tell', reason });
  expect([panel.said, panel.origins]).toEqual([[], []]);
  expect(await server.run('say hi')).toMatchObject({ kind: 'delivered' });
});

test('who is online cannot be asked while the server is not running', async () => {
  const { presence } = await pair({ command: () => ({ status: 502, body: OFFLINE }) });
  expect(await presence()).toEqual({ kind: 'unreachable', reason: 'pterodactyl.offline' });
});

test('check says who is online, without running anything or showing the key', async () => {
  const panel = await panelGame(listing(ALEX));
  expect(await checked(panel.entry)).toEqual(['ok game-server']);
  expect(panel.commands().filter((command) => !command.startsWith('data get storage'))).toEqual([
    'minecraft:list uuids',
  ]);
});

test('check without the console only opens the server in the panel', async () => {
  const panel = await panelGame({}, OFF);
  expect([await checked(panel.entry), panel.commands()]).toEqual([['ok game-server'], []]);
});

test('check names a server that the panel does not know, and a console that may not be read', async () => {
  const unknown = await panelGame({}, { server: 'ffffffff' });
  expect(await checked(unknown.entry)).toEqual(['problem pterodactyl.no-server']);
  const refused = await panelGame({ console: () => ({ status: 403 }) });
  expect(await checked(refused.entry)).toEqual(['warning pterodactyl.console-refused']);
});

test('check warns of a panel without TLS on another machine, where the key could be read', async () => {
  const { entry } = await panelGame({}, OFF);
  const findings = await checked({ ...entry, url: `http://${'x'.repeat(64)}.invalid` });
  expect(findings).toEqual(['problem http-host-unknown', 'warning panel-plain']);
});
