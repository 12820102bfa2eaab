import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { configFolder } from '../support/config-folder.ts';
import { typed } from '../support/npm.ts';

const ROOT = join(import.meta.dirname, '../..');
const PACKED = ['package.json', 'package-lock.json', 'tsconfig.json', 'src', 'protocol', 'build', 'docs'];

const folder = mkdtempSync(join(tmpdir(), 'teller-install-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function npm(cwd: string, ...words: string[]): void {
  const { status, stderr } = spawnSync('npm', words, { cwd, encoding: 'utf8' });
  expect(status, stderr).toBe(0);
}

/** What `npm pack` creates. */
function packed(): string {
  const clone = join(folder, 'clone');
  for (const name of PACKED) cpSync(join(ROOT, name), join(clone, name), { recursive: true });
  symlinkSync(join(ROOT, 'node_modules'), join(clone, 'node_modules'));
  npm(clone, 'pack');
  return join(clone, readdirSync(clone).find((file) => file.endsWith('.tgz')) ?? '');
}

/**
 * npm installs from its registry. Only the SQLite driver is not compiled again, which takes minutes: the one that this clone
 * has, of the same version, is copied.
 */
test('npm installs the packed file in an empty folder; it runs, takes and pays a vote, and is removed', async () => {
  const archive = packed();
  const home = join(folder, 'home');
  mkdirSync(home);
  npm(home, 'install', '--prefix', home, '--ignore-scripts', '--no-audit', '--no-fund', archive);
  const driver = 'node_modules/better-sqlite3/build/Release/better_sqlite3.node';
  cpSync(join(ROOT, driver), join(home, driver));

  const command = join(home, 'node_modules/.bin/teller');
  const { folder: data, config } = configFolder();
  const teller = (...words: string[]) => spawnSync(command, words, { cwd: data, encoding: 'utf8' });
  const { process, port } = await typed(command, ['run', '--config', config], data);
  const sent = teller('send', '--config', config, '--port', String(port), '--player', 'Steve');
  expect(sent).toMatchObject({ status: 0, stdout: expect.stringContaining('[accepted]') });
  const inventory = () => teller('practice', 'inventory', 'Steve', '--config', config).stdout;
  await expect.poll(inventory, { timeout: 30_000 }).toMatch(/diamond +1/);
  process.kill('SIGTERM');
  await expect.poll(() => process.exitCode, { timeout: 30_000 }).toBe(0);

  npm(home, 'uninstall', '--prefix', home, '--no-audit', '--no-fund', 'vote-teller');
  expect([existsSync(command), existsSync(join(home, 'node_modules/vote-teller'))]).toEqual([false, false]);
  expect(existsSync(join(data, 'data/teller.db'))).toBe(true);
}, 240_000);
