import { expect, test } from 'vitest';
import { rewardsCommand } from '../../src/commands/rewards.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { configFolder } from '../support/config-folder.ts';
import { fakeTerminal } from '../support/fake-terminal.ts';
import { runCommand } from './run-command.ts';

const REWARDS = [
  {
    name: 'crate',
    if: { chance: '5%' },
    commands: ['give {player} chest 1'],
    otherwise: ['say {player} lost'],
    message: 'You won\nthe &6crate',
  },
];

function list(overrides: object, ...flags: readonly string[]) {
  const { config } = configFolder({ timeZone: 'UTC', rewards: REWARDS, ...overrides });
  const terminal = fakeTerminal();
  return runCommand(rewardsCommand(terminal, systemClock), terminal, ['list', '--config', config, ...flags]);
}

test('rewards list says what the config promises, one entry after the other', async () => {
  const { exit, out } = await list({});
  expect(exit).toBe(0);
  expect(out.split('\n')).toEqual([
    'main is a practice server, where no real player is paid.',
    'Days, weeks and months begin in the time zone UTC.',
    '',
    'reward crate',
    '  Players get it for every vote, with a chance of 5%.',
    '  Drawn: 5% won or 95% otherwise.',
    '    won, 5%:',
    '      give {player} chest 1',
    '      the player sees in chat: You won / the crate',
    '    otherwise, 95%:',
    '      say {player} lost',
    '  Paid on main as soon as they are online there.',
    '',
    'site default',
    '  All services without an entry of their own share one window: a player is rewarded once every 24 hours.',
    '',
    'game servers',
    '  main: the game server inside this process',
  ]);
});

test('rewards list prints JSON with the same sentences, and the shares as numbers', async () => {
  const { out } = await list({}, '--json');
  const rows = JSON.parse(out);
  expect(rows.map(({ kind }: { kind: string }) => kind)).toEqual([
    'note',
    'note',
    'reward',
    'site',
    'gameServer',
  ]);
  expect(rows[2]).toMatchObject({
    name: 'crate',
    odds: '5% won or 95% otherwise',
    choices: [
      { lead: 'won', share: 0.05 },
      { lead: 'otherwise', share: 0.95 },
    ],
  });
});

test('rewards list reports a config with faults and exits with 2', async () => {
  expect((await list({ rewards: [{ nam: 'x' }] })).exit).toBe(2);
});
