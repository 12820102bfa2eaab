/** The package as `npm pack` makes it: what it ships, how npm installs it, and the examples of its page for developers. */
import { spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ENTRIES } from '../../build/bundle.ts';
import { furnish } from '../kit/place.ts';
import { temporaryFolder } from '../support/folder.ts';
import { typed } from '../support/npm.ts';
import { linkDependencies } from '../support/package.ts';

const ROOT = join(import.meta.dirname, '../..');
const PACKED = ['package.json', 'package-lock.json', 'tsconfig.json', 'src', 'protocol', 'build', 'docs'];
const AT_ONCE = ['--count', '64', '--concurrency', '64'];
const DAILY = { rewards: [{ name: 'daily', commands: ['give {player} diamond 1'] }] };
const SOON = { timeout: 30_000 };

const clone = mkdtempSync(join(tmpdir(), 'teller-packed-'));
afterAll(() => rmSync(clone, { recursive: true, force: true }));
/** What `npm pack` makes. */
let archive = '';
/** A folder with what it ships and the packages that npm installs with it. */
const installed = join(clone, 'package');
const command = join(installed, 'dist/cli.js');
const teller = (args: readonly string[], folder = installed) =>
  spawnSync(process.execPath, [command, ...args], { cwd: folder, encoding: 'utf8' });

function npm(cwd: string, ...words: string[]): void {
  const { status, stderr } = spawnSync('npm', words, { cwd, encoding: 'utf8' });
  expect(status, stderr).toBe(0);
}

beforeAll(() => {
  for (const name of PACKED) cpSync(join(ROOT, name), join(clone, name), { recursive: true });
  symlinkSync(join(ROOT, 'node_modules'), join(clone, 'node_modules'));
  npm(clone, 'pack');
  archive = join(clone, readdirSync(clone).find((file) => file.endsWith('.tgz')) ?? '');
  spawnSync('tar', ['xzf', archive], { cwd: clone });
  linkDependencies(join(installed, 'node_modules'));
}, 240_000);

test('what `npm pack` ships has every module that is loaded by its URL beside the code that loads it, in one folder', () => {
  const names = Object.keys(ENTRIES).map((entry) => basename(entry, '.ts'));
  for (const name of names) expect(existsSync(join(installed, `dist/${name}.js`)), name).toBe(true);
  const others = readdirSync(join(installed, 'dist')).filter((file) => !/\.js(?:\.map)?$/.test(file));
  expect(others.toSorted()).toEqual(['THIRD-PARTY-LICENSES.txt', 'vote-teller.d.ts']);
});

test('what `npm pack` ships has the licence of every package whose code is in it', () => {
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

test('what `npm pack` ships prints its version, lists every command with its description, and has the help of each', () => {
  const { version } = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8'));
  expect(teller(['--version']).stdout).toBe(`${version}\n`);
  const { stdout } = teller(['--help']);
  const commands = [...stdout.matchAll(/^ {2}([a-z-]+)(?: .*)? {2}\S/gm)].map(([, name = '']) => name);
  const some = 'run check explain preview sites votes grants keys import listing'.split(' ');
  expect(commands).toEqual(expect.arrayContaining(some));
  for (const name of commands.filter((each) => each !== 'help'))
    expect(teller([name, '--help']).stderr, name).toBe('');
});

test('what `npm pack` ships runs, and takes votes of both versions, with its threads', async () => {
  const { folder, config } = furnish(temporaryFolder());
  const { port, output } = await typed(process.execPath, [command, 'run', '--config', config], folder);
  const send = (...flags: string[]) =>
    teller(['send', '--config', config, '--port', String(port), ...AT_ONCE, ...flags], folder);
  expect(send('--player', 'V2_{n}').status).toBe(0);
  const publicKey = join(folder, 'data/keys/public.key');
  expect(send('--player', 'V1_{n}', '--public-key', publicKey).status).toBe(0);
  const votes = () => teller(['votes', '--config', config, '--json', '--limit', '500'], folder).stdout;
  await expect.poll(() => votes().match(/"V[12]_\d+"/g)?.length ?? 0, SOON).toBeGreaterThanOrEqual(128);
  expect(output()).not.toContain('process-warning');
});

test('what `npm pack` ships runs the loop, with the threads of the listing service', async () => {
  const { folder } = furnish(temporaryFolder());
  const loop = [command, 'loop', '--port', '0', '--listener-port', '0', '--console-port', '0'];
  const { output } = await typed(process.execPath, loop, folder);
  const [, url = ''] = /"listing":\{"url":"([^"]+)"/.exec(output()) ?? [];
  const as = ['--as', 'viktor', '--url', url];
  const vote = ['dashboard', 'vote', 'Alex', '--listing', 'Sample Craft', ...as];
  expect(teller(vote, folder)).toMatchObject({ status: 0, stderr: '' });
  const inventory = ['practice', 'inventory', 'Alex', '--config', 'data/loop/config.json'];
  await expect.poll(() => teller(inventory, folder).stdout, SOON).toMatch(/diamond +1/);
});

/**
 * npm installs from its registry. Only the SQLite driver is not compiled again, which takes minutes: the one that this clone
 * has, of the same version, is copied.
 */
test('npm installs the packed file in an empty folder; it runs, takes and pays a vote, and is removed', async () => {
  const home = join(clone, 'home');
  mkdirSync(home);
  npm(home, 'install', '--prefix', home, '--ignore-scripts', '--no-audit', '--no-fund', archive);
  const driver = 'node_modules/better-sqlite3/build/Release/better_sqlite3.node';
  cpSync(join(ROOT, driver), join(home, driver));

  const program = join(home, 'node_modules/.bin/teller');
  const { folder, config } = furnish(temporaryFolder(), DAILY);
  const type = (...words: string[]) => spawnSync(program, words, { cwd: folder, encoding: 'utf8' });
  const { process, port } = await typed(program, ['run', '--config', config], folder);
  const sent = type('send', '--config', config, '--port', String(port), '--player', 'Steve');
  expect(sent).toMatchObject({ status: 0, stdout: expect.stringContaining('[accepted]') });
  const inventory = () => type('practice', 'inventory', 'Steve', '--config', config).stdout;
  await expect.poll(inventory, SOON).toMatch(/diamond +1/);
  process.kill('SIGTERM');
  await expect.poll(() => process.exitCode, SOON).toBe(0);

  npm(home, 'uninstall', '--prefix', home, '--no-audit', '--no-fund', 'vote-teller');
  expect([existsSync(program), existsSync(join(home, 'node_modules/vote-teller'))]).toEqual([false, false]);
  expect(existsSync(join(folder, 'data/teller.db'))).toBe(true);
}, 240_000);

const PAGE = readFileSync(join(ROOT, 'docs/developers/library.md'), 'utf8');
const examples = (language: string): readonly string[] =>
  [...PAGE.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\``, 'gms'))].map(([, code = '']) => code);

const STRICT = {
  compilerOptions: {
    ...{ target: 'ES2022', lib: ['ES2022', 'DOM'], types: [] },
    ...{ module: 'nodenext', moduleResolution: 'nodenext' },
    ...{
      strict: true,
      exactOptionalPropertyTypes: true,
      noUncheckedIndexedAccess: true,
      skipLibCheck: false,
    },
  },
};

describe('the examples of the page for developers, with the package as it is installed', () => {
  const folder = join(clone, 'library');
  const runs = (file: string) => spawnSync(process.execPath, [file], { cwd: folder, encoding: 'utf8' });

  beforeAll(() => {
    mkdirSync(join(folder, 'node_modules'), { recursive: true });
    symlinkSync(installed, join(folder, 'node_modules/vote-teller'));
    writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
  });

  test('run as ES modules', () => {
    writeFileSync(join(folder, 'example.js'), examples('js')[0] ?? '');
    expect(runs('example.js')).toMatchObject({ stdout: 'yes Steve MyList.example\n', stderr: '', status: 0 });
  });

  test('compile as strict TypeScript, and run', () => {
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(STRICT));
    writeFileSync(join(folder, 'example.ts'), examples('ts')[0] ?? '');
    const compiled = spawnSync(join(ROOT, 'node_modules/.bin/tsc'), ['-p', folder], { encoding: 'utf8' });
    expect(compiled.stdout).toBe('');
    expect(compiled.status).toBe(0);
    const { stdout, stderr, status } = runs('example.js');
    expect({ stdout, status }).toEqual({ stdout: 'no port-refused\n', status: 0 });
    expect(stderr).toContain('Nothing listens at 127.0.0.1:9');
  });

  test('are all of the examples', () => {
    expect(['js', 'ts'].map((language) => examples(language).length)).toEqual([1, 1]);
  });

  test('import nothing else from the package', () => {
    writeFileSync(join(folder, 'inside.js'), `import 'vote-teller/dist/cli.js';`);
    expect(runs('inside.js').stderr).toContain('ERR_PACKAGE_PATH_NOT_EXPORTED');
  });
});
