import { exec } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { README } from '../support/docs.ts';
import { cloneFolder, typed } from '../support/npm.ts';
import { shellLinesIn } from '../support/page-code.ts';
import { PASSWORD, practice } from '../support/rcon.ts';

const readme = readFileSync(README, 'utf8');

test('the commands of the README do what it says, from the installation to `check`', {
  timeout: 120_000,
}, async () => {
  const [install, start = '', send, explain = '', inventory = '', connect = '', check = '', ...rest] =
    shellLinesIn(readme);
  expect(rest, 'a command that is added to the README is added here').toEqual([]);
  // A clone cannot be installed during its own tests. CI installs it first.
  expect(install).toBe('npm ci');
  expect(readFileSync(join(import.meta.dirname, '../../.ci/run'), 'utf8')).toMatch(/^npm ci\b/m);

  const { folder } = cloneFolder();
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
