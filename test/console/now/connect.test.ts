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
import { factsOf, faultsOf, noticeOf } from '../../support/page-text.ts';
import { type Acted, type OpenConsole, openConsole } from './open-console.ts';

const DAILY = [{ name: 'daily', commands: ['give {player} diamond 1'] }];

const entered = (port: number, more: object = {}) => ({
  ...{ name: 'main', host: '127.0.0.1', port: String(port), password: PASSWORD, replaces: 'main' },
  ...more,
});

/** Enters a game server and writes what it changes. */
async function connect(one: OpenConsole, fields: Readonly<Record<string, string>>) {
  const planned = await one.act('/now/game-server', fields);
  expect(planned.status).toBe(200);
  return one.act('/now/game-server/write', sentBy(planned));
}

/** What the page of a plan sends when its button is pressed. */
const sentBy = ({ page }: Pick<Acted, 'page'>): Record<string, string> =>
  Object.fromEntries(
    [
      ...page
        .split('action="/now/game-server/write"')[1]!
        .split('</form>')[0]!
        .matchAll(/name="(\w+)" value="([^"]*)"/g),
    ].map(([, name, value]) => [name!, value!]),
  );

const ACCEPTED = 'main is in the config, and accepts the login.';
const CONNECTED = 'It accepts commands.';

const gameServersIn = ({ config }: OpenConsole) => JSON.parse(readFileSync(config, 'utf8')).gameServers;

test('a game server takes the place of the practice server: shown, written, reloaded, and connected', async () => {
  const server = await practice();
  server.join('Steve');
  const one = await openConsole({ rewards: DAILY });
  const { text } = await one.act('/now/game-server', entered(server.port));
  expect(text).toContain('It takes the place of the practice server main');
  expect(text).toContain('"kind": "rcon"');
  expect(gameServersIn(one).main.kind).toBe('practice');
  const written = await connect(one, entered(server.port));
  expect([written.status, written.text]).toEqual([303, expect.stringContaining(ACCEPTED)]);
  expect(gameServersIn(one)).toEqual({
    main: { kind: 'rcon', host: '127.0.0.1', port: server.port, password: 'file:data/secrets/main.rcon' },
  });
  const file = path.join(one.folder, 'data/secrets/main.rcon');
  expect([readFileSync(file, 'utf8').trim(), statSync(file).mode & 0o777]).toEqual([PASSWORD, 0o600]);
  expect(noticeOf(await one.page())).toBe('');
  expect(await one.gameServer()).toMatchObject({ Connection: CONNECTED, Online: '1 player: Steve' });
});

test('with the first real game server, the votes that were tried from this machine are voided', async () => {
  const server = await practice();
  const one = await openConsole({ rewards: DAILY });
  const vote = { serviceName: 'List', username: 'Steve', address: '', timestamp: String(systemClock.now()) };
  const auth = { version: 'v2', token: TOKEN } as const;
  await sendVote(vote, { ...one.app.listener, auth }, { clock: systemClock });
  expect((await connect(one, entered(server.port))).text).toContain(
    '1 vote from this machine, sent while every game server was a practice one, is voided; none came from outside.',
  );
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
  expect(first.text).toContain('(wrong-password)');
  expect(first.page).toContain('href="/now/game-server?replace=main"');
  const form = await one.browser.get('/now/game-server?replace=main');
  expect(form.text).toContain(`value="${server.port}"`);
  const second = await connect(one, entered(server.port));
  expect(second.text).toContain(ACCEPTED);
});

test('a second game server is added beside the first, if the rewards say where they are paid', async () => {
  const one = await openConsole({ rewards: [{ ...DAILY[0], servers: ['main'] }] });
  await connect(one, entered(await freePort(), { name: 'sky', replaces: '' }));
  expect(Object.keys(gameServersIn(one))).toEqual(['main', 'sky']);
  expect(one.app.gameServers.map(({ name }) => name)).toEqual(['main', 'sky']);
});

test.each([
  ['Name must be', { name: 'not a name' }],
  ['Address must be', { host: 'not a host' }],
  ['Port must be', { port: '99999' }],
  ['Port must be', { port: 'x' }],
  ['Password: ', { password: '' }],
  ["Name 'main' is in the config already", { replaces: '' }],
  ["The game server to replace: 'gone' is not in the config", { name: 'sky', replaces: 'gone' }],
])('what was entered is refused with “%s …”, and nothing is written', async (sentence, more) => {
  const one = await openConsole();
  const before = readFileSync(one.config, 'utf8');
  const { status, text } = await one.act('/now/game-server', entered(25_575, more));
  expect([status, text]).toEqual([422, expect.stringContaining(sentence)]);
  expect(readFileSync(one.config, 'utf8')).toBe(before);
});

test('rewards that name no game server stay where they are when another is added, and the page says so', async () => {
  const one = await openConsole({ rewards: DAILY });
  const { status, text } = await one.act('/now/game-server', entered(25_575, { name: 'sky', replaces: '' }));
  expect(status).toBe(200);
  expect(text).toContain('Rewards that named no game server stay on main');
});

test('a config that would have faults is refused with what they are', async () => {
  const one = await openConsole({ rewards: DAILY.map((each) => ({ ...each, servers: 'where-online' })) });
  const { status, text } = await one.act('/now/game-server', entered(25_575, { name: 'sky', replaces: '' }));
  expect(status).toBe(422);
  expect(text).toContain('The config would have errors with this game server');
  expect(text).toContain('rewards[0].servers');
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
  expect(await one.act('/now/game-server/write', sentBy(planned))).toMatchObject({
    status: 409,
    text: expect.stringContaining('The config file was changed since these lines were shown'),
  });
  writeConfig(one.config, { rewards: [] });
  expect(await one.act('/now/game-server', entered(25_575))).toMatchObject({
    status: 409,
    text: expect.stringContaining('The config file has changes that do not run yet'),
  });
  expect(gameServersIn(one).main.kind).toBe('practice');
});

describe('of two tabs', () => {
  test('each writes what it showed, if the other one has written nothing', async () => {
    const one = await openConsole({ rewards: [{ ...DAILY[0], servers: ['main'] }] });
    const first = await one.act('/now/game-server', entered(25_575, { name: 'sky', replaces: '' }));
    await one.act('/now/game-server', entered(25_576, { name: 'mill', replaces: '' }));
    const { status } = await one.act('/now/game-server/write', sentBy(first));
    expect([status, Object.keys(gameServersIn(one))]).toEqual([303, ['main', 'sky']]);
  });

  test('one is told that the other has changed the config, is shown the lines again, and keeps the password', async () => {
    const server = await practice();
    const one = await openConsole({ rewards: [{ ...DAILY[0], servers: ['main'] }] });
    const asked = entered(server.port, { name: 'sky', replaces: '' });
    const first = await one.act('/now/game-server', asked);
    await connect(one, entered(await freePort(), { name: 'mill', replaces: '' }));
    const again = await one.act('/now/game-server/write', sentBy(first));
    expect(again.status).toBe(409);
    expect(again.text).toContain('The config file was changed');
    expect(Object.keys(gameServersIn(one))).toEqual(['main', 'mill']);
    const written = await one.act('/now/game-server/write', sentBy(again));
    expect(written.status).toBe(303);
    expect(Object.keys(gameServersIn(one))).toEqual(['main', 'mill', 'sky']);
    expect(factsOf(written.page)[2]).toMatchObject({ Connection: CONNECTED });
  });

  test('one whose name the other has taken is shown its form again, with what was typed', async () => {
    const one = await openConsole({ rewards: [{ ...DAILY[0], servers: ['main'] }] });
    const first = await one.act('/now/game-server', entered(25_575, { name: 'sky', replaces: '' }));
    await connect(one, entered(await freePort(), { name: 'sky', replaces: '' }));
    const { status, page } = await one.act('/now/game-server/write', sentBy(first));
    expect([status, faultsOf(page)]).toEqual([422, ['name']]);
  });
});

test('a change is written once, and the second time it is said that it was', async () => {
  const one = await openConsole();
  const planned = await one.act('/now/game-server', entered(await freePort()));
  const write = async () => (await one.act('/now/game-server/write', sentBy(planned))).text;
  expect(await write()).toContain('main is in the config');
  expect(await write()).toContain('This was written already: main is in the config.');
});

test('a change that Teller does not know any more leads to the form with what was typed, without the password', async () => {
  const one = await openConsole();
  const planned = await one.act('/now/game-server', entered(25_577, { host: 'play.example' }));
  const sent = sentBy(planned);
  expect(planned.page + JSON.stringify(sent)).not.toContain(PASSWORD);
  const gone = await one.act('/now/game-server/write', { ...sent, plan: 'another' });
  expect(gone.status).toBe(409);
  expect(gone.text).toContain('Teller does not have this change any more');
  for (const kept of ['value="play.example"', 'value="25577"', 'name="replaces" value="main"'])
    expect(gone.page).toContain(kept);
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
