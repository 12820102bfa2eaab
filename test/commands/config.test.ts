import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { configCommand } from '../../src/commands/config.ts';
import { configJsonSchema, configKeys } from '../../src/config/describe.ts';
import { exampleText } from '../../src/config/example.ts';
import { fakeTerminal } from '../support/fake-terminal.ts';
import { temporaryFolder } from '../support/folder.ts';
import { runCommand } from './run-command.ts';

const config = (...words: string[]) => {
  const terminal = fakeTerminal();
  return runCommand(configCommand(terminal), terminal, words);
};

const fileOf = (text: string) => path.join(temporaryFolder({ 'config.json': text }), 'config.json');

test('config schema prints the JSON Schema', async () => {
  const { out, exit } = await config('schema');
  expect(exit).toBe(0);
  expect(JSON.parse(out)).toEqual(JSON.parse(JSON.stringify(configJsonSchema())));
});

describe('config explain', () => {
  test('prints a line for every key', async () => {
    const { out, exit } = await config('explain');
    const lines = out.split('\n');
    expect(exit).toBe(0);
    expect(lines[0]).toMatch(/^KEY +TYPE +DEFAULT +RELOAD +MEANING$/);
    expect(lines).toHaveLength(configKeys().length + 1);
    expect(out).toMatch(
      /^listener\.port +port +8192 +restart +Port that votes come in on; 0 takes any free one\.$/m,
    );
  });

  test('prints an array for scripts', async () => {
    const { out } = await config('explain', '--json');
    expect(JSON.parse(out)).toContainEqual({
      key: 'ledger',
      type: 'file',
      default: '"data/teller.db"',
      reload: 'restart',
      meaning: 'SQLite file of every vote and every grant.',
    });
  });
});

describe('config check', () => {
  test('says ok', async () => {
    expect(await config('check', fileOf('{}'))).toEqual({ exit: 0, out: 'ok', err: '' });
  });

  test('prints every problem with its place and ends 2', async () => {
    const file = fileOf('{\n "listner": {},\n "log": {"level": "inof"}\n}');
    expect(await config('check', file)).toEqual({
      exit: 2,
      out: [
        `${file}:2:2 listner: there is no such key; perhaps you meant 'listener' [config-unknown-key]`,
        `${file}:3:19 log.level: must be one of "debug", "info", "warn", "error", "silent"; perhaps you meant "info" [config-value]`,
      ].join('\n'),
      err: '',
    });
  });

  test('prints the problems as an array for scripts, an empty one when there are none', async () => {
    const { out, exit } = await config('check', fileOf('{"port": 1}'), '--json');
    expect(exit).toBe(2);
    expect(JSON.parse(out)).toEqual([
      {
        severity: 'problem',
        code: 'config-unknown-key',
        path: 'port',
        line: 1,
        column: 2,
        sentence: expect.stringContaining('there is no such key'),
      },
    ]);
    expect((await config('check', fileOf('{}'), '--json')).out).toBe('[]');
  });

  test('reports a syntax error, and a text that is not UTF-8, as problems', async () => {
    expect((await config('check', fileOf('{"a" 1}'))).exit).toBe(2);
    const { out, exit } = await config('check', fileOf(exampleText.replace('{', '{ // hi')));
    expect(exit).toBe(2);
    expect(out).toMatch(/:1:3 comments are not JSON.*\[config-syntax\]$/);
  });

  test('mentions a secret that is not here, which is no fault of the file', async () => {
    const { out, err, exit } = await config('check', fileOf(exampleText));
    expect([out, exit]).toEqual(['ok', 0]);
    expect(err).toMatch(
      /^note: .*sites\.default\.token: .* does not exist \[secret-missing\]; `teller run` needs it$/,
    );
  });

  test('makes it a problem with --secrets', async () => {
    const { out, err, exit } = await config('check', fileOf(exampleText), '--secrets');
    expect([err, exit]).toEqual(['', 2]);
    expect(out).toMatch(/\[secret-missing\]$/);
  });

  test('says config-missing where there is no file', async () => {
    const { err, exit } = await config('check', path.join(temporaryFolder(), 'nowhere.json'));
    expect(exit).toBe(2);
    expect(err).toMatch(/^error: the config .*nowhere\.json does not exist \[config-missing\]$/);
  });
});
