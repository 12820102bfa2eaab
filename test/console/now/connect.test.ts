import { readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { FakeClock } from '../../support/fake-clock.ts';
import { PlannedServers } from '../../../src/console/now/planned-servers.ts';
import { freePort } from '../../sender/scripted-listener.ts';
import { writeConfig } from '../../support/config-folder.ts';
import { PASSWORD, practice } from '../../support/rcon.ts';
import { type OpenConsole, openConsole } from './open-console.ts';

const DAILY = [{ name: 'daily', commands: ['give {player} diamond 1'] }];

const entered = (port: number, more: object = {}) => ({
  ...{ name: 'main', host: '127.0.0.1', port: String(port), password: PASSWORD, replaces: 'main' },
  ...more,
});

/** Enters a game server and writes what it changes. */
async function connect(one: OpenConsole, fields: Readonly<Record<string, string>>) {
  const planned = await one.act('/now/game-server', fields);
  expect(planned.status).toBe(200);
  return one.act('/now/game-server/write', { plan: String(planned.json.plan) });
}

const gameServersIn = ({ config }: OpenConsole) => JSON.parse(readFileSync(config, 'utf8')).gameServers;

test('a game server takes the place of the practice server: shown, written, reloaded, and connected', async () => {
  const server = await practice();
  server.join('Steve');
  const one = await openConsole({ rewards: DAILY });
  expect((await one.act('/now/game-server', entered(server.port))).json).toMatchObject({
    ...{ name: 'main', replaced: 'main' },
    diff: expect.arrayContaining([expect.stringContaining('"kind": "rcon"')]),
  });
  expect(gameServersIn(one).main.kind).toBe('practice');
  const { status, json } = await connect(one, entered(server.port));
  expect([status, json]).toMatchObject([200, { name: 'main', connection: { kind: 'connected' } }]);
  expect(gameServersIn(one)).toEqual({
    main: { kind: 'rcon', host: '127.0.0.1', port: server.port, password: 'file:data/secrets/main.rcon' },
  });
  const file = path.join(one.folder, 'data/secrets/main.rcon');
  expect([readFileSync(file, 'utf8').trim(), statSync(file).mode & 0o777]).toEqual([PASSWORD, 0o600]);
  expect(await one.json()).toMatchObject({
    modes: [],
    gameServers: [{ connection: { kind: 'connected' }, online: { names: ['Steve'] } }],
  });
});

test('the form says how to run a practice server in a process of its own', async () => {
  const { text } = await (await openConsole()).browser.get('/now/game-server');
  expect(text).toMatch(/<code>[^<]*teller practice<\/code>/);
});

test('a wrong password is told by the page that follows, and can be changed', async () => {
  const server = await practice();
  const one = await openConsole({ rewards: DAILY });
  const first = await connect(one, entered(server.port, { password: 'not its password' }));
  expect(first.json).toMatchObject({ connection: { kind: 'trouble', code: 'wrong-password' } });
  expect((await one.browser.get('/')).text).toContain('href="/now/game-server?replace=main"');
  const form = await one.browser.get('/now/game-server?replace=main');
  expect(form.text).toContain(`value="${server.port}"`);
  const second = await connect(one, entered(server.port));
  expect(second.json).toMatchObject({ connection: { kind: 'connected' } });
});

test('a second game server is added beside the first, if the rewards say where they are paid', async () => {
  const one = await openConsole({ rewards: [{ ...DAILY[0], servers: ['main'] }] });
  await connect(one, entered(await freePort(), { name: 'sky', replaces: '' }));
  expect(Object.keys(gameServersIn(one))).toEqual(['main', 'sky']);
  expect(one.app.gameServers.map(({ name }) => name)).toEqual(['main', 'sky']);
});

test.each([
  ['game-server-name', { name: 'not a name' }],
  ['game-server-host', { host: 'not a host' }],
  ['game-server-port', { port: '99999' }],
  ['game-server-port', { port: 'x' }],
  ['game-server-password', { password: '' }],
  ['game-server-taken', { replaces: '' }],
  ['game-server-replaced', { name: 'sky', replaces: 'gone' }],
])('what was entered is refused with %s, and nothing is written', async (code, more) => {
  const one = await openConsole();
  const before = readFileSync(one.config, 'utf8');
  const { status, json } = await one.act('/now/game-server', entered(25_575, more));
  expect([status, json.code]).toEqual([422, code]);
  expect(readFileSync(one.config, 'utf8')).toBe(before);
});

test('rewards that name no game server stay where they are when another is added, and the page says so', async () => {
  const one = await openConsole({ rewards: DAILY });
  const { status, json } = await one.act('/now/game-server', entered(25_575, { name: 'sky', replaces: '' }));
  expect([status, json.keptOn]).toEqual([200, 'main']);
  const page = await one.browser.post('/now/game-server', entered(25_575, { name: 'sky', replaces: '' }));
  expect(page.text).toContain('Rewards that named no game server stay on main');
});

test('a config that would have faults is refused with what they are', async () => {
  const one = await openConsole({ rewards: DAILY.map((each) => ({ ...each, servers: 'where-online' })) });
  const { status, json } = await one.act('/now/game-server', entered(25_575, { name: 'sky', replaces: '' }));
  expect([status, json.code]).toEqual([422, 'config-invalid']);
  const page = await one.browser.post('/now/game-server', entered(25_575, { name: 'sky', replaces: '' }));
  expect(page.text).toContain('rewards[0].servers');
});

test('the password is in no page', async () => {
  const one = await openConsole();
  await one.browser.get('/now/game-server');
  const secret = 'correct-horse-battery-staple';
  const refused = await one.browser.post('/now/game-server', entered(1, { port: '0', password: secret }));
  const planned = await one.browser.post('/now/game-server', entered(25_575, { password: secret }));
  expect([refused.status, planned.status]).toEqual([422, 200]);
  expect(refused.text + planned.text).not.toContain(secret);
});

test('nothing is written while the file has other changes, or if it changed since it was shown', async () => {
  const one = await openConsole();
  const planned = await one.act('/now/game-server', entered(25_575));
  writeFileSync(one.config, readFileSync(one.config, 'utf8').replace('{', '{ '));
  const write = await one.act('/now/game-server/write', { plan: String(planned.json.plan) });
  expect(write).toMatchObject({ status: 409, json: { code: 'config-changed' } });
  writeConfig(one.config, { rewards: [] });
  expect(await one.act('/now/game-server', entered(25_575))).toMatchObject({
    status: 409,
    json: { code: 'config-older' },
  });
  expect(gameServersIn(one).main.kind).toBe('practice');
});

test('a change is written once, and only by who has seen it', async () => {
  const one = await openConsole();
  await connect(one, entered(await freePort()));
  const again = await one.act('/now/game-server/write', { plan: '1' });
  expect(again).toMatchObject({ status: 409, json: { code: 'plan-gone' } });
});

test('a plan is kept for 15 minutes, one for each session, of the latest 20 sessions', () => {
  const clock = new FakeClock();
  const kept = new PlannedServers(clock);
  const plan = { name: 'main' } as never;
  const first = kept.keep('a', plan);
  const second = kept.keep('a', plan);
  expect(kept.take('a', first)).toBeNull();
  expect(kept.take('b', second)).toBeNull();
  expect(kept.take('a', second)).toBe(plan);
  expect(kept.take('a', second)).toBeNull();
  const late = kept.keep('a', plan);
  clock.advance(15 * 60_000 + 1);
  expect(kept.take('a', late)).toBeNull();
  const oldest = kept.keep('oldest', plan);
  for (let session = 0; session < 20; session += 1) kept.keep(`${session}`, plan);
  expect(kept.take('oldest', oldest)).toBeNull();
});
