import { exec } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { README } from '../support/docs.ts';
import { cloneFolder, typed } from '../support/npm.ts';
import { shellLinesIn } from '../support/page-code.ts';
import { PASSWORD, practice } from '../support/rcon.ts';

const ROOT = join(import.meta.dirname, '../..');
const readme = readFileSync(README, 'utf8');

test('the commands of the README do what it says, from the installation to `check`', {
  timeout: 120_000,
}, async () => {
  const [install, start = '', send, explain = '', inventory = '', connect = '', check = '', ...rest] =
    shellLinesIn(readme);
  expect(rest, 'a command that is added to the README is added here').toEqual([]);
  // A clone cannot be installed during its own tests. CI installs it first.
  expect(install).toBe('npm ci');
  expect(readFileSync(join(ROOT, '.ci/run'), 'utf8')).toMatch(/^npm ci\b/m);

  const { folder } = await cloneFolder();
  const run = (line: string) => promisify(exec)(line, { cwd: folder });
  const [program = '', ...args] = start.split(' ');
  const { port } = await typed(program, args, folder);

  expect((await run(`${send} --port ${port}`)).stdout).toContain('[accepted]');
  const paid = async () => (await run(inventory)).stdout;
  await expect.poll(paid, { timeout: 30_000 }).toMatch(/diamond +1/);
  expect((await run(explain)).stdout).toMatch(/rewarded[\s\S]*give Steve diamond/);
  const game = await practice();
  writeFileSync(join(folder, 'password'), PASSWORD);
  const line = connect.replace('25575', String(game.port));
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
