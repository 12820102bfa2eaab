import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const ROOT = join(import.meta.dirname, '../..');

const teller = (...words: string[]) => {
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    ['--import', 'tsx', 'src/cli.ts', ...words],
    { cwd: ROOT, encoding: 'utf8' },
  );
  return { status, stdout, stderr };
};

test('every command is listed with what it does', () => {
  const { stdout, status } = teller('--help');
  expect(status).toBe(0);
  for (const name of [
    'run',
    'check',
    'explain',
    'preview',
    'sites',
    'votes',
    'grants',
    'keys',
    'config',
    'import',
  ]) {
    expect(stdout).toMatch(new RegExp(`^  ${name}\\b.*  \\S`, 'm'));
  }
});

test.each([[['votes', '--bogus']], [['grants', 'pay', '--bogus']], [['keys', 'rotate', 'rsa', '--bogus']]])(
  '%j is wrong usage, and 2, in subcommands too',
  (words) => {
    expect(teller(...words)).toMatchObject({ status: 2, stderr: "error: unknown option '--bogus'\n" });
  },
);
