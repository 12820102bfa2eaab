import { rmSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { TOKEN } from '../support/config-folder.ts';
import { naming } from '../support/naming.ts';
import { operator } from './operator.ts';

const REWARDS = [
  { name: 'thanks', when: 'always', commands: ['say {player} voted on {site}'] },
  { name: 'crate', if: { chance: '5%' }, commands: ['give {player} chest 1'] },
  { name: 'special', if: { site: 'My-List.com' }, commands: ['give {player} emerald 1'] },
];
const CONFIG = {
  sites: { default: { token: TOKEN }, 'My-List.com': { label: 'My List', cooldown: '12h' } },
  rewards: REWARDS,
};

describe('preview', () => {
  test('shows the exact commands that a vote would run now', async () => {
    const { teller } = await operator(CONFIG);
    const { out, exit } = await teller('preview', '*Bob', '--site', 'My-List.com');
    expect(exit).toBe(0);
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
  });

  test('shows on which of several game servers a reward is paid', async () => {
    const kind = { kind: 'practice' };
    const { teller } = await operator({
      ...CONFIG,
      gameServers: { sky: kind, survival: kind },
      rewards: [{ name: 'rank', servers: 'where-online', commands: ['rank {player} vip'] }],
    });
    const { out } = await teller('preview', 'Steve', '--site', 'My-List.com');
    expect(out.split('\n').slice(3)).toEqual([
      '  granted',
      naming('rank', 'on sky or survival, practice servers', 'when Steve is online there'),
      '      rank Steve vip',
    ]);
  });

  test('respects the window, and says which vote has it and until when, unless --at is after it', async () => {
    const one = await operator(CONFIG);
    await one.vote('Steve', 'My-List.com', { at: '2026-06-01T11:00:00Z' });
    one.clock.set('2026-06-01T12:00:00Z');
    const { out } = await one.teller('preview', 'steve', '--site', 'My-List.com');
    expect(out.split('\n').slice(2)).toEqual([
      naming('cooldown', /vote 1\b/i),
      naming('2026-06-01T23:00:00.000Z', '--at 2026-06-01T23:00:00.000Z'),
    ]);
    const decisionOf = async (...words: string[]) =>
      JSON.parse((await one.teller('preview', 'steve', '--json', ...words)).out)[0].decision;
    expect(await decisionOf()).toBe('cooldown');
    expect(await decisionOf('--at', '2026-06-01T23:00:00.000Z')).toBe('rewarded');
  });

  test('writes nothing', async () => {
    const one = await operator(CONFIG);
    await one.teller('preview', 'Steve');
    expect(await one.ledger.votes({ limit: 9 })).toEqual([]);
    expect(await one.ledger.namesBeginning('', 9)).toEqual([]);
  });

  test('without --site shows each listed site, or a test service if there is none', async () => {
    const listed = await operator(CONFIG);
    expect((await listed.teller('preview', 'Steve')).out.split('\n')[0]).toEqual(
      naming('Steve', 'My-List.com'),
    );
    const none = await operator();
    expect((await none.teller('preview', 'Steve')).out.split('\n').slice(0, 2)).toEqual([
      naming('Steve', 'Teller test', '2026-06-01T12:00:00.000Z'),
      naming('24 h'),
    ]);
    expect(JSON.parse((await none.teller('preview', 'Steve', '--json')).out)).toMatchObject([
      { service: 'Teller test', site: 'default' },
    ]);
  });

  test('--json has the commands with the chances', async () => {
    const { teller } = await operator(CONFIG);
    const past = { grants: 0, delivered: 0 };
    expect(JSON.parse((await teller('preview', 'Steve', '--site', 'Other.net', '--json')).out)).toEqual([
      {
        service: 'Other.net',
        site: 'default',
        recipient: 'steve',
        player: 'Steve',
        castAt: '2026-06-01T12:00:00.000Z',
        decision: 'rewarded',
        nextAt: '2026-06-02T12:00:00.000Z',
        takenBy: null,
        rewards: [
          { reward: 'thanks', granted: true, code: 'granted', facts: {}, sentence: expect.any(String), past },
          {
            ...{ reward: 'crate', granted: true, code: 'granted', facts: { chance: 0.05 } },
            ...{ sentence: expect.any(String), past },
          },
          { reward: 'special', granted: false, code: 'site', facts: {}, sentence: expect.any(String), past },
        ],
        grants: [
          {
            reward: 'thanks',
            chance: null,
            choice: null,
            server: 'main',
            practice: true,
            when: 'always',
            terms: null,
            commands: ['say Steve voted on Other.net'],
            warnings: [],
          },
          {
            reward: 'crate',
            chance: 0.05,
            choice: null,
            server: 'main',
            practice: true,
            when: 'online',
            terms: null,
            commands: ['give Steve chest 1'],
            warnings: [],
          },
        ],
        parties: [],
        tops: [],
      },
    ]);
  });

  test('says why each of the other rewards would not be granted', async () => {
    const { teller } = await operator(CONFIG);
    const { out } = await teller('preview', 'Steve', '--site', 'Other.net');
    expect(out.split('\n').slice(-2)).toEqual(['  not granted', naming('special', 'site')]);
  });

  test('warns once per reward about placeholders that Teller does not fill in', async () => {
    const commands = ['say &6{player} %luckperms_prefix%', 'give {player} stick{a:1} {amount}'];
    const { teller } = await operator({ rewards: [{ name: 'thanks', commands }] });
    const { out } = await teller('preview', 'Steve');
    expect(out.split('\n').slice(5)).toEqual([
      '      say &6Steve %luckperms_prefix%',
      '      give Steve stick{a:1} {amount}',
      naming(/^ {6}warning: /, '%luckperms_prefix%'),
      naming(/^ {6}warning: /, '&6'),
      naming(/^ {6}warning: /, '{amount}'),
    ]);
    const [{ grants }] = JSON.parse((await teller('preview', 'Steve', '--json')).out);
    expect(grants[0].warnings.map(({ code }: { code: string }) => code)).toEqual([
      'placeholder-unknown',
      'colour-code',
      'placeholder-unknown',
    ]);
  });

  test('refuses an invalid player name as the listener does, and exits 1', async () => {
    const { teller } = await operator(CONFIG);
    const { err, exit } = await teller('preview', '@a');
    expect(exit).toBe(1);
    expect(err).toContain('(name-not-allowed)');
    expect(err).toContain('[vote-refused]');
  });

  test('uses a user ID on a listing without player names, and skips that listing for a name that cannot be a user ID', async () => {
    const USER = '80351110224678912';
    const { teller } = await operator({
      sites: { default: { token: TOKEN }, 'Five.example': { game: 'fivem' }, 'Mine.example': {} },
      rewards: [
        { name: 'thanks', when: 'always', commands: ['say {player} voted'] },
        { name: 'cash', when: 'always', commands: ['addcash {userId} 100'], servers: ['main'] },
      ],
    });
    const { out, exit } = await teller('preview', USER, '--json');
    expect(exit).toBe(0);
    expect(JSON.parse(out)).toMatchObject([
      {
        ...{ service: 'Five.example', recipient: USER, player: null, decision: 'rewarded' },
        grants: [{ reward: 'cash', commands: [`addcash ${USER} 100`] }],
      },
    ]);
    const byName = await teller('preview', '*Bob', '--site', 'Five.example');
    expect([byName.exit, byName.err]).toEqual([1, expect.stringContaining('(user-not-allowed)')]);
    expect((await teller('preview', '.Bob')).out.split('\n')[0]).toEqual(naming('.Bob', 'Mine.example'));
  });

  test('ignores `from` and `protocols`', async () => {
    const shut = { from: ['203.0.113.0/24'], protocols: ['v1'] };
    const { teller } = await operator({ sites: { default: { token: TOKEN }, 'My-List.com': shut } });
    expect((await teller('preview', 'Steve')).exit).toBe(0);
  });

  test('without a ledger yet, shows a vote as if nobody had voted, and says so', async () => {
    const one = await operator(CONFIG);
    await one.vote('Steve', 'My-List.com', { at: '2026-06-01T11:00:00Z' });
    rmSync(one.file);
    const { out, err, exit } = await one.teller('preview', 'Steve', '--site', 'My-List.com');
    expect([exit, err]).toEqual([0, naming('no ledger', one.file)]);
    expect(out.split('\n')[2]).toEqual(naming('rewarded'));
  });

  test('shows beside each reward what it paid in the past 28 days', async () => {
    const one = await operator(CONFIG);
    await one.vote('Early', 'My-List.com', { at: '2026-05-04T11:59:00Z' });
    for (const player of ['Steve', 'Alex'])
      await one.vote(player, 'My-List.com', { at: '2026-05-04T12:00:00Z' });
    await one.answer(3, 0, { kind: 'delivered', reply: '' });
    one.clock.set('2026-06-01T12:00:00Z');
    const { out } = await one.teller('preview', 'Steve', '--site', 'Other.net');
    expect(out.split('\n').filter((line) => /^ {4}\S/.test(line))).toEqual([
      naming('thanks', 'paid once in the past 28 days, of 2 grants'),
      naming('crate', 'paid 0 times in the past 28 days'),
      naming('special', 'paid 0 times in the past 28 days, of 2 grants'),
    ]);
    const [json] = JSON.parse((await one.teller('preview', 'Steve', '--site', 'Other.net', '--json')).out);
    expect(json.rewards.map(({ past }: { past: object }) => past)).toEqual([
      { grants: 2, delivered: 1 },
      { grants: 0, delivered: 0 },
      { grants: 2, delivered: 0 },
    ]);
  });

  test.each([
    [
      ['--at', 'noon'],
      ['--at', 'ISO', '"noon"'],
    ],
    [
      ['--seed', '-1'],
      ['--seed', '"-1"'],
    ],
  ])('%j is wrong usage and exits 2', async (words, facts) => {
    const { teller } = await operator(CONFIG);
    const { err, exit } = await teller('preview', 'Steve', ...words);
    expect([exit, err]).toEqual([2, naming(...facts, '[usage]')]);
  });
});

describe('preview of what may be drawn', () => {
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
    ],
  };

  test('shows each alternative with how likely it is, under its reward', async () => {
    const { teller } = await operator(DRAWN);
    const { out } = await teller('preview', 'Steve');
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
    ]);
  });

  test('shows the range of a random number, and with --seed the number', async () => {
    const { teller } = await operator({
      rewards: [{ name: 'pay', commands: ['eco give {player} {random 100..300}'] }],
    });
    const last = async (...words: string[]) =>
      (await teller('preview', 'Steve', ...words)).out.split('\n').at(-1);
    expect(await last()).toBe('      eco give Steve {random 100..300}');
    expect(await last('--seed', '7')).toMatch(/^ {6}eco give Steve (1\d\d|2\d\d|300)$/);
  });

  test('with --seed shows only what is drawn, and says so', async () => {
    const { teller } = await operator(DRAWN);
    const { out } = await teller('preview', 'Steve', '--seed', '2');
    expect(out.split('\n').slice(3)).toEqual([
      '  granted',
      naming(/^ {4}crate, /, 'drew usual, 95%'),
      '      say Steve opens a crate',
      '      give Steve dirt 1',
      naming(/^ {4}lucky, /, 'lost, paid otherwise'),
      '      say no luck',
      naming('seed 2'),
      naming('crate', 'drew usual, 95%'),
      naming('lucky', 'lost, paid otherwise'),
    ]);
  });

  test('with --seed draws the chances of a single vote as for a real one, always with the same result', async () => {
    const { teller } = await operator(CONFIG);
    const drawn = async (seed: string) =>
      JSON.parse((await teller('preview', 'Steve', '--site', 'A', '--seed', seed, '--json')).out)[0];
    const rewards = async (seed: string) =>
      (await drawn(seed)).grants.map(({ reward }: { reward: string }) => reward);
    const seeds = Array.from({ length: 60 }, (_, seed) => String(seed));
    const wins = await Promise.all(seeds.map(async (seed) => (await rewards(seed)).includes('crate')));
    expect(new Set(wins)).toEqual(new Set([true, false]));
    const lost = String(wins.indexOf(false));
    expect(await drawn(lost)).toMatchObject({
      seed: Number(lost),
      rolls: [{ reward: 'crate', chance: 0.05 }],
    });
    expect(await rewards(lost)).toEqual(['thanks']);
    const { out } = await teller('preview', 'Steve', '--site', 'A', '--seed', lost);
    expect(out.split('\n').slice(-3)).toEqual([
      '  not granted',
      naming('crate', '5%'),
      naming('special', 'site'),
    ]);
  });
});
