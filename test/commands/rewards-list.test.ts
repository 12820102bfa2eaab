import { expect, test } from 'vitest';
import { desk } from '../kit/place.ts';
import { TOKEN } from '../kit/vote.ts';
import { FULL } from '../support/config-changes.ts';

const CRATE = {
  name: 'crate',
  if: { chance: '5%' },
  commands: ['give {player} chest 1'],
  otherwise: ['say {player} lost'],
  message: 'You won\nthe &6crate',
};

test('rewards list says what the config promises, one entry after the other', async () => {
  const config = { timeZone: 'UTC', sites: { default: { token: TOKEN } }, rewards: [CRATE] };
  const { exit, out } = await desk(config).run('rewards', 'list');
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

const PRACTICE = { kind: 'practice' };

/** What `teller rewards list` says of entries, of sites, and in general. */
async function wordsOf(overrides: object) {
  const { json, err } = await desk({ timeZone: 'UTC', ...overrides }).run('rewards', 'list', '--json');
  expect(err).toBe('');
  // biome-ignore lint/suspicious/noExplicitAny: rows of several shapes
  const rows: readonly any[] = json;
  return {
    entries: rows.filter((row) => 'when' in row),
    sites: rows.filter(({ kind }) => kind === 'site'),
    notes: rows.flatMap(({ sentence }) => sentence ?? []),
  };
}

/** Of one entry: also what leads to each of its choices. */
async function entry(section: string, written: object) {
  const { entries } = await wordsOf({ rewards: [], [section]: [{ name: 'one', ...written }] });
  return { ...entries[0], leads: entries[0].choices.map(({ lead }: { lead: unknown }) => lead) };
}

const reward = (written: object) => entry('rewards', { commands: ['say {player}'], ...written });

test('a reward in everyday language says when it is granted, what it runs and how it is paid, and shows the effective probability of what is drawn: 5% of 80% is 4%', async () => {
  expect(await reward({ if: { votes: { every: 25 } } })).toMatchObject({
    ...{ kind: 'reward', name: 'one', odds: null, when: ['Players get it on every 25th vote.'] },
    choices: [{ lead: null, share: null, steps: [{ command: 'say {player}', means: null }] }],
    paid: ['Paid on main as soon as they are online there.'],
  });
  const oneOf = [
    { name: 'usual', weight: 4, commands: ['a'] },
    { name: 'rare', weight: 1, commands: ['b'] },
  ];
  const { odds, choices } = await reward({
    if: { chance: '5%' },
    oneOf,
    otherwise: ['c'],
    message: 'Hi &6you',
  });
  expect(odds).toBe('4% usual, 1% rare or 95% otherwise');
  expect(choices).toMatchObject([
    { lead: 'usual', share: expect.closeTo(0.04, 4) },
    { lead: 'rare', share: expect.closeTo(0.01, 4) },
    { lead: 'otherwise', share: expect.closeTo(0.95, 4) },
  ]);
  expect(choices[0]?.steps).toEqual([
    { command: 'say {player}', means: null },
    { command: 'a', means: null },
    { command: expect.stringContaining('tellraw'), means: 'the player sees in chat: Hi you' },
  ]);
  expect(choices[2]?.steps).toEqual([{ command: 'c', means: null }]);
});

test.each([
  [{}, null],
  [{ if: { chance: '5%' } }, '5% won or 95% nothing'],
  [{ oneOf: [{ commands: ['a'] }, { commands: ['b'] }] }, '50% 0 or 50% 1'],
  [{ if: { votes: { every: 5 }, chance: '50%' }, prizes: { 5: ['a'] } }, '50% the prize or 50% nothing'],
])('a reward in everyday language %j is drawn with %j', async (written, odds) => {
  expect((await reward(written)).odds).toBe(odds);
});

test('a reward in everyday language names the total or streak of each prize, and what is run for any other', async () => {
  const leads = async (condition: object, more: object = {}) =>
    (await reward({ if: condition, prizes: { 1: ['a'], '2..1000': ['b'] }, ...more })).leads;
  expect(await leads({ votes: { every: 1 } })).toEqual(['at 1 vote', 'at 2 to 1,000 votes', 'at any other']);
  expect(await leads({ streak: 7 }, { commands: undefined })).toEqual([
    'at a streak of 1',
    'at a streak of 2 to 1,000',
  ]);
});

test.each([
  [{ when: 'always' }, 'Paid on main at once.'],
  [{ delay: '10m' }, 'Not paid earlier than 10 minutes after the vote.'],
  [{ expiresAfter: '7d' }, 'Cancelled if its first command has not been run within 7 days.'],
  [
    { broadcast: '{player} voted', atMost: { count: 3, within: '10m' } },
    'At most 3 announcements in 10 minutes on a game server; others are not sent.',
  ],
  [
    { announce: true },
    'It is an announcement: sent within 2 minutes or not at all, and only for players who were seen on a game server, unless that game server cannot report who is online.',
  ],
  [
    { safeToRunTwice: true },
    'A command whose outcome is unknown is run again, instead of being held for you.',
  ],
  [{ servers: 'all' }, 'Paid on each of main and sky as soon as they are online there.'],
  [
    { servers: 'where-online' },
    'Paid once, on the one of main or sky that they are on, or are first on later.',
  ],
])('a reward in everyday language with %j is paid so: %s', async (written, sentence) => {
  const gameServers = { main: PRACTICE, sky: PRACTICE };
  const rewards = [{ name: 'one', servers: ['main'], commands: ['say {player}'], ...written }];
  expect((await wordsOf({ gameServers, rewards })).entries[0]?.paid).toContain(sentence);
});

test('a reward in everyday language says which other rewards it leaves out, how often at most, and what it was called', async () => {
  const commands = ['say {player}'];
  const limit = { per: 'player', count: 1, within: 'day' };
  const { entries } = await wordsOf({
    rewards: [
      { firstOf: ['a', 'b', 'c'].map((name) => ({ name, commands })) },
      { name: 'd', limit, stop: true, was: ['e'], commands },
    ],
  });
  expect(entries.map(({ when }) => when.slice(1))).toEqual([
    ['A vote that is granted it gets none of b and c.'],
    ['Only if the vote is not granted a.'],
    ['Only if the vote is not granted a or b.'],
    [
      'They get it at most once a day for each player.',
      'A vote that is granted it gets none of the rewards after it.',
      'It carries on what was counted and granted as e.',
    ],
  ]);
});

test('a message, a title, a broadcast and a sound are said as what players see or hear', async () => {
  const text = '&aHi &lyou';
  const shown = { message: text, title: text, broadcast: '&a{player} &lvoted' };
  const rewards = [{ name: 'one', ...shown, sound: 'minecraft:block.bell.use' }];
  const main = { kind: 'rcon', port: 9, password: 'of-that-server', version: '1.21.4' };
  const { entries } = await wordsOf({ rewards, gameServers: { main } });
  const means = entries[0].choices[0].steps.flatMap((step: { means: string | null }) => step.means ?? []);
  expect(means.toSorted()).toEqual([
    'everyone on the game server sees in chat: {player} voted',
    'the player hears minecraft:block.bell.use',
    'the player sees in chat: Hi you',
    'the player sees in the middle of their screen: Hi you',
  ]);
});

test('a party in everyday language', async () => {
  const written = {
    ...{ every: 50, for: 'online', minOnline: 3, userVotes: 2, reset: 'month' },
    if: { not: { weekday: ['mon'] }, hours: '18:00-20:00' },
    commands: ['give {player} diamond 1'],
  };
  const { when, leads, paid } = await entry('party', written);
  expect(when).toEqual([
    'It is reached whenever 50 votes have counted.',
    'Only votes between 18:00 and 20:00 and not on Monday count.',
    'The count starts again with each month.',
    'It pays the players who are online when it is reached; with fewer than 3 online, it pays the players with at least 2 votes since the last one.',
  ]);
  // Fifty votes are never left of fifty.
  expect(leads).toEqual(['when it is reached', 'when 10 or 5 votes are left']);
  expect(paid).toEqual(['Paid on main as soon as they are online there.']);
  expect(await entry('party', { every: 1, for: 'once', commands: ['say Party!'] })).toMatchObject({
    when: [
      'It is reached whenever a vote has counted.',
      'Its commands are run once, for nobody in particular.',
    ],
    paid: ['Run on main at once.'],
  });
});

test('a top in everyday language', async () => {
  const prizes = { 1: ['give {player} beacon 1'], '2..3': ['give {player} diamond 1'] };
  const written = { period: 'month', prizes, exclude: ['Owner'], ties: 'share' };
  const { when, leads } = await entry('tops', written);
  expect(when).toEqual([
    'It is paid for each month to the players with the most votes in it.',
    'Players with as many votes share a place, and each gets its prize.',
    'Owner gets no place.',
    'Places are final 1 hour after the end of the month, so that late votes count.',
  ]);
  expect(leads).toEqual(['place 1', 'places 2 to 3']);
});

test('published figures and a reminder in everyday language', async () => {
  const board = await entry('publish', { commands: ['say {top1}'] });
  expect([board.when, board.paid]).toEqual([
    ['Its figures are sent every minute.'],
    ['Sent on main, and never later.'],
  ]);
  const reminder = await entry('remind', { every: '30m', commands: ['tell {player} Vote!'] });
  expect(reminder.when).toEqual([
    'Players who may vote on a site are told when they join and every 30 minutes while they are online.',
  ]);
});

test('rewards list says of each site how often a player is rewarded, what nobody is paid for, and where days begin', async () => {
  const cooldown = 'day 04:00 Europe/Berlin';
  const { sites, notes } = await wordsOf({
    sites: { default: { token: TOKEN }, 'B.net': { cooldown, counts: 'all', protocols: ['v2'] } },
    pay: { mode: 'shadow' },
  });
  expect(sites[1].sentences).toEqual([
    'A player is rewarded once a day, which begins at 04:00 in Europe/Berlin.',
    'Votes that come sooner are counted in totals too.',
    'Only votes of version 2 are accepted.',
  ]);
  expect(notes).toEqual([
    'Nothing is paid here: votes are only stored and decided.',
    'main is a practice server, where no real player is paid.',
    'Days, weeks and months begin in the time zone UTC.',
  ]);
});

test('rewards list contains none of its secrets', async () => {
  const { out: text } = await desk(FULL).run('rewards', 'list', '--json');
  for (const secret of ['first-password', 'first-http-secret', 'vl_first', 'webhook-secret', 'test-token'])
    expect(text).not.toContain(secret);
  expect(text).toContain('Signed webhooks are received at the path /list.');
});
