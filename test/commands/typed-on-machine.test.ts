import { join, resolve } from 'node:path';
import type { CommandUnknownOpts } from '@commander-js/extra-typings';
import { expect, test } from 'vitest';
import { typedOnMachine } from '../../src/commands/typed-on-machine.ts';
import { allCommands } from '../support/generated-tables.ts';
import { optionsOf } from '../support/page-commands.ts';

const IN_CLONE = 'node dist/cli.js';

test.each([
  ['the config that commands read anyway', resolve('config.json'), 'check'],
  ['a config below', resolve('data/loop/config.json'), 'check --config data/loop/config.json'],
  ['a config elsewhere', '/srv/teller/config.json', 'check --config /srv/teller/config.json'],
  ['a path with a space', '/srv/my teller/config.json', 'check --config "/srv/my teller/config.json"'],
])('a command is named as it is typed here, with %s', (_, file, typed) => {
  expect(typedOnMachine(IN_CLONE, file)('check')).toBe(`${IN_CLONE} ${typed}`);
});

test('exactly the commands that take a config are named with it', async () => {
  const typed = typedOnMachine(IN_CLONE, join('/', 'srv', 'config.json'));
  const commands = await allCommands();
  for (const command of [...leavesOf(commands), ...commands.filter((one) => one.name() === 'practice')])
    expect(typed(nameOf(command)).includes('--config'), nameOf(command)).toBe(takesConfig(command));
});

const leavesOf = (commands: readonly CommandUnknownOpts[]): readonly CommandUnknownOpts[] =>
  commands.flatMap((command) => (command.commands.length === 0 ? [command] : leavesOf(command.commands)));

const nameOf = (command: CommandUnknownOpts): string =>
  [...(command.parent === null ? [] : [nameOf(command.parent)]), command.name()].join(' ');

const takesConfig = (command: CommandUnknownOpts): boolean =>
  optionsOf(command).some(({ long }) => long === '--config');
