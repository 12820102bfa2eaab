import { chmodSync, existsSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { systemHost } from '../../src/platform/service/host.ts';
import { temporaryFolder } from '../support/folder.ts';

const host = systemHost(false);

test('says who may change a file, of a link about the link, and null where there is nothing', async () => {
  const folder = temporaryFolder({ file: 'x' });
  chmodSync(join(folder, 'file'), 0o624);
  symlinkSync('nowhere', join(folder, 'link'));
  const own = { uid: process.getuid?.(), gid: process.getgid?.() };
  expect(await host.rights(join(folder, 'file'))).toEqual({ ...own, mode: 0o624, isLink: false });
  expect(await host.rights(join(folder, 'link'))).toMatchObject({ isLink: true });
  expect(await host.rights(join(folder, 'nothing'))).toBeNull();
});

test('lists everything below a folder', async () => {
  const folder = temporaryFolder({ 'a/b/c': '' });
  const names = ['a', 'a/b', 'a/b/c'].map((name) => join(folder, name));
  expect((await host.below(folder)).toSorted()).toEqual(names);
});

test('knows the users of the machine', async () => {
  expect([await host.userId('root'), await host.userId('nobody-has-this-name')]).toEqual([0, null]);
});

test('writes a file that all can read, reads it and removes it', async () => {
  const file = join(temporaryFolder(), 'teller.service');
  expect(await host.read(file)).toBeNull();
  await host.write(file, 'unit');
  expect([await host.read(file), (await host.rights(file))?.mode]).toEqual(['unit', 0o644]);
  await host.remove(file);
  expect(existsSync(file)).toBe(false);
});

test('runs a command; its failure is service-failed, with what it printed', async () => {
  const file = join(temporaryFolder(), 'ran');
  await host.run(['sh', '-c', `printf yes > '${file}'`]);
  expect(readFileSync(file, 'utf8')).toBe('yes');
  await expect(host.run(['sh', '-c', 'echo no such unit >&2; exit 1'])).rejects.toMatchObject({
    ...{ code: 'service-failed', message: expect.stringContaining('no such unit') },
  });
});
