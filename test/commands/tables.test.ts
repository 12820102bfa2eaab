import { cpSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { printTable } from '../../src/commands/command.ts';
import { configCommand } from '../../src/commands/config.ts';
import { importCommand } from '../../src/commands/import.ts';
import { configKeys } from '../../src/config/describe.ts';
import { fakeTerminal } from '../support/fake-terminal.ts';
import { fixedRandom } from '../support/fixed-random.ts';
import { temporaryFolder } from '../support/folder.ts';
import { SettableClock } from '../support/settable-clock.ts';
import { runCommand } from './run-command.ts';

const explained = async (width?: number) => {
  const terminal = fakeTerminal(width !== undefined, width);
  const { out } = await runCommand(configCommand(terminal), terminal, ['explain']);
  return out.split('\n');
};

test.each([60, 80, 200])('no line of a table is longer than a terminal of %i characters', async (width) => {
  const lines = await explained(width);
  expect(lines.filter((line) => line.length > width)).toEqual([]);
  const words = lines.join(' ').split(/\s+/);
  expect(words.join(' ')).toContain('MEANING');
  expect(lines.length).toBeGreaterThan(configKeys().length + 1);
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
  const cells = configKeys().map(({ key, type, default: value, reload, meaning }) =>
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
    const terminal = fakeTerminal();
    const tools = { random: fixedRandom(0x33), clock: new SettableClock('2026-06-01T12:00:00Z') };
    const given = ['votingplugin', plugin, '--dry-run', '--config', path.join(into, 'config.json'), ...words];
    return (await runCommand(importCommand(terminal, tools), terminal, given)).out;
  };
  expect(await run()).toContain('Config.yml: UnknownA, UnknownB, UnknownC and 2 more  ');
  expect(JSON.parse(await run('--json'))).toContainEqual(
    expect.objectContaining({ what: 'Config.yml: UnknownA, UnknownB, UnknownC, UnknownD, UnknownE' }),
  );
});
