/** The commands that the README and the page about the service show. */
import { exec, spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { rconGame } from '../kit/game.ts';
import { temporaryFolder } from '../support/folder.ts';
import { cloneFolder, installedFolder, typed } from '../support/npm.ts';
import { shellLinesIn } from '../support/page-code.ts';

const ROOT = join(import.meta.dirname, '../..');
const readme = readFileSync(join(ROOT, 'README.md'), 'utf8');

test('the commands of the README do what it says, from the installation to `check`', {
  timeout: 120_000,
}, async () => {
  const [install, start = '', send, explain = '', inventory = '', connect = '', check = '', ...rest] =
    shellLinesIn(readme);
  expect(rest, 'a command that is added to the README is added here').toEqual([]);
  // A clone cannot be installed during its own tests. CI installs it first.
  expect(install).toBe('npm ci');
  expect(readFileSync(join(ROOT, '.ci/run'), 'utf8')).toMatch(/^npm ci\b/m);

  const rewards = [{ name: 'daily', commands: ['give {player} diamond 1'] }];
  const { folder } = await cloneFolder({ rewards });
  const run = (line: string) => promisify(exec)(line, { cwd: folder });
  const [program = '', ...args] = start.split(' ');
  const { port } = await typed(program, args, folder);

  expect((await run(`${send} --port ${port}`)).stdout).toContain('[accepted]');
  const paid = async () => (await run(inventory)).stdout;
  await expect.poll(paid, { timeout: 30_000 }).toMatch(/diamond +1/);
  expect((await run(explain)).stdout).toMatch(/rewarded[\s\S]*give Steve diamond/);
  const { port: at, password } = (await rconGame()).entry as { port: number; password: string };
  writeFileSync(join(folder, 'password'), password);
  const line = connect.replace('25575', String(at));
  expect((await run(`${line} --password-file password`)).stdout).toContain('gameServers.main.kind');
  expect((await run(check)).stdout).toMatch(/ok +game-server/);
});

test('a clone that is installed prints commands as they are typed in the folder that one is in', async () => {
  const { folder } = await cloneFolder();
  mkdirSync(join(folder, 'below'));
  const usage = async (line: string, cwd: string) =>
    (await promisify(exec)(line, { cwd })).stdout.split('\n')[0];
  expect(await usage('node dist/cli.js explain --help', folder)).toContain('node dist/cli.js explain');
  expect(await usage('npm run -s teller -- explain --help', ROOT)).toContain('node dist/cli.js explain');
  expect(await usage('node ../dist/cli.js explain --help', join(folder, 'below'))).toContain(
    'node ../dist/cli.js explain',
  );
});

test('the commands on the page about the service find its config, whatever folder they are typed in', () => {
  const { folder } = installedFolder();
  const elsewhere = temporaryFolder({ sudo: '#!/bin/sh\nshift 2\nexec "$@"\n' });
  chmodSync(join(elsewhere, 'sudo'), 0o755);
  const page = readFileSync(join(ROOT, 'docs/operators/service.md'), 'utf8');
  const lines = page.match(/^sudo -u teller .+$/gm) ?? [];
  const check = lines.find((line) => line.endsWith('teller check')) ?? '';
  const { stdout } = spawnSync('sh', ['-c', check.replace('/var/lib/teller', folder)], {
    cwd: elsewhere,
    env: { ...process.env, PATH: `${elsewhere}:${folder}/node_modules/.bin:${process.env.PATH}` },
    encoding: 'utf8',
  });
  expect(stdout).toMatch(/^ok +config +/m);
  expect(lines.filter((line) => !line.startsWith(check.replace(/check$/, '')))).toEqual([]);
});
