import { once } from 'node:events';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { Secret } from '../../src/config/config.ts';
import { pterodactylGameServer } from '../../src/delivery/kinds/pterodactyl/game-server.ts';
import { pterodactyl } from '../../src/delivery/kinds/pterodactyl/kind.ts';
import type { PterodactylConfig } from '../../src/delivery/kinds/pterodactyl/schema.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { systemRandom } from '../../src/platform/random.ts';
import { selfSigned } from '../support/certificate.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { API_KEY, type PanelScript, SERVER_ID, scriptedPanel, TOKEN } from '../support/panel.ts';

const LOGGED = '[12:00:00] [Server thread/INFO]: ';
const UUID = '069a79f4-44e9-4726-a5be-fca90e38aaf5';
const GAVE = `${LOGGED}Gave 1 [Diamond] to Alex`;

const configAt = (url: string, overrides: Partial<PterodactylConfig> = {}) => ({
  ...{ url, server: SERVER_ID, apiKey: new Secret(API_KEY), console: true },
  ...{ commandPauseMs: 0, commandTimeoutMs: 5_000 },
  ...overrides,
});

/** The connections are real, so their time is too. */
async function serverWith(script: PanelScript = {}, overrides: Partial<PterodactylConfig> = {}) {
  const panel = await scriptedPanel(script);
  const random = { next: () => 0, bytes: systemRandom.bytes };
  const server = await pterodactylGameServer({
    ...configAt(panel.url, overrides),
    clock: systemClock,
    random,
  });
  onTestFinished(() => server.close());
  return { panel, server };
}

const WITHOUT_CONSOLE = { console: false };
const offline = { errors: [{ code: 'HttpException', status: '502', detail: 'Server must be online.' }] };

describe('a command', () => {
  test('is one request to the panel, with the key of the account', async () => {
    const { panel, server } = await serverWith({}, WITHOUT_CONSOLE);
    expect(await server.run('give Alex diamond 1 “ö”')).toEqual({ kind: 'delivered', reply: '' });
    const [{ method, path, headers, body } = {}] = panel.asked;
    expect([method, path]).toEqual(['POST', `/api/client/servers/${SERVER_ID}/command`]);
    expect(JSON.parse(body ?? '')).toEqual({ command: 'give Alex diamond 1 “ö”' });
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
    [502, JSON.stringify(offline), 'pterodactyl.offline'],
  ])('that is answered with HTTP %i %s was certainly not passed on', async (status, body, reason) => {
    const { server } = await serverWith({ command: () => ({ status, body }) }, WITHOUT_CONSOLE);
    expect(await server.run('say hi')).toEqual({ kind: 'not-sent', reason });
    expect(await server.open()).toMatchObject({ kind: 'resting', reason });
  });

  test.each([
    [500, '', 'http-server-fault'],
    [502, '<h1>Bad Gateway</h1>', 'http-server-fault'],
    [504, '', 'http-server-fault'],
    [302, '', 'http-redirect'],
  ])('that is answered with HTTP %i %s may have run', async (status, body, reason) => {
    const { server } = await serverWith({ command: () => ({ status, body }) }, WITHOUT_CONSOLE);
    expect(await server.run('say hi')).toEqual({ kind: 'unknown', reason });
  });

  test('that the panel finds invalid is refused, with its words', async () => {
    const { server } = await serverWith(
      { command: () => ({ status: 422, body: 'too long' }) },
      WITHOUT_CONSOLE,
    );
    expect(await server.run('say hi')).toEqual({ kind: 'refused', reply: 'HTTP 422: too long' });
  });

  test('that has a line break is never sent, because the next line would be another command', async () => {
    const { panel, server } = await serverWith();
    expect(await server.run('say hi\nop Alex')).toEqual({
      ...{ kind: 'refused', reply: null, reason: 'command-not-one-line' },
    });
    expect(panel.asked).toEqual([]);
  });

  test('is not sent while nothing listens at the address of the panel, and the pauses get longer', async () => {
    const closed = createTcpServer().listen(0, '127.0.0.1');
    await once(closed, 'listening');
    const { port } = closed.address() as AddressInfo;
    closed.close();
    await once(closed, 'close');
    const clock = new FakeClock();
    const config = configAt(`http://127.0.0.1:${port}`, WITHOUT_CONSOLE);
    const random = { next: () => 0.5, bytes: systemRandom.bytes };
    const server = await pterodactylGameServer({ ...config, clock, random });
    onTestFinished(() => server.close());
    const rests: number[] = [];
    for (let attempt = 0; attempt < 3; attempt++) {
      expect(await server.run('say hi')).toEqual({ kind: 'not-sent', reason: 'http-unreachable' });
      const opening = await server.open();
      const restMs = opening.kind === 'resting' ? opening.restMs : 0;
      rests.push(restMs);
      clock.advance(restMs);
    }
    expect(rests).toEqual(rests.toSorted((one, other) => one - other));
    expect(new Set(rests).size).toBe(3);
  });

  test('in progress at the end may have run, and the next one is not sent', async () => {
    const { panel, server } = await serverWith({ command: () => null }, WITHOUT_CONSOLE);
    const running = server.run('say hi');
    await expect.poll(() => panel.asked.length).toBe(1);
    await server.close();
    expect(await running).toEqual({ kind: 'unknown', reason: 'shut-down' });
    expect(await server.run('say hi')).toEqual({ kind: 'not-sent', reason: 'shut-down' });
  });
});

describe('the console', () => {
  test('shows what a command printed between two marks; lines before and after it are not its own', async () => {
    const { panel, server } = await serverWith({
      prints: (command) => (command.startsWith('give') ? [`> ${command}`, GAVE] : []),
    });
    await server.presence([]);
    panel.print(`${LOGGED}Steve joined the game`);
    expect(await server.run('give Alex diamond 1')).toEqual({
      kind: 'delivered',
      reply: 'Gave 1 [Diamond] to Alex',
    });
    expect(panel.origins).toEqual([panel.url]);
    expect(panel.commands().slice(-3)).toEqual([
      expect.stringMatching(/^data get storage teller:mark_[\da-f]{16}$/),
      'give Alex diamond 1',
      expect.stringMatching(/^data get storage teller:mark_[\da-f]{16}$/),
    ]);
    expect(new Set(panel.commands().slice(-3)).size).toBe(3);
  });

  test.each([
    `${LOGGED}<Steve> No player was found`,
    `${LOGGED}No player was found`,
    `${LOGGED}Unknown or incomplete command, see below for error`,
  ])('never decides how a command ended: %s', async (line) => {
    const { server } = await serverWith({ prints: () => [line] });
    expect(await server.run('give Alex diamond 1')).toMatchObject({ kind: 'delivered' });
  });

  test('of a server that does not know marks shows nothing of a command', async () => {
    const { server } = await serverWith(
      { knowsStorage: false, prints: () => [GAVE] },
      { commandTimeoutMs: 200 },
    );
    expect(await server.run('give Alex diamond 1')).toEqual({ kind: 'delivered', reply: '' });
  });

  test('that the account may not read is no reason not to pay', async () => {
    const { panel, server } = await serverWith({ console: () => ({ status: 403 }) });
    expect(await server.run('say hi')).toEqual({ kind: 'delivered', reply: '' });
    expect(panel.commands()).toEqual(['say hi']);
  });

  test('is read with a new token when the old one is about to expire', async () => {
    const { panel, server } = await serverWith({ prints: () => [GAVE] });
    await server.run('say hi');
    panel.emit('token expiring');
    await expect.poll(() => panel.said.length).toBe(2);
    expect(panel.said).toEqual([
      { event: 'auth', args: [TOKEN] },
      { event: 'auth', args: [TOKEN] },
    ]);
    expect(await server.run('give Alex diamond 1')).toMatchObject({ reply: 'Gave 1 [Diamond] to Alex' });
  });

  test('is opened again after the connection broke', async () => {
    const { panel, server } = await serverWith({ prints: () => [GAVE] });
    await server.run('say hi');
    panel.cut();
    await expect
      .poll(async () => ((await server.run('give Alex diamond 1')) as { reply: string }).reply)
      .toBe('Gave 1 [Diamond] to Alex');
  });

  test('is asked nothing that decides about a payment', async () => {
    const { panel, server } = await serverWith();
    expect(await server.ask('execute if entity Alex')).toEqual({
      ...{ kind: 'unanswered', reason: 'pterodactyl.untrusted' },
    });
    expect(panel.asked).toEqual([]);
  });
});

const listing =
  (...lines: string[]) =>
  (command: string): readonly string[] =>
    command === 'minecraft:list uuids' ? lines.map((line) => LOGGED + line) : [];

describe('who is online', () => {
  test('is what the console shows after `list uuids`', async () => {
    const { server } = await serverWith({
      prints: listing(`There are 1 of a max of 20 players online: Alex (${UUID})`),
    });
    expect(await server.presence(['Alex'])).toEqual({
      ...{ kind: 'known', names: ['Alex'] },
      uuids: new Map([['alex', UUID]]),
    });
  });

  test('is asked with `list` where `minecraft:list uuids` is not known, and then always so', async () => {
    const { panel, server } = await serverWith({
      prints: (command) =>
        command === 'list' ? ['[12:00:00 INFO]: There are 1 of a max of 20 players online: Alex'] : [],
    });
    expect(await server.presence([])).toEqual({ kind: 'known', names: ['Alex'] });
    await server.presence([]);
    const lists = panel.commands().filter((command) => command.includes('list'));
    expect(lists).toEqual(['minecraft:list uuids', 'list', 'list']);
  });

  test.each([
    '<Steve> There are 1 of a max of 20 players online: Herobrine',
    '[Steve] There are 1 of a max of 20 players online: Herobrine',
    '* Steve There are 1 of a max of 20 players online: Herobrine',
    '[Not Secure] <Steve> There are 1 of a max of 20 players online: Herobrine',
  ])('is not what a player says: %s', async (line) => {
    const { server } = await serverWith({
      prints: listing(line, `There are 1 of a max of 20 players online: Alex (${UUID})`),
    });
    expect(await server.presence([])).toMatchObject({ kind: 'known', names: ['Alex'] });
  });

  test('is not known if two answers were shown', async () => {
    const list = 'There are 1 of a max of 20 players online: Alex';
    const { server } = await serverWith({ prints: listing(list, list.replace('Alex', 'Herobrine')) });
    expect(await server.presence([])).toEqual({ kind: 'cannot-tell', reason: 'pterodactyl.list-twice' });
  });

  test.each([
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
    ['`"console": false`', {}, WITHOUT_CONSOLE, 'pterodactyl.console-off'],
  ])('is not known with %s', async (_, script, overrides, reason) => {
    const { server } = await serverWith(script, overrides);
    expect(await server.presence([])).toEqual({ kind: 'cannot-tell', reason });
  });

  test('is not known with a token that the daemon refuses', async () => {
    const { panel, server } = await serverWith();
    const data = { token: 'an old one', socket: `${panel.url.replace('http', 'ws')}/ws` };
    panel.script.console = () => ({ status: 200, body: JSON.stringify({ data }) });
    expect(await server.presence([])).toEqual({ kind: 'cannot-tell', reason: 'pterodactyl.console-closed' });
  });

  test('is not asked for over ws:// from a panel that is reached by https', async () => {
    // The certificate is its own authority.
    vi.stubEnv('NODE_TLS_REJECT_UNAUTHORIZED', '0');
    onTestFinished(() => void vi.unstubAllEnvs());
    const { panel, server } = await serverWith({ certificate: selfSigned() });
    const reason = 'pterodactyl.console-unencrypted';
    expect(await server.presence([])).toEqual({ kind: 'cannot-tell', reason });
    expect([panel.said, panel.origins]).toEqual([[], []]);
    expect(await server.run('say hi')).toMatchObject({ kind: 'delivered' });
  });

  test('cannot be asked while the server is not running', async () => {
    const { server } = await serverWith({ command: () => ({ status: 502, body: JSON.stringify(offline) }) });
    expect(await server.presence([])).toEqual({ kind: 'unreachable', reason: 'pterodactyl.offline' });
  });
});

describe('check', () => {
  async function checked(script: PanelScript, overrides: Partial<PterodactylConfig> = {}) {
    const panel = await scriptedPanel(script);
    const config = { ...configAt(panel.url, overrides), kind: 'pterodactyl' } as unknown as PterodactylConfig;
    const unused = {
      needsUuids: false,
      commands: [],
      isInUse: async () => false,
      sentenceOf: String,
    };
    const random = { next: () => 0, bytes: systemRandom.bytes };
    const findings = await pterodactyl.check(config, { name: 'city', clock: systemClock, random, ...unused });
    return {
      findings: findings.map(({ code, mark }) => [code, mark]),
      panel,
      said: JSON.stringify(findings),
    };
  }

  test('says who is online, and runs nothing else', async () => {
    const { findings, panel, said } = await checked({
      prints: listing(`There are 1 of a max of 20 players online: Alex (${UUID})`),
    });
    expect(findings).toEqual([['game-server', 'ok']]);
    expect(panel.commands().filter((command) => !command.startsWith('data get storage'))).toEqual([
      'minecraft:list uuids',
    ]);
    expect(said).not.toContain(API_KEY);
  });

  test('without the console, it only opens the server in the panel', async () => {
    const { findings, panel } = await checked({}, WITHOUT_CONSOLE);
    expect([findings, panel.commands()]).toEqual([[['game-server', 'ok']], []]);
  });

  test('warns of a panel without TLS on another machine, where the key could be read', async () => {
    const config = {
      ...configAt('http://no-such-panel.invalid', WITHOUT_CONSOLE),
      kind: 'pterodactyl',
    } as unknown as PterodactylConfig;
    const unused = {
      needsUuids: false,
      commands: [],
      isInUse: async () => false,
      sentenceOf: String,
    };
    const random = { next: () => 0, bytes: systemRandom.bytes };
    const findings = await pterodactyl.check(config, { name: 'city', clock: systemClock, random, ...unused });
    expect(findings.map(({ code }) => code)).toEqual(['http-host-unknown', 'panel-plain']);
  });

  test('names a server that the panel does not know', async () => {
    const { findings } = await checked({}, { server: 'ffffffff' });
    expect(findings).toEqual([['pterodactyl.no-server', 'problem']]);
  });

  test('says that the console cannot be read', async () => {
    const { findings } = await checked({ console: () => ({ status: 403 }) });
    expect(findings).toEqual([['pterodactyl.console-refused', 'warning']]);
  });
});
