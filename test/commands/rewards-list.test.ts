import { expect, test } from 'vitest';
import { desk } from '../kit/place.ts';
import { TOKEN } from '../kit/vote.ts';

const CRATE = {
  name: 'crate',
  if: { chance: '5%' },
  commands: ['give {player} chest 1'],
  otherwise: ['say {player} lost'],
  message: 'You won\nthe &6crate',
};

const list = (rewards: readonly object[], ...flags: readonly string[]) =>
  desk({ timeZone: 'UTC', sites: { default: { token: TOKEN } }, rewards }).run('rewards', 'list', ...flags);

test('rewards list says what the config promises, one entry after the other', async () => {
  const { exit, out } = await list([CRATE]);
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
  const { json } = await list([CRATE], '--json');
  const kinds = json.map(({ kind }: { kind: string }) => kind);
  expect(kinds).toEqual(['note', 'note', 'reward', 'site', 'gameServer']);
  expect(json[2]).toMatchObject({
    name: 'crate',
    odds: '5% won or 95% otherwise',
    choices: [
      { lead: 'won', share: 0.05 },
      { lead: 'otherwise', share: 0.95 },
    ],
  });
});

test('rewards list reports a config with faults and exits with 2', async () => {
  expect((await list([{ nam: 'x' }])).exit).toBe(2);
});
