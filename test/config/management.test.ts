import { expect, test } from 'vitest';
import { examined, faultsOf } from './examined.ts';

const main = (management: object) => ({
  gameServers: { main: { kind: 'rcon', password: 'correct-horse', ...management } },
});

const SECRET = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMN';

test('a game server can have a management protocol, with TLS or without', async () => {
  expect(await faultsOf(main({ management: 'ws://127.0.0.1:25585', managementSecret: SECRET }))).toEqual([]);
  expect(
    await faultsOf(
      main({
        ...{ management: 'wss://mc.example.com:25585', managementSecret: SECRET },
        managementCertificate: 'management.pem',
      }),
    ),
  ).toEqual([]);
});

test.each([
  'http://127.0.0.1:1',
  '127.0.0.1:25585',
  'ws://user@127.0.0.1:1',
  'ws://127.0.0.1:1/#a',
  'ws://',
  5,
])('its address cannot be %j', async (management) => {
  expect(await faultsOf(main({ management, managementSecret: SECRET }))).toEqual([
    'config-value gameServers.main.management',
  ]);
});

test('it needs a secret, which is read and never shown', async () => {
  expect(await faultsOf(main({ management: 'ws://127.0.0.1:1' }))).toEqual([
    'config-value gameServers.main.managementSecret',
  ]);
  const management = { management: 'ws://127.0.0.1:1', managementSecret: 'YOUR_SECRET' };
  expect(await faultsOf(main(management))).toEqual(['secret-placeholder gameServers.main.managementSecret']);
  const found = await examined(main({ ...management, managementSecret: `${SECRET}\nx` }));
  expect(found.faults).toMatchObject([{ code: 'config-value', path: 'gameServers.main.managementSecret' }]);
  expect(JSON.stringify(found)).not.toContain(SECRET);
});

test('a certificate needs TLS', async () => {
  const management = { management: 'ws://127.0.0.1:1', managementSecret: SECRET };
  expect(await faultsOf(main({ ...management, managementCertificate: 'management.pem' }))).toEqual([
    'config-value gameServers.main.managementCertificate',
  ]);
});
