import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { typed } from '../kit/typed.ts';
import { temporaryFolder } from '../support/folder.ts';
import { naming, refused } from '../support/naming.ts';

const config = (...words: string[]) => typed(['config', ...words], '');

const fileOf = (text: string) => path.join(temporaryFolder({ 'config.json': text }), 'config.json');

/** The config of a first start, whose token is not there yet. */
const EXAMPLE = readFileSync(path.join(import.meta.dirname, '../../config.example.json'), 'utf8');

test('config explain says of each key its type, its default, whether a reload applies it, and what it means', async () => {
  const { json, exit } = await config('explain', '--json');
  const meaning = expect.stringMatching(/\w/);
  expect(exit).toBe(0);
  for (const row of [
    { key: 'ledger', type: 'file', default: '"data/teller.db"', reload: 'restart', meaning },
    { key: 'listener.port', type: 'port', default: '8192', reload: 'restart', meaning },
  ])
    expect(json).toContainEqual(row);
});

test('config check says ok, and mentions a missing secret, which is a problem only with --secrets', async () => {
  expect(await config('check', fileOf('{}'))).toMatchObject({ exit: 0, out: 'ok', err: '' });
  expect(await config('check', fileOf(EXAMPLE))).toMatchObject({
    ...{ exit: 0, out: 'ok' },
    err: naming(/^note: /, 'sites.default.token', '[secret-missing]', '`teller run`'),
  });
  const problem = { exit: 2, err: '', out: naming(/\[secret-missing\]$/) };
  expect(await config('check', fileOf(EXAMPLE), '--secrets')).toMatchObject(problem);
});

test('config check prints every problem with its place, or as an array for scripts, and exits 2', async () => {
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
  const scripted = await config('check', file, '--json');
  const [severity, sentence] = ['problem', expect.any(String)];
  expect([scripted.exit, scripted.json]).toEqual([
    2,
    [
      { severity, code: 'config-unknown-key', path: 'listner', line: 2, column: 2, sentence },
      { severity, code: 'config-value', path: 'log.level', line: 3, column: 19, sentence },
    ],
  ]);
  expect((await config('check', fileOf('{}'), '--json')).out).toBe('[]');
});

test('config check reports a syntax error, and that there is no file', async () => {
  expect((await config('check', fileOf('{"a" 1}'))).exit).toBe(2);
  const { out, exit } = await config('check', fileOf(EXAMPLE.replace('{', '{ # hi')));
  expect([exit, out]).toEqual([2, expect.stringMatching(/^[^\n]*:1:3 .*comment.*\[config-syntax\]/)]);
  const missing = path.join(temporaryFolder(), 'nowhere.json');
  const named = /^error: .*nowhere\.json.* \[config-missing\]$/;
  expect(await config('check', missing)).toEqual(refused(2, named));
});

test('config check warns of what is probably a mistake in a reward, without counting it as a problem', async () => {
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
