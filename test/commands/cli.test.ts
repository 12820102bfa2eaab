import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import type { CommandUnknownOpts as Command } from '@commander-js/extra-typings';
import { expect, test } from 'vitest';
import { loadCommands } from '../../src/commands/all.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { systemRandom } from '../../src/platform/random.ts';
import { configFolder } from '../support/config-folder.ts';
import { fakeTerminal } from '../support/fake-terminal.ts';
import { CLI, compiled } from '../support/processes.ts';

const ROOT = join(import.meta.dirname, '../..');

const node = (...args: string[]) => spawnSync(process.execPath, args, { cwd: ROOT, encoding: 'utf8' });
const installed = (...words: string[]) => node(compiled(CLI), ...words);
const cloned = (...words: string[]) => node('--import', 'tsx', CLI, ...words);

test.each([
  ['installed', installed],
  ['in a clone', cloned],
])('lists every command with its description, %s', (_, teller) => {
  const { stdout, status } = teller('--help');
  expect(status).toBe(0);
  for (const name of ['run', 'check', 'explain', 'preview', 'sites', 'votes', 'grants', 'keys', 'import'])
    expect(stdout).toMatch(new RegExp(`^  ${name}\\b.*  \\S`, 'm'));
});

test('messages show commands as they are typed in a clone or in an installed package', () => {
  const { config } = configFolder();
  const words = ['explain', 'Steve', '--config', config];
  expect(installed(...words).stderr).toContain('`teller run`');
  expect(cloned(...words).stderr).toContain('`node dist/cli.js run`');
  expect(cloned('explain', '--help').stdout).toContain('Usage: node dist/cli.js explain');
  expect(cloned('dashboard', '--help').stdout).toContain('  node dist/cli.js dashboard vote Steve');
});

test.each([
  [['keys', 'rotate', 'rsa', '--bogus'], "error: unknown option '--bogus' [usage]"],
  [['votes', '--jsn'], "error: unknown option '--jsn' (Did you mean --json?) [usage]"],
  [['votes', 'Steve'], "error: too many arguments for 'votes'. Expected 0 arguments but got 1. [usage]"],
  [['explain'], "error: missing required argument 'name' [usage]"],
  [['votess'], "error: unknown command 'votess' (Did you mean votes?) [usage]"],
])('%j is wrong usage and exits 2', (words, line) => {
  expect(installed(...words)).toMatchObject({ status: 2, stderr: `${line}\n` });
});

test.each([[[]], [['keys', 'rotate']]])('%j shows the help, and is wrong usage', (words) => {
  const { status, stderr } = installed(...words);
  expect(status).toBe(2);
  expect(stderr).toContain('Usage: teller');
  expect(stderr.trimEnd()).toMatch(/^error: .*\[usage\]$/m);
});

const GROUPS = [
  ...['config', 'dashboard', 'game-servers', 'import', 'players'],
  ...['rewards', 'rotate', 'service', 'shadow', 'webhook'],
];

/** Commands with an action, with their parents: `grants` and `grants pay`. */
const paths = (command: Command, parents: readonly Command[] = []): Command[][] => {
  const path = [...parents, command];
  const isGroup = GROUPS.includes(command.name());
  return [...(isGroup ? [] : [path]), ...command.commands.flatMap((child) => paths(child, path))];
};

test('every command accepts --json', async () => {
  const parts = { clock: systemClock, random: systemRandom, stopped: async () => {}, teller: 'teller' };
  const commands = await loadCommands(fakeTerminal(), parts);
  const without = commands
    .flatMap((command) => paths(command))
    .filter((path) => !path.some(({ options }) => options.some(({ long }) => long === '--json')))
    .map((path) => path.map((command) => command.name()).join(' '));
  expect(without).toEqual([]);
});
