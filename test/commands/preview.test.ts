import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { clerk } from '../kit/clerk.ts';
import { type Here, here } from '../kit/here.ts';
import { TOKEN } from '../kit/vote.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { naming, refused } from '../support/naming.ts';

const REWARDS = [
  { name: 'thanks', when: 'always', commands: ['say {player} voted on {site}'] },
  { name: 'crate', if: { chance: '5%' }, commands: ['give {player} chest 1'] },
  { name: 'special', if: { site: 'My-List.com' }, commands: ['give {player} emerald 1'] },
];
const CONFIG = {
  sites: { default: { token: TOKEN }, 'My-List.com': { label: 'My List', cooldown: '12h' } },
  rewards: REWARDS,
};

test('preview shows the exact commands that a vote would run now, and writes nothing; without --site on each listed site, or of a test service', async () => {
  const { run } = clerk(CONFIG);
  const { out, exit } = await run('preview', '*Bob', '--site', 'My-List.com');
  expect(exit).toBe(0);
  expect((await run('players', 'show', '*Bob')).err).toContain('[player-missing]');
  expect(out.split('\n')).toEqual([
    naming('*Bob', 'My-List.com', '2026-06-01T12:00:00.000Z'),
    naming('12 h'),
    naming('rewarded', '2026-06-02T00:00:00.000Z'),
    '  granted',
    naming('thanks', 'main', 'practice'),
    '      say *Bob voted on My List',
    naming('special', 'main', 'practice', '*Bob', 'online'),
    '      give "*Bob" emerald 1',
    '  granted if the chance is won',
    naming('crate', '5%', 'main', 'practice', '*Bob', 'online'),
    '      give "*Bob" chest 1',
  ]);
  expect((await run('preview', '*Bob')).out).toBe(out);
  const none = clerk({ sites: { default: { token: TOKEN } } });
  expect((await none.run('preview', 'Steve')).out.split('\n').slice(0, 2)).toEqual([
    naming('Steve', 'Teller test', '2026-06-01T12:00:00.000Z'),
    naming('24 h'),
  ]);
  expect((await none.run('preview', 'Steve', '--json')).json).toMatchObject([
    { service: 'Teller test', site: 'default' },
  ]);
});

test('preview respects the window, and says which vote has it and until when, unless --at is after it or there is no ledger yet', async () => {
  const one = clerk(CONFIG);
  await one.vote('Steve', 'My-List.com', '2026-06-01T11:00:00Z');
  one.at('2026-06-01T12:00:00Z');
  const words = ['preview', 'steve', '--site', 'My-List.com'];
  const { out, exit } = await one.run(...words);
  expect([exit, ...out.split('\n').slice(2)]).toEqual([
    0,
    naming('cooldown', /vote 1\b/i),
    naming('2026-06-01T23:00:00.000Z', '--at 2026-06-01T23:00:00.000Z'),
  ]);
  expect((await one.run(...words, '--json')).json[0].decision).toBe('cooldown');
  const later = await one.run(...words, '--json', '--at', '2026-06-01T23:00:00.000Z');
  expect(later.json[0].decision).toBe('rewarded');
  const ledger = join(one.folder, 'data/teller.db');
  rmSync(ledger);
  const without = await one.run(...words);
  expect([without.exit, without.err, existsSync(ledger)]).toEqual([0, naming('no ledger', ledger), false]);
  expect(without.out.split('\n')[2]).toEqual(naming('rewarded'));
});

test('preview --json has the commands with the chances; an invalid player name is refused as the listener does, and a time or a seed that is none is wrong usage', async () => {
  const { run } = clerk(CONFIG);
  const past = { grants: 0, delivered: 0 };
  const sentence = expect.any(String);
  const grant = { choice: null, server: 'main', practice: true, terms: null, warnings: [] };
  expect((await run('preview', 'Steve', '--site', 'Other.net', '--json')).json).toEqual([
    {
      ...{ service: 'Other.net', site: 'default', recipient: 'steve', player: 'Steve', takenBy: null },
      ...{ castAt: '2026-06-01T12:00:00.000Z', decision: 'rewarded', nextAt: '2026-06-02T12:00:00.000Z' },
      rewards: [
        { reward: 'thanks', granted: true, code: 'granted', facts: {}, sentence, past },
        { reward: 'crate', granted: true, code: 'granted', facts: { chance: 0.05 }, sentence, past },
        { reward: 'special', granted: false, code: 'site', facts: {}, sentence, past },
      ],
      grants: [
        {
          ...{ ...grant, reward: 'thanks', chance: null, when: 'always' },
          commands: ['say Steve voted on Other.net'],
        },
        { ...grant, reward: 'crate', chance: 0.05, when: 'online', commands: ['give Steve chest 1'] },
      ],
      ...{ parties: [], tops: [] },
    },
  ]);
  expect(await run('preview', '@a')).toEqual(refused(1, '(name-not-allowed)', '[vote-refused]'));
  expect(await run('preview', 'Steve', '--at', 'noon', '--seed', '-1')).toEqual(
    refused(2, '--at', 'ISO', '"noon"', '--seed', '"-1"', '[usage]'),
  );
});

test('preview uses a user ID on a listing without player names, and skips that listing for a name that cannot be a user ID', async () => {
  const USER = '80351110224678912';
  const { run } = clerk({
    sites: { default: { token: TOKEN }, 'Five.example': { game: 'fivem' }, 'Mine.example': {} },
    rewards: [
      { name: 'thanks', when: 'always', commands: ['say {player} voted'] },
      { name: 'cash', when: 'always', commands: ['addcash {userId} 100'], servers: ['main'] },
    ],
  });
  const { json, exit } = await run('preview', USER, '--json');
  expect(exit).toBe(0);
  expect(json).toMatchObject([
    {
      ...{ service: 'Five.example', recipient: USER, player: null, decision: 'rewarded' },
      grants: [{ reward: 'cash', commands: [`addcash ${USER} 100`] }],
    },
  ]);
  const byName = await run('preview', '*Bob', '--site', 'Five.example');
  expect([byName.exit, byName.err]).toEqual([1, expect.stringContaining('(user-not-allowed)')]);
  expect((await run('preview', '.Bob')).out.split('\n')[0]).toEqual(naming('.Bob', 'Mine.example'));
});

test('preview shows beside each reward what it paid in the past 28 days', async () => {
  const gameServers = { main: { kind: 'practice', autoJoin: false } };
  // So small a chance is never won.
  const rewards = REWARDS.map((one) => (one.name === 'crate' ? { ...one, if: { chance: '0.001%' } } : one));
  const one = await here({ ...CONFIG, gameServers, rewards }, new FakeClock('2026-05-04T11:59:00Z'));
  const site = 'My-List.com';
  const sleepUntil = (time: string) => one.clock.sleep(Date.parse(time) - one.clock.now());
  await one.vote({ player: 'Early', site });
  sleepUntil('2026-05-04T12:00:00Z');
  await one.vote({ player: 'Steve', site });
  await one.until(async () => (await one.grants()).filter(({ state }) => state === 'delivered').length === 2);
  await one.run('pause', '--reward', 'thanks');
  await one.vote({ player: 'Alex', site });
  sleepUntil('2026-06-01T12:00:00Z');
  const words = ['preview', 'Steve', '--site', 'Other.net'];
  expect((await one.run(...words)).out.match(/^ {4}\S.*$/gm)).toEqual([
    naming('thanks', 'paid once in the past 28 days, of 2 grants'),
    naming('crate', 'paid 0 times in the past 28 days'),
    naming('special', 'paid 0 times in the past 28 days, of 2 grants'),
  ]);
  expect((await one.run(...words, '--json')).json[0].rewards).toMatchObject([
    { past: { grants: 2, delivered: 1 } },
    { past: { grants: 0, delivered: 0 } },
    { past: { grants: 2, delivered: 0 } },
  ]);
});

const DRAWN = {
  rewards: [
    {
      name: 'crate',
      commands: ['say {player} opens a crate'],
      oneOf: [
        { name: 'rare', weight: 5, commands: ['give {player} netherite_ingot 1'] },
        { name: 'usual', weight: 95, commands: ['give {player} dirt 1'] },
      ],
    },
    {
      name: 'lucky',
      if: { chance: '20%' },
      commands: ['give {player} beacon 1'],
      otherwise: ['say no luck'],
    },
    { name: 'pay', commands: ['eco give {player} {random 100..300}'] },
  ],
};

test('preview of what may be drawn shows each alternative with how likely it is, and the range of a number; with --seed only what is drawn, and says so', async () => {
  const { run } = clerk(DRAWN);
  const { out } = await run('preview', 'Steve');
  expect(out.split('\n').slice(3)).toEqual([
    '  granted',
    naming(/^ {4}crate: /),
    '      rare, 5%:',
    '        say Steve opens a crate',
    '        give Steve netherite_ingot 1',
    '      usual, 95%:',
    '        say Steve opens a crate',
    '        give Steve dirt 1',
    naming(/^ {4}lucky, /, '20%'),
    '      won, 20%:',
    '        give Steve beacon 1',
    '      otherwise, 80%:',
    '        say no luck',
    naming(/^ {4}pay: /),
    '      eco give Steve {random 100..300}',
  ]);
  const drawn = await run('preview', 'Steve', '--seed', '2');
  expect(drawn.out.split('\n').slice(3)).toEqual([
    '  granted',
    naming(/^ {4}crate, /, 'drew usual, 95%'),
    '      say Steve opens a crate',
    '      give Steve dirt 1',
    naming(/^ {4}lucky, /, 'lost, paid otherwise'),
    '      say no luck',
    naming(/^ {4}pay: /),
    expect.stringMatching(/^ {6}eco give Steve (1\d\d|2\d\d|300)$/),
    naming('seed 2'),
    naming('crate', 'drew usual, 95%'),
    naming('lucky', 'lost, paid otherwise'),
  ]);
});

test('preview of what may be drawn with --seed draws the chances of a single vote as for a real one, always with the same result', async () => {
  const { run } = clerk({
    rewards: [REWARDS[0], { ...REWARDS[1], if: { chance: '50%' } }, REWARDS[2]],
    sites: CONFIG.sites,
  });
  const drawn = async (seed: number) =>
    (await run('preview', 'Steve', '--site', 'A', '--seed', String(seed), '--json')).json[0];
  const all = await Promise.all([0, 1, 2, 3, 4, 5, 6, 7].map(drawn));
  const wins = all.map(({ grants }) => grants.length === 2);
  expect(new Set(wins)).toEqual(new Set([true, false]));
  const seed = wins.indexOf(false);
  expect(await drawn(seed)).toEqual(all[seed]);
  expect(all[seed]).toMatchObject({
    ...{ seed, rolls: [{ reward: 'crate', chance: 0.5 }], grants: [{ reward: 'thanks' }] },
  });
  const { out } = await run('preview', 'Steve', '--site', 'A', '--seed', String(seed));
  expect(out.split('\n').slice(-3)).toEqual([
    '  not granted',
    naming('crate', '50%'),
    naming('special', 'site'),
  ]);
});

test('preview shows what the vote would add to parties, and where the player stands, or why it does not count', async () => {
  const feast = { name: 'feast', every: 3, commands: ['give {player} cake 1'] };
  const tuesday = { if: { weekday: ['tue'] } };
  const one = clerk({
    timeZone: 'UTC',
    sites: { default: { token: TOKEN }, List: {}, Other: {} },
    party: [feast, { ...feast, ...tuesday, name: 'tuesdays', every: 2, for: 'online' }],
    tops: [
      {
        ...{ name: 'best', period: 'month', exclude: ['Owner'] },
        prizes: { '1': ['give {player} beacon 1'] },
      },
      { ...tuesday, name: 'tuesday', period: 'day', prizes: { '1': ['say hi'] } },
    ],
  });
  const shown = (player: string, ...flags: string[]) =>
    one.run('preview', player, '--site', 'List', ...flags);
  const preview = async (player: string, ...flags: string[]) => {
    const lines = (await shown(player, ...flags)).out.split('\n');
    return lines.slice(lines.indexOf('  together with others') + 1).map((line) => line.trim());
  };
  const nobody = { place: null, votes: 0, ahead: null, after: { place: 1, votes: 1 } };
  expect((await shown('Steve', '--json')).json).toMatchObject([
    {
      parties: [
        { party: 'feast', number: 1, left: 3, leftAfter: 2, reason: 'counted, 2 left until party 1' },
        { party: 'tuesdays', leftAfter: null, reason: 'is Mon' },
      ],
      tops: [
        { top: 'best', period: '2026-06', ...nobody },
        { top: 'tuesday', after: null, uncounted: 'is Mon' },
      ],
    },
  ]);

  await one.vote('Alex', 'List', '2026-06-01T12:00:00Z');
  await one.vote('Alex', 'Other', '2026-06-01T13:00:00Z');
  expect(await preview('Steve')).toEqual([
    'feast: 1 left of 3 until party 1; this vote reaches it, and those whose votes made it are paid',
    'tuesdays: 2 left of 2 until party 1; this vote does not count: is Mon',
    'best: 2026-06, no place yet, 2 behind Alex; this vote makes it 2nd with 1',
    'tuesday: 2026-06-01, no place yet; this vote does not count: is Mon',
  ]);
  const alex = await preview('Alex');
  expect([alex[0], alex[2]]).toEqual([
    'feast: 1 left of 3 until party 1; this vote does not count: not rewarded',
    'best: 2026-06, 1st with 2; this vote does not count: not rewarded',
  ]);
  expect((await preview('owner'))[2]).toBe(
    'best: 2026-06, no place yet, 2 behind Alex; this vote does not count: excluded',
  );
  await one.vote('Steve', 'Other', '2026-06-01T14:00:00Z');
  expect(await preview('Steve', '--at', '2026-06-02T12:00:00Z')).toEqual([
    'feast: 3 left of 3 until party 2; this vote counts, then 2 are left',
    'tuesdays: 2 left of 2 until party 1; this vote counts, then 1 is left',
    'best: 2026-06, 2nd with 1, 1 behind Alex; this vote makes it 2nd with 2',
    'tuesday: 2026-06-02, no place yet; this vote makes it 1st with 1',
  ]);
});

const commands = ['say hi'];
const SITES = { default: { token: TOKEN }, 'My-List.com': {}, 'Other.net': {} };

/** A Teller whose rewards first stood in a running config on Monday, 1 June 2026, after these votes by Steve. */
async function started(rewards: readonly object[], earlier: readonly string[] = []): Promise<Here> {
  const one = await here({ sites: SITES, rewards: [] }, new FakeClock('2026-06-01T12:00:00Z'));
  for (const time of earlier)
    await one.run('votes', 'add', '--player', 'Steve', '--site', 'My-List.com', '--at', time);
  await one.reload({ sites: SITES, rewards });
  return one;
}

type Coded = readonly { readonly rewards: readonly { readonly reward: string; readonly code: string }[] }[];

async function codesOf(one: Here, command: 'preview' | 'votes', ...words: string[]) {
  const { json } = await one.run(command, ...words, '--site', 'My-List.com', '--json');
  const [vote] = json as Coded;
  return Object.fromEntries((vote?.rewards ?? []).map(({ reward, code }) => [reward, code]));
}

const add = (one: Here, time: string) => codesOf(one, 'votes', 'add', '--player', 'Steve', '--at', time);
const preview = (one: Here, time: string) => codesOf(one, 'preview', 'Steve', '--at', time);

const OF_A_PERIOD = [
  { name: 'plain', commands, stop: true },
  { name: 'first-of-day', if: { firstVote: 'day' }, commands },
  { name: 'second-of-week', if: { votes: { at: [2], of: 'week' } }, commands },
  { name: 'fifth-of-month', if: { votes: { at: [5], of: 'month' } }, commands },
  { name: 'all-sites', if: { allSites: true }, commands },
  { name: 'returning', if: { returning: '30d' }, commands },
  { name: 'elsewhere', if: { site: 'Other.net', firstVote: 'day' }, commands },
  { name: 'either', if: { any: [{ firstVote: 'day' }, { allSites: true }] }, commands },
];

test('a reward for a period that ended before the reward started says so, whatever else does not hold', async () => {
  const one = await started(OF_A_PERIOD);
  const codes = OF_A_PERIOD.map(({ name }) => [name, name === 'plain' ? 'granted' : 'before-start']);
  const all = Object.fromEntries(codes);
  expect(await preview(one, '2026-05-30T12:00Z')).toEqual(all);
  expect(await add(one, '2026-05-30T12:00Z')).toEqual(all);
  // It is neither the first of its day nor in a free window.
  expect(await add(one, '2026-05-31T13:00Z')).toEqual(all);
  const { out } = await one.run('explain', 'Steve');
  expect(out.split('\n')).toContainEqual(naming('first-of-day', '2026-05-30', '2026-06-01'));
});

test('the period in which a reward started is judged like any other, and a streak that was reached before it says so', async () => {
  const code = 'before-start';
  const before = { 'first-of-day': code, 'fifth-of-month': code, elsewhere: code };
  const one = await started(
    [
      { name: 'first-of-day', if: { firstVote: 'day' }, commands },
      { name: 'fifth-of-month', if: { votes: { at: [5], of: 'month' } }, commands },
      { name: 'elsewhere', if: { site: 'Other.net', firstVote: 'day' }, commands },
      { name: 'total', if: { votes: { at: [5] } }, commands },
      { name: 'two', if: { streak: 2 }, commands },
      { name: 'each-two', if: { streak: { length: 2, repeat: true } }, commands },
      { name: 'five', if: { streak: 5 }, commands },
    ],
    ['2026-05-29T08:00:00Z', '2026-05-30T08:00:00Z'],
  );
  expect(await preview(one, '2026-05-30T12:00Z')).toMatchObject({ two: code, 'each-two': code });
  const third = { total: 'votes', two: code, 'each-two': 'streak', five: 'streak' };
  expect(await add(one, '2026-05-31T09:00Z')).toEqual({ ...before, ...third });
  expect(await add(one, '2026-06-01T09:00Z')).toEqual({
    ...{ 'first-of-day': 'granted', 'fifth-of-month': 'votes', elsewhere: 'site' },
    ...{ ...third, 'each-two': 'granted' },
  });
});
