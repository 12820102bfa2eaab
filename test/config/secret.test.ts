import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { loadConfig } from '../../src/config/load.ts';
import { fetchSecret, isPlaceholder } from '../../src/config/secret.ts';
import { temporaryFolder } from '../support/folder.ts';
import { examined } from './examined.ts';

const env = { TOKEN: ' from-env \n', EMPTY: '  ', EXAMPLE: 'changeme' };

describe('reads a secret', () => {
  test.each([
    ['literal', 'literal'],
    ['  literal ', 'literal'],
    ['env:TOKEN', 'from-env'],
    ['file:token', 'from-file'],
    ['file:sub/../bom', 'with-bom'],
  ])('from %j, trimmed', async (reference, value) => {
    const folder = temporaryFolder({ token: '\r\nfrom-file\r\n', bom: '\uFEFFwith-bom', 'sub/x': '' });
    expect(await fetchSecret(reference, { folder, env })).toBe(value);
  });
});

describe('refuses a secret', () => {
  test.each([
    ['', 'secret-missing'],
    ['   ', 'secret-missing'],
    ['env:NOT_SET', 'secret-missing'],
    ['env:', 'secret-missing'],
    ['env:EMPTY', 'secret-missing'],
    ['file:nowhere', 'secret-missing'],
    ['file:', 'secret-missing'],
    ['file:empty', 'secret-missing'],
    ['env:EXAMPLE', 'secret-placeholder'],
    ['file:example', 'secret-placeholder'],
    ['CHANGE_ME', 'secret-placeholder'],
    ['file:two-lines', 'config-value'],
  ])('%j as %s', async (reference, code) => {
    const folder = temporaryFolder({ empty: '\n', example: 'your token here\n', 'two-lines': 'a\nb' });
    expect(await fetchSecret(reference, { folder, env })).toMatchObject({ code });
  });

  test('without showing it', async () => {
    const found = await examined({ sites: { default: { token: 'an-odd\nsecret' } } });
    expect(found.faults).toMatchObject([{ code: 'config-value', path: 'sites.default.token' }]);
    expect(JSON.stringify(found)).not.toContain('odd');
  });
});

test.each([
  'changeme',
  'CHANGE_ME',
  'Change-Me!',
  'your token here',
  'YOUR_TOKEN',
  '<token>',
  '<paste it here>',
  'token',
  'xxxxxxxx',
  'XXX',
  'insert your rcon password here',
  'put-token-here',
  'your-secret',
  'replace me',
  '{token}',
  '%default_token%',
  '...',
  '…',
  '********',
  'TODO',
])('%j is an example', (text) => {
  expect(isPlaceholder(text)).toBe(true);
});

test.each([
  'hunter2',
  'my-token',
  'token1',
  'test-token',
  'password',
  'secret',
  'xx',
  'yourself',
  'a'.repeat(32),
  '0',
])('%j is a secret, strong or weak', (text) => {
  expect(isPlaceholder(text)).toBe(false);
});

test('reports an example value that was left as a secret, at its key', async () => {
  const { config, faults } = await examined({ sites: { default: { token: 'changeme' }, a: {} } });
  expect(config).toBeNull();
  expect(faults).toMatchObject([{ code: 'secret-placeholder', path: 'sites.default.token' }]);
});

test('reports a missing secret file separately from the faults of the config', async () => {
  const main = { kind: 'rcon', password: 'file:nowhere' };
  const { config, faults, missingSecrets } = await examined({ gameServers: { main } });
  expect(config).not.toBeNull();
  expect(faults).toEqual([]);
  expect(missingSecrets).toMatchObject([{ code: 'secret-missing', path: 'gameServers.main.password' }]);
});

test("resolves the path of a secret from the config's folder, not from the working directory", async () => {
  const config = { sites: { default: { token: 'file:secrets/a' } } };
  const folder = temporaryFolder({ 'sub/config.json': JSON.stringify(config), 'sub/secrets/a': 'abc' });
  const { sites } = await loadConfig(path.join(folder, 'sub/config.json'));
  expect(sites.get('default')?.token?.reveal()).toBe('abc');
});
