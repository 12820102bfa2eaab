import { expect, test } from 'vitest';
import { selfSigned } from '../support/certificate.ts';
import { MANAGEMENT_SECRET, managementServer, methodUnknown, STEVE } from '../support/management.ts';
import { naming } from '../support/naming.ts';
import { PASSWORD, practice } from '../support/rcon.ts';
import { operator } from './operator.ts';

interface FoundRow {
  readonly mark: string;
  readonly code: string;
  readonly sentence: string;
}

/** What `check` finds about a game server that accepts the login over RCON. */
async function checked(management: object) {
  const { host, port } = await practice();
  const main = { kind: 'rcon', host, port, password: PASSWORD, commandTimeout: '2s', ...management };
  const one = await operator({ gameServers: { main } });
  const { out } = await one.teller('check', '--json');
  const found = JSON.parse(out) as FoundRow[];
  expect(found).toContainEqual(expect.objectContaining({ mark: 'ok', code: 'game-server' }));
  expect(out).not.toContain(MANAGEMENT_SECRET);
  return found.filter(({ code }) => code === 'joins' || code.startsWith('management-'));
}

test('a game server that lists its players reports joins', async () => {
  const server = await managementServer();
  server.players = [STEVE];
  expect(await checked({ management: server.url, managementSecret: MANAGEMENT_SECRET })).toMatchObject([
    { mark: 'ok', code: 'joins', sentence: naming('main', `127.0.0.1:${server.port}`) },
  ]);
  expect(server.methods).toEqual(['minecraft:players']);
});

test('without `management`, nothing is said about it', async () => {
  expect(await checked({})).toEqual([]);
});

test('what is wrong is a warning, because RCON still pays', async () => {
  const server = await managementServer();
  const managementSecret = MANAGEMENT_SECRET;
  const mark = 'warning';
  expect(await checked({ management: server.url, managementSecret: 'another' })).toMatchObject([
    { mark, code: 'management-wrong-secret', sentence: naming('main', 'RCON', 'management-server-secret') },
  ]);
  expect(await checked({ management: server.url.replace('ws:', 'wss:'), managementSecret })).toMatchObject([
    { mark, code: 'management-tls-failed', sentence: naming('ws://') },
  ]);
  const withTls = await managementServer(selfSigned());
  expect(await checked({ management: withTls.url.replace('wss:', 'ws:'), managementSecret })).toMatchObject([
    { mark, code: 'management-not-spoken', sentence: naming('wss://') },
  ]);
  server.script = methodUnknown;
  expect(await checked({ management: server.url, managementSecret })).toMatchObject([
    { mark, code: 'management-too-old', sentence: naming('1.21.9') },
  ]);
  const { url } = server;
  server.close();
  expect(await checked({ management: url, managementSecret })).toMatchObject([
    { mark, code: 'management-unreachable', sentence: naming('management-server-port') },
  ]);
});

test('it is not tried with a secret that is not available here', async () => {
  const server = await managementServer();
  expect(
    await checked({ management: server.url, managementSecret: 'env:NOT_SET_IN_THIS_SHELL' }),
  ).toMatchObject([{ mark: 'warning', code: 'management-secret-unknown', sentence: naming('main') }]);
  expect(server.methods).toEqual([]);
});
