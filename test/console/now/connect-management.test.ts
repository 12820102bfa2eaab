import { readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { freePort } from '../../sender/scripted-listener.ts';
import { selfSigned } from '../../support/certificate.ts';
import {
  MANAGEMENT_SECRET,
  type ManagementServer,
  managementServer,
  methodUnknown,
  STEVE,
} from '../../support/management.ts';
import { naming } from '../../support/naming.ts';
import { PASSWORD, practice } from '../../support/rcon.ts';
import { type OpenConsole, openConsole, textOf } from './open-console.ts';

const DAILY = [{ name: 'daily', commands: ['give {player} diamond 1'] }];

type Fields = Readonly<Record<string, string>>;

const ENTERED: Fields = {
  ...{ name: 'main', host: '127.0.0.1', port: '25575', password: PASSWORD, replaces: 'main' },
  ...{ managementPort: '25585', managementSecret: MANAGEMENT_SECRET },
};

/** What is entered for a game server with this management protocol. */
const at = ({ port }: Pick<ManagementServer, 'port'>, more: Fields = {}): Fields => ({
  ...{ ...ENTERED, managementPort: String(port) },
  ...more,
});

const mainIn = ({ config }: OpenConsole) => JSON.parse(readFileSync(config, 'utf8')).gameServers.main;

const write = (one: OpenConsole, plan: unknown) => one.act('/now/game-server/write', { plan: String(plan) });

test('a game server that reports joins: tried, shown, written, and reported at once', async () => {
  const server = await practice();
  const management = await managementServer();
  management.players = [STEVE];
  const one = await openConsole({ rewards: DAILY });
  const entered = at(management, { port: String(server.port) });
  const planned = await one.act('/now/game-server', entered);
  expect([planned.status, planned.json]).toMatchObject([
    200,
    { joins: { kind: 'reported' }, diff: expect.arrayContaining([naming(management.url)]) },
  ]);
  expect(mainIn(one).kind).toBe('practice');
  const { status, json } = await write(one, planned.json.plan);
  expect([status, json]).toMatchObject([
    200,
    { connection: { kind: 'connected' }, joins: { kind: 'reported' }, message: naming('reports joins') },
  ]);
  expect(mainIn(one)).toEqual({
    ...{ kind: 'rcon', host: '127.0.0.1', port: server.port, password: 'file:data/secrets/main.rcon' },
    ...{ management: management.url, managementSecret: 'file:data/secrets/main.management' },
  });
  const file = path.join(one.folder, 'data/secrets/main.management');
  expect([readFileSync(file, 'utf8').trim(), statSync(file).mode & 0o777]).toEqual([
    MANAGEMENT_SECRET,
    0o600,
  ]);
  const [main] = (await one.json()).gameServers;
  expect(main).toMatchObject({ joins: { kind: 'reported' }, online: { names: ['Steve'] } });
  expect(await one.text()).toContain('It reports joins at once.');
});

test('a wrong password of RCON is still told, although the players are listed beside it', async () => {
  const server = await practice();
  const management = await managementServer();
  const one = await openConsole({ rewards: DAILY });
  const entered = at(management, { port: String(server.port), password: 'not its password' });
  const { json } = await write(one, (await one.act('/now/game-server', entered)).json.plan);
  expect(json).toMatchObject({ connection: { kind: 'trouble', code: 'wrong-password' } });
  await expect
    .poll(async () => (await one.json()).gameServers[0]?.connection)
    .toMatchObject({ kind: 'trouble', code: 'wrong-password' });
});

/** Game servers whose management protocol cannot be used as it is entered, by the code that says why. */
const UNUSABLE: readonly (readonly [code: string, field: string, entered: () => Promise<Fields>])[] = [
  [
    'management-wrong-secret',
    'managementSecret',
    async () => at(await managementServer(), { managementSecret: 'not-its-secret' }),
  ],
  ['management-unreachable', 'managementPort', async () => at({ port: await freePort() })],
  [
    'management-host-unknown',
    'managementPort',
    async () => at({ port: 25_585 }, { host: 'nowhere.invalid' }),
  ],
  ['management-not-spoken', 'managementPort', async () => at(await managementServer(selfSigned()))],
  [
    'management-tls-failed',
    'managementCertificate',
    async () => at(await managementServer(), { managementTls: 'yes' }),
  ],
  [
    'management-certificate',
    'managementCertificate',
    async () =>
      at(await managementServer(selfSigned()), { managementTls: 'yes', managementCertificate: 'none.pem' }),
  ],
  [
    'management-too-old',
    'managementPort',
    async () => {
      const server = await managementServer();
      server.script = methodUnknown;
      return at(server);
    },
  ],
  [
    'management-bad-answer',
    'managementPort',
    async () => {
      const server = await managementServer();
      server.script = ({ id }, socket) => socket.send(JSON.stringify({ jsonrpc: '2.0', id, result: 5 }));
      return at(server);
    },
  ],
  [
    'management-closed',
    'managementPort',
    async () => {
      const server = await managementServer();
      server.script = (_, socket) => socket.terminate();
      return at(server);
    },
  ],
];

test.each(UNUSABLE)(
  'what cannot be used is refused with %s at its field, and nothing is written',
  async (code, field, entered) => {
    const one = await openConsole({ rewards: DAILY });
    const before = readFileSync(one.config, 'utf8');
    const { status, json } = await one.act('/now/game-server', await entered());
    expect([status, json.code, Object.keys(json.faults as object)]).toEqual([422, code, [field]]);
    expect(readFileSync(one.config, 'utf8')).toBe(before);
  },
);

test('one that does not answer in time is refused with management-timeout', async () => {
  const management = await managementServer();
  management.script = () => {};
  const main = { kind: 'rcon', password: 'another', commandTimeout: '1s' };
  const one = await openConsole({ rewards: DAILY, gameServers: { main } });
  const { status, json } = await one.act('/now/game-server', at(management));
  expect([status, json.code, Object.keys(json.faults as object)]).toEqual([
    ...[422, 'management-timeout', ['managementPort']],
  ]);
});

test.each([
  ['game-server-management-port', 'managementPort', { managementPort: '' }],
  ['game-server-management-port', 'managementPort', { managementPort: '0' }],
  ['game-server-management-port', 'managementPort', { managementPort: 'x' }],
  ['game-server-management-secret', 'managementSecret', { managementSecret: '' }],
  ['game-server-management-secret', 'managementSecret', { managementSecret: 'YOUR_SECRET' }],
  ['game-server-management-secret', 'managementSecret', { managementSecret: 'one\ntwo' }],
  ['game-server-management-certificate', 'managementCertificate', { managementCertificate: 'a.pem' }],
  [
    'game-server-management-certificate',
    'managementCertificate',
    { managementTls: 'yes', managementCertificate: 'a\tb' },
  ],
])('what was entered is refused with %s, and no game server is asked', async (code, field, more) => {
  const one = await openConsole();
  const { status, json } = await one.act('/now/game-server', { ...ENTERED, ...more });
  expect([status, json.code, Object.keys(json.faults as object)]).toEqual([422, code, [field]]);
});

test('with TLS, the certificate that is named is the one that is trusted', async () => {
  const tls = selfSigned();
  const management = await managementServer(tls);
  const one = await openConsole({ rewards: DAILY });
  writeFileSync(path.join(one.folder, 'management.pem'), tls.cert);
  const entered = at(management, { managementTls: 'yes', managementCertificate: 'management.pem' });
  const { json } = await one.act('/now/game-server', entered);
  expect(json.joins).toEqual({ kind: 'reported' });
});

test('the secret is in no page, and the part is open again with what else was entered', async () => {
  const one = await openConsole();
  const first = await one.browser.get('/now/game-server');
  expect(first.text).toContain('<details class="disclosure">');
  const refused = await one.browser.post('/now/game-server', { ...ENTERED, port: '0', managementTls: 'yes' });
  expect(refused.text).toContain('<details class="disclosure" open>');
  expect(refused.text).toMatch(/name="managementPort"[^>]*value="25585"/);
  expect(refused.text).toMatch(/name="managementTls"[^>]* checked/);
  const management = await managementServer();
  const planned = await one.browser.post('/now/game-server', at(management));
  expect([refused.status, planned.status]).toEqual([422, 200]);
  expect(refused.text + planned.text).not.toContain(MANAGEMENT_SECRET);
  expect(textOf(planned)).toContain('data/secrets/main.management');
});

test('what the config says about it stays if nothing is entered, and the form says so', async () => {
  const server = await practice();
  const management = await managementServer();
  const main = { kind: 'rcon', port: server.port, password: 'another', joinDelay: '0s' };
  const kept = { management: management.url, managementSecret: MANAGEMENT_SECRET };
  const one = await openConsole({ rewards: DAILY, gameServers: { main: { ...main, ...kept } } });
  expect(textOf(await one.browser.get('/now/game-server?replace=main&joins=yes'))).toContain(management.url);
  const {
    managementPort: _,
    managementSecret: __,
    ...entered
  } = at(management, { port: String(server.port) });
  const { json } = await write(one, (await one.act('/now/game-server', entered)).json.plan);
  expect(json).toMatchObject({ connection: { kind: 'connected' }, joins: { kind: 'reported' } });
  expect(mainIn(one)).toMatchObject(kept);
});

test('a connected game server leads to this part of the form', async () => {
  const server = await practice();
  const main = { kind: 'rcon', port: server.port, password: PASSWORD };
  const one = await openConsole({ rewards: DAILY, gameServers: { main } });
  const href = '/now/game-server?replace=main&amp;joins=yes';
  expect((await one.browser.get('/')).text).toContain(`href="${href}"`);
  const { text } = await one.browser.get(href.replace('&amp;', '&'));
  expect(text).toContain('<details class="disclosure" open>');
});
