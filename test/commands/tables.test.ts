import { cpSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { printTable } from '../../src/commands/command.ts';
import { typed } from '../kit/typed.ts';
import { fakeTerminal } from '../support/fake-terminal.ts';
import { temporaryFolder } from '../support/folder.ts';

const explained = async (width?: number) => {
  const person = width === undefined ? undefined : { width };
  return (await typed(['config', 'explain'], null, undefined, person)).out.split('\n');
};

/** The same rows for scripts. */
const keys: readonly Record<string, string>[] = (await typed(['config', 'explain', '--json'], null)).json;

test.each([60, 80, 200])('no line of a table is longer than a terminal of %i characters', async (width) => {
  const lines = await explained(width);
  expect(lines.filter((line) => line.length > width)).toEqual([]);
  const words = lines.join(' ').split(/\s+/);
  expect(words.join(' ')).toContain('MEANING');
  expect(lines.length).toBeGreaterThan(keys.length + 1);
});

test('a table that fits is aligned, and a cell that does not is wrapped between its words in its column', () => {
  const terminal = fakeTerminal(true, 24);
  printTable(terminal, [
    ['CODE', 'WHAT', 'AT'],
    ['a', 'b', 'c'],
    ['port', 'nothing listens', 'main'],
    ['0123456789012', '', 'x'],
  ]);
  expect(terminal.outLines).toEqual([
    'CODE      WHAT      AT',
    'a         b         c',
    'port      nothing   main',
    '          listens',
    '01234567            x',
    '89012',
  ]);
});

test('in a pipe, each row is one line with two spaces between its cells', async () => {
  const lines = await explained();
  const cells = keys.map(({ key, type, default: value, reload, meaning }) =>
    [key, type, value, reload, meaning].join('  ').trimEnd(),
  );
  expect(lines).toEqual(['KEY  TYPE  DEFAULT  RELOAD  MEANING', ...cells]);
});

test('an import prints the first of many keys and how many there are, and --json has all', async () => {
  const into = temporaryFolder({});
  const plugin = path.join(into, 'VotingPlugin');
  cpSync(path.resolve(import.meta.dirname, '../plugins/samples/votingplugin'), plugin, { recursive: true });
  const config = ['A', 'B', 'C', 'D', 'E'].map((key) => `Unknown${key}: 1\n`).join('');
  cpSync(path.join(temporaryFolder({ 'Config.yml': config }), 'Config.yml'), path.join(plugin, 'Config.yml'));
  const run = async (...words: string[]) => {
    const given = ['import', 'votingplugin', plugin, '--dry-run', ...words];
    return (await typed(given, path.join(into, 'config.json'))).out;
  };
  expect(await run()).toContain('Config.yml: UnknownA, UnknownB, UnknownC and 2 more  ');
  expect(JSON.parse(await run('--json'))).toContainEqual(
    expect.objectContaining({ what: 'Config.yml: UnknownA, UnknownB, UnknownC, UnknownD, UnknownE' }),
  );
});
