import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ENTRIES } from '../../build/bundle.ts';
import { configFolder } from '../support/config-folder.ts';
import { typed } from '../support/npm.ts';
import { linkDependencies } from '../support/package.ts';

const ROOT = join(import.meta.dirname, '../..');
const PACKED = ['package.json', 'package-lock.json', 'tsconfig.json', 'src', 'protocol', 'build', 'docs'];

const AT_ONCE = ['--count', '64', '--concurrency', '64'];

/** A folder with what `npm pack` ships and the packages that npm installs with it. */
let installed = '';
const clone = mkdtempSync(join(tmpdir(), 'teller-packed-'));
afterAll(() => rmSync(clone, { recursive: true, force: true }));

const command = () => join(installed, 'dist/cli.js');
const teller = (args: readonly string[], folder = installed) =>
  spawnSync(process.execPath, [command(), ...args], { cwd: folder, encoding: 'utf8' });

beforeAll(() => {
  for (const name of PACKED) cpSync(join(ROOT, name), join(clone, name), { recursive: true });
  symlinkSync(join(ROOT, 'node_modules'), join(clone, 'node_modules'));
  const { status, stderr } = spawnSync('npm', ['pack'], { cwd: clone, encoding: 'utf8' });
  expect(status, stderr).toBe(0);
  const [archive = ''] = readdirSync(clone).filter((file) => file.endsWith('.tgz'));
  spawnSync('tar', ['xzf', archive], { cwd: clone });
  installed = join(clone, 'package');
  linkDependencies(join(installed, 'node_modules'));
}, 120_000);

describe('what `npm pack` ships', () => {
  test('has every module that is loaded by its URL beside the code that loads it, in one folder', () => {
    const names = Object.keys(ENTRIES).map((entry) => basename(entry, '.ts'));
    for (const name of names) expect(existsSync(join(installed, `dist/${name}.js`)), name).toBe(true);
    const others = readdirSync(join(installed, 'dist')).filter((file) => !/\.js(?:\.map)?$/.test(file));
    expect(others.toSorted()).toEqual(['THIRD-PARTY-LICENSES.txt', 'vote-teller.d.ts']);
  });

  test('has the licence of every package whose code is in it', () => {
    const licenses = readFileSync(join(installed, 'dist/THIRD-PARTY-LICENSES.txt'), 'utf8');
    const code = readdirSync(join(installed, 'dist')).filter((file) => file.endsWith('.js'));
    const texts = code.map((file) => readFileSync(join(installed, 'dist', file), 'utf8')).join('');
    const packages = new Set(
      [...texts.matchAll(/^\/\/ \S*node_modules\/((?:@[^/]+\/)?[^/]+)\//gm)].map(([, name]) => name),
    );
    expect([...packages].sort()).toEqual(['@hono/node-server', 'hono', 'leven', 'zod']);
    for (const name of packages)
      expect(licenses).toMatch(new RegExp(`^## ${name} \\d.*\\n+MIT License\\n+Copyright`, 'm'));
  });

  test('prints its version', () => {
    const { version } = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8'));
    expect(teller(['--version']).stdout).toBe(`${version}\n`);
  });

  test('has the help of every command', () => {
    const { stdout } = teller(['--help']);
    const commands = [...stdout.matchAll(/^ {2}([a-z]+) /gm)].map(([, name = '']) => name);
    expect(commands).toContain('listing');
    for (const name of commands.filter((each) => each !== 'help'))
      expect(teller([name, '--help']).stderr, name).toBe('');
  });

  test('runs, and takes votes of both versions, with its threads', async () => {
    const { folder, config } = configFolder();
    const { port, output } = await typed(process.execPath, [command(), 'run', '--config', config], folder);
    const send = (...flags: string[]) =>
      teller(['send', '--config', config, '--port', String(port), ...AT_ONCE, ...flags], folder);
    expect(send('--player', 'V2_{n}').status).toBe(0);
    const publicKey = join(folder, 'data/keys/public.key');
    expect(send('--player', 'V1_{n}', '--public-key', publicKey).status).toBe(0);
    const votes = () => teller(['votes', '--config', config, '--json', '--limit', '500'], folder).stdout;
    await expect
      .poll(() => votes().match(/"V[12]_\d+"/g)?.length ?? 0, { timeout: 30_000 })
      .toBeGreaterThanOrEqual(128);
    expect(output()).not.toContain('process-warning');
  });

  test('runs the loop, with the threads of the listing service', async () => {
    const { folder } = configFolder();
    const loop = [command(), 'loop', '--port', '0', '--listener-port', '0', '--console-port', '0'];
    const { output } = await typed(process.execPath, loop, folder);
    const [, url = ''] = /"listing":\{"url":"([^"]+)"/.exec(output()) ?? [];
    const as = ['--as', 'viktor', '--url', url];
    const vote = ['dashboard', 'vote', 'Alex', '--listing', 'Sample Craft', ...as];
    expect(teller(vote, folder)).toMatchObject({ status: 0, stderr: '' });
    const inventory = ['practice', 'inventory', 'Alex', '--config', 'data/loop/config.json'];
    await expect.poll(() => teller(inventory, folder).stdout, { timeout: 30_000 }).toMatch(/diamond +1/);
  });
});
