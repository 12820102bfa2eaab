import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { datapackCommand } from '../../src/commands/datapack.ts';
import { PUBLISH } from '../../src/operator/datapack/files.ts';
import { configFolder } from '../support/config-folder.ts';
import { fakeTerminal } from '../support/fake-terminal.ts';
import { naming } from '../support/naming.ts';
import { runCommand } from './run-command.ts';

const SITES = { sites: { 'My-List': { url: 'https://list.example/vote' }, Silent: {} } };

function packer(overrides: object = SITES) {
  const { config, folder } = configFolder(overrides);
  const out = path.join(folder, 'world/datapacks/teller');
  const write = (version: string, ...more: string[]) => {
    const terminal = fakeTerminal(false);
    const words = ['--config', config, '--minecraft', version, '--out', out, ...more];
    return runCommand(datapackCommand(terminal), terminal, words);
  };
  const read = (file: string): string => readFileSync(path.join(out, file), 'utf8');
  const has = (file: string): boolean => existsSync(path.join(out, file));
  return { out, write, read, has };
}

test('the pack has the links of the sites with a url, and says what to add for the figures', async () => {
  const { write, read } = packer();
  const { exit, out } = await write('1.21.6');
  expect(exit).toBe(0);
  expect(out).toContain('/trigger vote shows My-List.');
  expect(out).toContain(JSON.stringify(PUBLISH));
  const vote = read('data/teller/function/vote.mcfunction');
  expect(vote).toContain('https://list.example/vote');
  expect(vote).not.toContain('Silent');
});

test.skipIf(process.platform === 'win32')('the game server’s user can read it', async () => {
  const { write, out } = packer();
  await write('1.21.6');
  const folders = ['..', '.', 'data/teller/function'].map((folder) => path.join(out, folder));
  expect(folders.map((folder) => statSync(folder).mode & 0o777)).toEqual([0o755, 0o755, 0o755]);
  expect(statSync(path.join(out, 'pack.mcmeta')).mode & 0o777).toBe(0o644);
});

test('with --json, all that was written are values', async () => {
  const { write, out } = packer();
  const written = JSON.parse((await write('1.20.4', '--json')).out);
  expect(written).toMatchObject({
    ...{ folder: out, hasDialog: false, publish: PUBLISH },
    links: [{ name: 'My-List', url: 'https://list.example/vote' }],
  });
  expect(written.files).toHaveLength(8);
});

test('where the config publishes the figures, there is nothing to add', async () => {
  const { write } = packer({ ...SITES, publish: [PUBLISH] });
  expect(JSON.parse((await write('1.21.6', '--json')).out).publish).toBeNull();
});

test('a pack of Teller’s is replaced, also by one for another version', async () => {
  const { write, has } = packer();
  await write('1.20.4');
  expect(has('data/teller/functions/vote.mcfunction')).toBe(true);
  expect((await write('1.21.6')).exit).toBe(0);
  expect(has('data/teller/functions/vote.mcfunction')).toBe(false);
  expect(has('data/teller/function/vote.mcfunction')).toBe(true);
  expect((await write('1.21.4')).exit).toBe(0);
  expect(has('data/teller/dialog/vote.json')).toBe(false);
});

test.each([
  ['a pack of somebody else', 'pack.mcmeta', '{"pack":{"description":"Mine","pack_format":26}}'],
  ['a world', 'level.dat', ''],
  ['a pack with a file of its own', 'data/teller/function/mine/x.mcfunction', 'say hi'],
])('%s is not touched', async (_, file, text) => {
  const { out, write, read, has } = packer();
  mkdirSync(path.dirname(path.join(out, file)), { recursive: true });
  writeFileSync(path.join(out, file), text);
  expect(await write('1.21.6')).toMatchObject({ exit: 1, err: naming('[not-our-datapack]') });
  expect([read(file), has('data/minecraft')]).toEqual([text, false]);
});

test('a file in the place of the folder is not touched', async () => {
  const { out, write } = packer();
  mkdirSync(path.dirname(out), { recursive: true });
  writeFileSync(out, 'mine');
  expect(await write('1.21.6')).toMatchObject({ exit: 1, err: naming('[not-our-datapack]') });
  expect(readFileSync(out, 'utf8')).toBe('mine');
});

test('without a site that has a url, there is nothing to show', async () => {
  const { write, has } = packer({ sites: { Silent: {} } });
  expect(await write('1.21.6')).toMatchObject({ exit: 2, err: naming('[no-vote-links]') });
  expect(has('pack.mcmeta')).toBe(false);
});

test.each(['1.15.2', 'latest'])('Minecraft %s has no pack', async (version) => {
  expect(await packer().write(version)).toMatchObject({ exit: 2, err: naming('[usage]') });
});
