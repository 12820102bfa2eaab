import { readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { configJsonSchema } from '../../src/config/describe.ts';
import { exampleText } from '../../src/config/example.ts';
import { createFirstConfig, createMissingSecrets } from '../../src/config/first-start.ts';
import { readKeyPair } from '../../src/config/keys.ts';
import { loadConfig } from '../../src/config/load.ts';
import { systemRandom } from '../../src/platform/random.ts';
import { fixedRandom } from '../support/fixed-random.ts';
import { temporaryFolder } from '../support/folder.ts';
import { startScript } from '../support/processes.ts';

const relativeTo = (folder: string, files: readonly string[]) =>
  files.map((file) => path.relative(folder, file));

test('a first start writes a token, a key pair, the schema and a config that loads', async () => {
  const folder = path.join(temporaryFolder(), 'teller');
  const { file, written } = await createFirstConfig(folder, fixedRandom(0xa7));
  expect(file).toBe(path.join(folder, 'config.json'));
  expect(relativeTo(folder, written)).toEqual([
    'data/keys/private.key',
    'data/keys/public.key',
    'data/secrets/default.token',
    'config.schema.json',
    'config.json',
  ]);
  const config = await loadConfig(file);
  expect(config.sites.get('default')?.token?.reveal()).toBe('a7'.repeat(16));
  await readKeyPair(config.keys);
});

test('only the owner can read files with secrets, and no temporary file is left', async () => {
  const folder = temporaryFolder();
  await createFirstConfig(folder, systemRandom);
  const mode = (name: string) => statSync(path.join(folder, name)).mode & 0o777;
  expect(mode('data/secrets/default.token')).toBe(0o600);
  expect(mode('data/keys/private.key')).toBe(0o600);
  expect(readdirSync(folder).toSorted()).toEqual(['config.json', 'config.schema.json', 'data']);
});

test('each first start creates a different token', async () => {
  const [one, two] = [temporaryFolder(), temporaryFolder()];
  for (const folder of [one, two]) await createFirstConfig(folder, systemRandom);
  const token = (folder: string) =>
    readFileSync(path.join(folder, 'data/secrets/default.token'), 'utf8').trim();
  expect(token(one)).toMatch(/^[0-9a-f]{32}$/);
  expect(token(one)).not.toBe(token(two));
});

test('writes the schema that `config schema` prints', async () => {
  const folder = temporaryFolder();
  await createFirstConfig(folder, systemRandom);
  const written: unknown = JSON.parse(readFileSync(path.join(folder, 'config.schema.json'), 'utf8'));
  expect(written).toEqual(JSON.parse(JSON.stringify(configJsonSchema())));
});

test('keeps existing keys, tokens and configs', async () => {
  const folder = temporaryFolder({ 'config.json': '{}', 'data/secrets/default.token': 'old-token' });
  const first = await createFirstConfig(folder, systemRandom);
  expect(relativeTo(folder, first.written)).toEqual([
    'data/keys/private.key',
    'data/keys/public.key',
    'config.schema.json',
  ]);
  const again = await createFirstConfig(folder, systemRandom);
  expect(relativeTo(folder, again.written)).toEqual(['config.schema.json']);
  expect(readFileSync(path.join(folder, 'config.json'), 'utf8')).toBe('{}');
  expect(readFileSync(path.join(folder, 'data/secrets/default.token'), 'utf8')).toBe('old-token');
});

test('a folder that cannot be written fails with data-unwritable', async () => {
  const folder = temporaryFolder({ data: 'a file, where a folder has to be' });
  await expect(createFirstConfig(folder, systemRandom)).rejects.toMatchObject({
    code: 'data-unwritable',
    exit: 1,
    message: expect.stringContaining('data/keys/private.key'),
  });
});

describe('first starts at the same instant in one folder', () => {
  test.each([
    ['without a config', {}],
    ['with a config', { 'config.json': exampleText }],
  ])('by four processes %s end with the same key pair and token, those on disk', async (_, files) => {
    const folder = temporaryFolder(files);
    const script = path.join(import.meta.dirname, 'first-starter.ts');
    const started = await Promise.all(
      Array.from({ length: 4 }, () => startScript<{ publicKey: string; token: string }>(script, [], folder)),
    );
    const publicKey = readFileSync(path.join(folder, 'data/keys/public.key'), 'utf8');
    const token = readFileSync(path.join(folder, 'data/secrets/default.token'), 'utf8').trim();
    expect(started.map(({ ready }) => [ready.publicKey, ready.token])).toEqual(
      Array(4).fill([publicKey, token]),
    );
  });

  test('by one process, eight of them, create each file once and leave no temporary file', async () => {
    const folder = temporaryFolder();
    const firsts = await Promise.all(
      Array.from({ length: 8 }, () => createFirstConfig(folder, systemRandom)),
    );
    const once = relativeTo(
      folder,
      firsts.flatMap(({ written }) => written),
    ).toSorted();
    const names = [
      'config.json',
      'data/keys/private.key',
      'data/keys/public.key',
      'data/secrets/default.token',
    ];
    expect(once.filter((name) => name !== 'config.schema.json')).toEqual(names);
    await readKeyPair(path.join(folder, 'data/keys'));
    const files = readdirSync(folder, { recursive: true, withFileTypes: true });
    expect(files.filter((entry) => entry.isFile())).toHaveLength(names.length + 1);
  });

  test('by one process, eight of them with a config, create each secret once and leave no temporary file', async () => {
    const folder = temporaryFolder({ 'config.json': exampleText });
    const file = path.join(folder, 'config.json');
    const written = await Promise.all(
      Array.from({ length: 8 }, () => createMissingSecrets(file, systemRandom)),
    );
    const names = ['data/keys/private.key', 'data/keys/public.key', 'data/secrets/default.token'];
    expect(relativeTo(folder, written.flat()).toSorted()).toEqual(names);
    await readKeyPair(path.join(folder, 'data/keys'));
    const files = readdirSync(folder, { recursive: true, withFileTypes: true });
    expect(files.filter((entry) => entry.isFile())).toHaveLength(names.length + 1);
  });
});
