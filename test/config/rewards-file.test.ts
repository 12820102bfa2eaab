import { chmodSync, mkdirSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { faultLine } from '../../src/config/fault.ts';
import { examineConfig } from '../../src/config/load.ts';
import { checkConfig } from '../../src/operator/check/config.ts';
import { temporaryFolder } from '../support/folder.ts';

/** Examines a config whose `rewards` is this path, in a folder with these files. */
async function examined(rewards: string, files: Readonly<Record<string, string>> = {}) {
  const folder = temporaryFolder({ ...files, 'config.json': JSON.stringify({ rewards }) });
  const file = path.join(folder, 'config.json');
  return { folder, file, ...(await examineConfig(file, {})) };
}

const JSON_LIST = '[\n  // mine\n  { "name": "daily", "commands": ["give {player} diamond 1"], },\n]\n';
const YAML_LIST = '# mine\n- name: daily\n  commands:\n    - "give {player} diamond 1"\n';

test.each([
  ['rewards.json', JSON_LIST],
  ['rewards.yml', YAML_LIST],
  ['sub/rewards.yaml', YAML_LIST],
  ['rewards', JSON_LIST],
])('the rewards of %s are those of the config', async (name, text) => {
  const { config, faults, folder } = await examined(name, { [name]: text });
  expect(faults).toEqual([]);
  expect(config?.rewards.map((reward) => [reward.name, reward.commands])).toEqual([
    ['daily', ['give {player} diamond 1']],
  ]);
  expect(config?.rewardsFile).toBe(path.join(folder, name));
});

test('an empty list is no rewards', async () => {
  expect((await examined('none.json', { 'none.json': '[]' })).config?.rewards).toEqual([]);
});

test('a YAML config can name a JSON list, at an absolute path or beside it', async () => {
  const other = path.join(temporaryFolder({ 'list.json': JSON_LIST }), 'list.json');
  const folder = temporaryFolder({ 'teller.yml': `rewards: ${other}\n` });
  const { config } = await examineConfig(path.join(folder, 'teller.yml'), {});
  expect(config?.rewards.map(({ name }) => name)).toEqual(['daily']);
});

describe('an error in the file names that file, its line and the path of the key', () => {
  const found = async (text: string, name = 'rewards.yml') =>
    (await examined(name, { [name]: text })).faults.map(({ file, line, column, path: at, code }) => [
      file,
      line,
      column,
      at,
      code,
    ]);

  test.each([
    ['- name: a\n  comands: [x]\n  commands: [x]\n', 2, 3, 'rewards[0].comands', 'config-unknown-key'],
    ['- name: a\n  commands: ["say {playr}"]\n', 2, 14, 'rewards[0].commands[0]', 'config-template'],
    ['- name: a\n  name: b\n  commands: [x]\n', 2, 3, 'rewards[0].name', 'config-duplicate-key'],
    ['- name: a\n  if: { site: X }\n  commands: [x]\n', 2, 15, 'rewards[0].if.site', 'config-unknown-name'],
    ['- a: [\n', 2, 1, '', 'config-syntax'],
    ['rewards:\n  - name: a\n', 1, 1, 'rewards', 'config-value'],
    ['other.yml\n', 1, 1, 'rewards', 'config-value'],
  ])('%j', async (text, ...expected) => {
    expect(await found(text)).toEqual([['rewards.yml', ...expected]]);
  });

  test('a file with another encoding', async () => {
    const { folder, file } = await examined('rewards.json', { 'rewards.json': '[]' });
    writeFileSync(path.join(folder, 'rewards.json'), Buffer.from([0x5b, 0xff, 0x5d]));
    expect((await examineConfig(file, {})).faults).toMatchObject([
      { code: 'config-syntax', file: 'rewards.json', line: 1 },
    ]);
  });

  test('after the errors of the config itself', async () => {
    const folder = temporaryFolder({
      'config.json': '{\n\n\n  "rewards": "rewards.json", "kees": 1\n}',
      'rewards.json': '[{ "name": "a" }]',
    });
    const file = path.join(folder, 'config.json');
    const { config, faults } = await examineConfig(file, {});
    expect(faults.map((fault) => faultLine(file, fault).replace(/ .*/, ''))).toEqual([
      `${file}:4:30`,
      `${folder}/rewards.json:1:2`,
    ]);
    const findings = checkConfig(file, config, faults).map(({ code, sentence }) => [code, sentence]);
    expect(findings[1]).toEqual([
      'config-value',
      expect.stringContaining('rewards.json:1:2 rewards[0].commands'),
    ]);
  });
});

describe('refuses, at the place of `rewards` in the config,', () => {
  const codesOf = ({ faults }: Awaited<ReturnType<typeof examined>>) =>
    faults.map(({ code, path: at, file, column }) => [code, at, file, column]);
  const refusal = (code: string) => [[code, 'rewards', undefined, 12]];

  test('a file that does not exist', async () => {
    expect(codesOf(await examined('none.yml'))).toEqual(refusal('config-rewards-missing'));
    expect(codesOf(await examined('a/none.yml', { a: '' }))).toEqual(refusal('config-rewards-missing'));
  });

  test('a folder', async () => {
    const { folder, file } = await examined('rewards');
    mkdirSync(path.join(folder, 'rewards'));
    expect((await examineConfig(file, {})).faults[0]?.code).toBe('config-rewards-not-file');
    expect(codesOf(await examined(''))).toEqual(refusal('config-rewards-not-file'));
  });

  test('the config itself, also through a link', async () => {
    expect(codesOf(await examined('config.json'))).toEqual(refusal('config-rewards-self'));
    const { folder, file } = await examined('link.yml');
    symlinkSync('config.json', path.join(folder, 'link.yml'));
    expect((await examineConfig(file, {})).faults[0]?.code).toBe('config-rewards-self');
  });

  test('a file of more than 4 MiB, without reading it', async () => {
    const { folder, file } = await examined('big.json', { 'big.json': '' });
    truncateSync(path.join(folder, 'big.json'), 4 * 1024 * 1024 + 1);
    expect((await examineConfig(file, {})).faults[0]?.code).toBe('config-rewards-too-large');
  });

  test('a link to itself, as a file that cannot be read', async () => {
    const { folder, file } = await examined('loop.json');
    symlinkSync('loop.json', path.join(folder, 'loop.json'));
    expect((await examineConfig(file, {})).faults[0]?.code).toBe('config-rewards-unreadable');
  });

  test.skipIf(process.getuid?.() === 0)('a file that this user may not read', async () => {
    const { folder, file } = await examined('locked.json', { 'locked.json': '[]' });
    chmodSync(path.join(folder, 'locked.json'), 0);
    expect((await examineConfig(file, {})).faults[0]?.code).toBe('config-rewards-unreadable');
  });
});
