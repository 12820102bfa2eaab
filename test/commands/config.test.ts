import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { configJsonSchema, configKeys } from '../../src/config/describe.ts';
import { exampleText } from '../../src/config/example.ts';
import { typed } from '../kit/typed.ts';
import { temporaryFolder } from '../support/folder.ts';
import { naming } from '../support/naming.ts';

const config = (...words: string[]) => typed(['config', ...words], '');

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
    expect(out).toMatch(/^listener\.port +port +8192 +restart +\S.*\b0\b.*$/m);
  });

  test('prints an array for scripts', async () => {
    const { out } = await config('explain', '--json');
    expect(JSON.parse(out)).toContainEqual({
      key: 'ledger',
      type: 'file',
      default: '"data/teller.db"',
      reload: 'restart',
      meaning: configKeys().find(({ key }) => key === 'ledger')?.meaning,
    });
  });
});

describe('config check', () => {
  test('says ok', async () => {
    expect(await config('check', fileOf('{}'))).toMatchObject({ exit: 0, out: 'ok', err: '' });
  });

  test('prints every problem with its place and exits 2', async () => {
    const file = fileOf('{\n "listner": {},\n "log": {"level": "inof"}\n}');
    const { out, err, exit } = await config('check', file);
    expect([exit, err]).toEqual([2, '']);
    expect(out.split('\n')).toEqual([
      naming(`${file}:2:2 listner: `, "'listener'", /\[config-unknown-key\]$/),
      naming(
        `${file}:3:19 log.level: `,
        '"debug", "info", "warn", "error", "silent"',
        /"info" \[config-value\]$/,
      ),
    ]);
  });

  test('prints the problems as an array for scripts, empty if there are none', async () => {
    const { out, exit } = await config('check', fileOf('{"port": 1}'), '--json');
    expect(exit).toBe(2);
    expect(JSON.parse(out)).toEqual([
      {
        severity: 'problem',
        code: 'config-unknown-key',
        path: 'port',
        line: 1,
        column: 2,
        sentence: expect.any(String),
      },
    ]);
    expect((await config('check', fileOf('{}'), '--json')).out).toBe('[]');
  });

  test('reports a syntax error, and a file that is not UTF-8, as problems', async () => {
    expect((await config('check', fileOf('{"a" 1}'))).exit).toBe(2);
    const { out, exit } = await config('check', fileOf(exampleText.replace('{', '{ # hi')));
    expect(exit).toBe(2);
    expect(out).toMatch(/^[^\n]*:1:3 .*comment.*\[config-syntax\]/);
  });

  test('mentions a missing secret without counting it as a problem', async () => {
    const { out, err, exit } = await config('check', fileOf(exampleText));
    expect([out, exit]).toEqual(['ok', 0]);
    expect(err).toEqual(naming(/^note: /, 'sites.default.token', '[secret-missing]', '`teller run`'));
  });

  test('reports a missing secret as a problem with --secrets', async () => {
    const { out, err, exit } = await config('check', fileOf(exampleText), '--secrets');
    expect([err, exit]).toEqual(['', 2]);
    expect(out).toMatch(/\[secret-missing\]$/);
  });

  test('warns of what is probably a mistake in a reward, without counting it as a problem', async () => {
    const rewards = [{ name: 'daily', commands: ['say {player} has {vote}'] }];
    const file = fileOf(JSON.stringify({ rewards }));
    const { out, err, exit } = await config('check', file);
    expect([out, exit]).toEqual(['ok', 0]);
    expect(err).toEqual(naming(/^warning: /, 'daily', '{vote}', '{votes}', /\[placeholder-unknown\]$/));
    const rows = JSON.parse((await config('check', file, '--json')).out);
    expect(rows).toEqual([
      {
        severity: 'warning',
        code: 'placeholder-unknown',
        sentence: naming('daily', '{vote}'),
        toDo: naming('{votes}'),
      },
    ]);
  });

  test('says config-missing if there is no file', async () => {
    const { err, exit } = await config('check', path.join(temporaryFolder(), 'nowhere.json'));
    expect(exit).toBe(2);
    expect(err).toMatch(/^error: .*nowhere\.json.* \[config-missing\]$/);
  });
});
