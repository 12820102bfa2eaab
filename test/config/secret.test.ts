import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { examineText, loadConfig } from '../../src/config/load.ts';
import { temporaryFolder } from '../support/folder.ts';
import { examined } from './examined.ts';

/** What the token of the default site is, in a config beside these files, or the code of its fault. */
async function tokenOf(token: string): Promise<string | undefined> {
  const files = { token: '\r\nfrom-file\r\n', bom: '\uFEFFwith-bom', 'sub/x': '', empty: '\n' };
  const more = { example: 'your token here\n', 'two-lines': 'a\nb' };
  const file = path.join(temporaryFolder({ ...files, ...more }), 'config.json');
  const env = { TOKEN: ' from-env \n', EMPTY: '  ', EXAMPLE: 'changeme' };
  const text = JSON.stringify({ sites: { default: { token } } });
  const { config, faults, missingSecrets } = await examineText(text, file, { env });
  const [fault] = [...faults, ...missingSecrets];
  return fault === undefined ? config?.sites.get('default')?.token?.reveal() : fault.code;
}

test.each([
  ['literal', 'literal'],
  ['  literal ', 'literal'],
  ['env:TOKEN', 'from-env'],
  ['file:token', 'from-file'],
  ['file:sub/../bom', 'with-bom'],
])('reads a secret from %j, trimmed', async (reference, value) => {
  expect(await tokenOf(reference)).toBe(value);
});

describe('refuses a secret', () => {
  test.each([
    ...['', '   ', 'env:NOT_SET', 'env:', 'env:EMPTY', 'file:nowhere', 'file:', 'file:empty'].map(
      (reference) => [reference, 'secret-missing'],
    ),
    ...['env:EXAMPLE', 'file:example', 'CHANGE_ME'].map((reference) => [reference, 'secret-placeholder']),
    ['file:two-lines', 'config-value'],
  ])('%j as %s', async (reference, code) => {
    expect(await tokenOf(reference)).toBe(code);
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
])('%j is an example', async (text) => {
  expect(await tokenOf(text)).toBe('secret-placeholder');
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
])('%j is a secret, strong or weak', async (text) => {
  expect(await tokenOf(text)).toBe(text);
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
