import { readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { PlannedServers } from '../../../src/console/now/planned-servers.ts';
import { systemClock } from '../../../src/platform/clock.ts';
import { systemRandom } from '../../../src/platform/random.ts';
import { sendVote } from '../../../src/sender/send-vote.ts';
import { freePort } from '../../sender/scripted-listener.ts';
import { TOKEN, writeConfig } from '../../support/config-folder.ts';
import { FakeClock } from '../../support/fake-clock.ts';
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

test('with the first real game server, the votes that were tried from this machine are voided', async () => {
  const server = await practice();
  const one = await openConsole({ rewards: DAILY });
  const vote = { serviceName: 'List', username: 'Steve', address: '', timestamp: String(systemClock.now()) };
  const auth = { version: 'v2', token: TOKEN } as const;
  await sendVote(vote, { ...one.app.listener, auth }, { clock: systemClock });
  const { json } = await connect(one, entered(server.port));
  expect(json).toMatchObject({ practiceVotes: { voided: 1, fromOutside: 0 } });
  expect(await one.app.ledger.votes({ limit: 9 })).toMatchObject([{ decision: 'practice', voided: {} }]);
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

/** What the page of a plan sends when its button is pressed. */
const sentBy = ({ text }: { text: string }): Record<string, string> =>
  Object.fromEntries(
    [
      ...text
        .split('action="/now/game-server/write"')[1]!
        .split('</form>')[0]!
        .matchAll(/name="(\w+)" value="([^"]*)"/g),
    ].map(([, name, value]) => [name!, value!]),
  );

describe('of two tabs', () => {
  test('each writes what it showed, if the other one has written nothing', async () => {
    const one = await openConsole({ rewards: [{ ...DAILY[0], servers: ['main'] }] });
    const first = await one.act('/now/game-server', entered(25_575, { name: 'sky', replaces: '' }));
    await one.act('/now/game-server', entered(25_576, { name: 'mill', replaces: '' }));
    const { status } = await one.act('/now/game-server/write', { plan: String(first.json.plan) });
    expect([status, Object.keys(gameServersIn(one))]).toEqual([200, ['main', 'sky']]);
  });

  test('one is told that the other has changed the config, is shown the lines again, and keeps the password', async () => {
    const server = await practice();
    const one = await openConsole({ rewards: [{ ...DAILY[0], servers: ['main'] }] });
    const { browser } = one;
    await browser.get('/now/game-server');
    const asked = entered(server.port, { name: 'sky', replaces: '' });
    const first = await browser.post('/now/game-server', asked);
    await connect(one, entered(await freePort(), { name: 'mill', replaces: '' }));
    const again = await browser.post('/now/game-server/write', sentBy(first));
    expect(again.status).toBe(409);
    expect(again.text).toContain('The config file was changed');
    expect(Object.keys(gameServersIn(one))).toEqual(['main', 'mill']);
    expect(await browser.post('/now/game-server/write', sentBy(again))).toMatchObject({
      status: 303,
      to: '/',
    });
    expect(Object.keys(gameServersIn(one))).toEqual(['main', 'mill', 'sky']);
    expect(await one.json()).toMatchObject({
      gameServers: expect.arrayContaining([
        expect.objectContaining({ name: 'sky', connection: { kind: 'connected' } }),
      ]),
    });
  });

  test('one whose name the other has taken is shown its form again, with what was typed', async () => {
    const one = await openConsole({ rewards: [{ ...DAILY[0], servers: ['main'] }] });
    const first = await one.act('/now/game-server', entered(25_575, { name: 'sky', replaces: '' }));
    await connect(one, entered(await freePort(), { name: 'sky', replaces: '' }));
    const { status, json } = await one.act('/now/game-server/write', { plan: String(first.json.plan) });
    expect([status, json.code]).toEqual([422, 'game-server-taken']);
  });
});

test('a change is written once, and the second time it is said that it was', async () => {
  const one = await openConsole();
  const { json } = await one.act('/now/game-server', entered(await freePort()));
  const write = () => one.act('/now/game-server/write', { plan: String(json.plan) });
  expect((await write()).status).toBe(200);
  expect(await write()).toMatchObject({ status: 409, json: { code: 'plan-written' } });
});

test('a change that Teller does not know any more leads to the form with what was typed, without the password', async () => {
  const one = await openConsole();
  const { browser } = one;
  await browser.get('/now/game-server');
  const planned = await browser.post('/now/game-server', entered(25_577, { host: 'play.example' }));
  const sent = sentBy(planned);
  expect(planned.text + JSON.stringify(sent)).not.toContain(PASSWORD);
  const gone = await browser.post('/now/game-server/write', { ...sent, plan: 'another' });
  expect(gone.status).toBe(409);
  for (const kept of ['value="play.example"', 'value="25577"', 'name="replaces" value="main"'])
    expect(gone.text).toContain(kept);
  const asJson = await one.act('/now/game-server/write', { plan: 'another' });
  expect(asJson).toMatchObject({
    status: 409,
    json: { code: 'plan-gone', message: expect.stringMatching(/./) },
  });
});

test('a plan is kept for 15 minutes, for its session only, and of the latest 50', () => {
  const clock = new FakeClock();
  const kept = new PlannedServers({ clock, random: systemRandom });
  const made = { plan: { name: 'main' } as never, entered: {} };
  const [first, second] = [kept.keep('a', made), kept.keep('a', made)];
  expect(kept.take('b', second)).toEqual({ kind: 'gone' });
  expect(kept.take('a', first)).toEqual({ kind: 'kept', ...made });
  expect(kept.take('a', first)).toEqual({ kind: 'written', name: 'main' });
  kept.giveBack(first);
  expect(kept.take('a', first)).toEqual({ kind: 'kept', ...made });
  clock.advance(15 * 60_000 + 1);
  expect(kept.take('a', second)).toEqual({ kind: 'too-old' });
  const oldest = kept.keep('a', made);
  for (let tab = 0; tab < 50; tab += 1) kept.keep('a', made);
  expect(kept.take('a', oldest)).toEqual({ kind: 'gone' });
});
