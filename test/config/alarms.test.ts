import { join } from 'node:path';
import { expect, test } from 'vitest';
import { examineText } from '../../src/config/load.ts';
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
