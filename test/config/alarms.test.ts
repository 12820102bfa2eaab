import { join } from 'node:path';
import { expect, test } from 'vitest';
import { maskSecrets } from '../../src/config/edit-steps.ts';
import { examineText } from '../../src/config/load.ts';
import { secretsNamedIn } from '../../src/config/named-secrets.ts';
import { temporaryFolder } from '../support/folder.ts';

const URL = 'https://discord.com/api/webhooks/123/very-secret-token';

const examined = (alarms: object, files: Record<string, string> = {}) => {
  const file = join(temporaryFolder(files), 'config.json');
  return examineText(JSON.stringify({ alarms }), file, { env: {} });
};

const faultsOf = async (alarms: object, files: Record<string, string> = {}) =>
  (await examined(alarms, files)).faults.map(({ path, code }) => `${path} ${code}`);

test('the URL may be in a file, and the format is chosen by it', async () => {
  const { config } = await examined({ url: 'file:alarms.url' }, { 'alarms.url': `${URL}\n` });
  expect(config?.alarms).toMatchObject({ format: 'auto', secret: null, name: null });
  expect(config?.alarms?.url.reveal()).toBe(URL);
  expect(JSON.stringify([...(config?.settings ?? [])])).not.toContain('very-secret');
});

test('without `alarms` nobody is notified', async () => {
  expect((await examineText('{}', join(temporaryFolder(), 'config.json'))).config?.alarms).toBeNull();
});

test.each([
  [{}, 'alarms.url config-value'],
  [{ url: 'ftp://example.com/very-secret-token' }, 'alarms.url config-value'],
  [{ url: 'https://user:very-secret-token@example.com/' }, 'alarms.url config-value'],
  [{ url: 'very-secret-token' }, 'alarms.url config-value'],
  [{ url: 'file:wrong' }, 'alarms.url config-value'],
  [{ url: '<your url here>' }, 'alarms.url secret-placeholder'],
  [{ url: URL, format: 'discord' }, 'alarms.format config-value'],
  [{ url: URL, format: 'chat', secret: 'a-signing-secret' }, 'alarms.secret config-value'],
])('%j is refused as %s, without showing the URL', async (alarms, fault) => {
  const { faults } = await examined(alarms, { wrong: 'very-secret-token' });
  expect(faults.map(({ path, code }) => `${path} ${code}`)).toEqual([fault]);
  expect(JSON.stringify(faults)).not.toContain('very-secret');
});

test('a file that does not exist is a missing secret, and no other fault', async () => {
  expect(await faultsOf({ url: 'file:none' })).toEqual([]);
  expect((await examined({ url: 'file:none' })).missingSecrets).toMatchObject([{ code: 'secret-missing' }]);
});

test.each([
  ['config.json', JSON.stringify({ alarms: { url: URL }, sites: { A: { url: 'https://a.example/vote' } } })],
  ['config.yml', `alarms:\n  url: ${URL}\nsites:\n  A:\n    url: https://a.example/vote\n`],
])('a change of %s is shown without this URL, and with the URLs of sites', (file, text) => {
  const shown = maskSecrets(text, file);
  expect(shown).not.toContain('very-secret');
  expect(shown).toContain('"(secret)"');
  expect(shown).toContain('https://a.example/vote');
});

test('a URL in the config itself makes the config a file with a secret', () => {
  expect(secretsNamedIn({ alarms: { url: URL } }, '/srv')).toMatchObject({ inText: ['alarms.url'] });
  expect(secretsNamedIn({ sites: { A: { url: URL } } }, '/srv')).toMatchObject({ inText: [] });
});
