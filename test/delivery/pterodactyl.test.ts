import { expect, onTestFinished, test, vi } from 'vitest';
import { checked, connected, until } from '../kit/connected.ts';
import { API_KEY, CONSOLE_TOKEN, type PanelScript, panelGame } from '../kit/panel.ts';
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
  [401, '', 'not-sent', 'pterodactyl.not-let-in'],
  [403, '', 'not-sent', 'pterodactyl.not-let-in'],
  [404, '', 'not-sent', 'pterodactyl.no-server'],
  [409, '', 'not-sent', 'pterodactyl.not-ready'],
  [429, '', 'not-sent', 'http-busy'],
  [502, OFFLINE, 'not-sent', 'pterodactyl.offline'],
  [500, '', 'unknown', 'http-server-fault'],
  [502, '<h1>Bad Gateway</h1>', 'unknown', 'http-server-fault'],
  [504, '', 'unknown', 'http-server-fault'],
  [302, '', 'unknown', 'http-redirect'],
])('a command that is answered with HTTP %i %s is %s: %s', async (status, body, kind, reason) => {
  const { server, run } = await pair({ command: () => ({ status, body }) }, OFF);
  expect(await run('say hi')).toEqual({ kind, reason });
  if (kind === 'not-sent') expect(await server.open()).toMatchObject({ kind: 'resting', reason });
});

test('a key with a character that no header can hold is not sent', async () => {
  const { panel, run } = await pair({}, { ...OFF, apiKey: 'ptlc_key “of” the account' });
  expect(await run('say hi')).toEqual({ kind: 'not-sent', reason: 'pterodactyl.not-let-in' });
  expect(panel.asked).toEqual([]);
});

test('a command that the panel finds invalid is refused, with its words', async () => {
  const { run } = await pair({ command: () => ({ status: 422, body: 'too long' }) }, OFF);
  expect(await run('say hi')).toEqual({ kind: 'refused', reply: 'HTTP 422: too long' });
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

test('the console is read with a new token when the old one is about to expire, and opened again after its connection broke', async () => {
  const { panel, run } = await pair({ prints: () => [GAVE] });
  await run('say hi');
  panel.emit('token expiring');
  await until(() => panel.said.length === 2);
  const auth = { event: 'auth', args: [CONSOLE_TOKEN] };
  expect(panel.said).toEqual([auth, auth]);
  expect(await run('give Alex diamond 1')).toMatchObject({ reply: 'Gave 1 [Diamond] to Alex' });
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

test.each<readonly [string, PanelScript, object, string]>([
  ['an answer that is not understood', {}, {}, 'pterodactyl.list-unseen'],
  ['two answers', listing(ALEX, ALEX.replace('Alex', 'Herobrine')), {}, 'pterodactyl.list-twice'],
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

test('a panel that is busy is asked who is online less and less often', async () => {
  let isBusy = true;
  const script = listing(ALEX);
  const { panel, presence, server, clock } = await pair({
    ...script,
    command: () => ({ status: isBusy ? 429 : 204 }),
  });
  const busy = { kind: 'unreachable', reason: 'http-busy' };
  expect(await presence()).toEqual(busy);
  const asked = panel.commands().length;
  expect(await server.presence([])).toEqual(busy);
  expect(panel.commands()).toHaveLength(asked);
  clock.advance(1_000);
  expect(await presence()).toEqual(busy);
  expect(await server.open()).toEqual({ kind: 'resting', reason: 'http-busy', restMs: 2_000 });
  isBusy = false;
  clock.advance(2_000);
  expect(await presence()).toMatchObject({ kind: 'known', names: ['Alex'] });
  expect(await server.open()).toEqual({ kind: 'open' });
});

test.each<readonly [string, PanelScript, object, string, readonly string[]]>([
  ['who is online', listing(ALEX), {}, 'ok game-server', ['minecraft:list uuids']],
  ['without the console, that the panel has the server', {}, OFF, 'ok game-server', []],
  ['a server that the panel does not know', {}, { server: 'ffffffff' }, 'problem pterodactyl.no-server', []],
  [
    'a console that may not be read',
    { console: () => ({ status: 403 }) },
    ...([{}, 'warning pterodactyl.console-refused', []] as const),
  ],
])(
  'check says %s, without running anything or showing the key',
  async (_, script, settings, found, asked) => {
    const panel = await panelGame(script, settings);
    expect(await checked(panel.entry)).toEqual([found]);
    expect(panel.commands().filter((command) => !command.startsWith('data get storage'))).toEqual(asked);
  },
);

test('check warns of a panel without TLS on another machine, where the key could be read', async () => {
  const { entry } = await panelGame({}, OFF);
  const findings = await checked({ ...entry, url: `http://${'x'.repeat(64)}.invalid` });
  expect(findings).toEqual(['problem http-host-unknown', 'warning panel-plain']);
});
