import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { typed } from '../kit/typed.ts';
import { temporaryFolder } from '../support/folder.ts';
import { naming } from '../support/naming.ts';

const config = (...words: string[]) => typed(['config', ...words], '');

const fileOf = (text: string) => path.join(temporaryFolder({ 'config.json': text }), 'config.json');

/** The config of a first start, whose token is not there yet. */
const EXAMPLE = readFileSync(path.join(import.meta.dirname, '../../config.example.json'), 'utf8');

test('config schema prints the JSON Schema', async () => {
  const { out, exit } = await config('schema');
  expect(exit).toBe(0);
  expect(JSON.parse(out)).toMatchObject({
    $schema: expect.stringContaining('json-schema.org'),
    properties: { listener: { properties: { port: { default: 8192 } } }, rewards: {}, sites: {} },
  });
});

test('config explain prints a line for every key, and an array for scripts', async () => {
  const { out, exit } = await config('explain');
  const { json } = await config('explain', '--json');
  const lines = out.split('\n');
  expect([exit, lines.length]).toEqual([0, json.length + 1]);
  expect(lines[0]).toMatch(/^KEY +TYPE +DEFAULT +RELOAD +MEANING$/);
  expect(out).toMatch(/^listener\.port +port +8192 +restart +\S.*\b0\b.*$/m);
  expect(json).toContainEqual({
    ...{ key: 'ledger', type: 'file', default: '"data/teller.db"', reload: 'restart' },
    meaning: expect.stringMatching(/\w/),
  });
});

describe('config check', () => {
  test('says ok, and mentions a missing secret, which is a problem only with --secrets', async () => {
    expect(await config('check', fileOf('{}'))).toMatchObject({ exit: 0, out: 'ok', err: '' });
    expect(await config('check', fileOf(EXAMPLE))).toMatchObject({
      ...{ exit: 0, out: 'ok' },
      err: naming(/^note: /, 'sites.default.token', '[secret-missing]', '`teller run`'),
    });
    expect(await config('check', fileOf(EXAMPLE), '--secrets')).toMatchObject({
      ...{ exit: 2, err: '', out: naming(/\[secret-missing\]$/) },
    });
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
    const { json, exit } = await config('check', fileOf('{"port": 1}'), '--json');
    expect([exit, json]).toEqual([
      2,
      [
        {
          ...{ severity: 'problem', code: 'config-unknown-key', path: 'port', line: 1, column: 2 },
          sentence: expect.any(String),
        },
      ],
    ]);
    expect((await config('check', fileOf('{}'), '--json')).out).toBe('[]');
  });

  test('reports a syntax error, and that there is no file', async () => {
    expect((await config('check', fileOf('{"a" 1}'))).exit).toBe(2);
    const { out, exit } = await config('check', fileOf(EXAMPLE.replace('{', '{ # hi')));
    expect([exit, out]).toEqual([2, expect.stringMatching(/^[^\n]*:1:3 .*comment.*\[config-syntax\]/)]);
    const missing = await config('check', path.join(temporaryFolder(), 'nowhere.json'));
    expect([missing.exit, missing.err]).toEqual([
      ...[2, expect.stringMatching(/^error: .*nowhere\.json.* \[config-missing\]$/)],
    ]);
  });

  test('warns of what is probably a mistake in a reward, without counting it as a problem', async () => {
    const rewards = [{ name: 'daily', commands: ['say {player} has {vote}'] }];
    const file = fileOf(JSON.stringify({ rewards }));
    const { out, err, exit } = await config('check', file);
    expect([out, exit]).toEqual(['ok', 0]);
    expect(err).toEqual(naming(/^warning: /, 'daily', '{vote}', '{votes}', /\[placeholder-unknown\]$/));
    expect((await config('check', file, '--json')).json).toEqual([
      {
        ...{ severity: 'warning', code: 'placeholder-unknown' },
        ...{ sentence: naming('daily', '{vote}'), toDo: naming('{votes}') },
      },
    ]);
  });
});
