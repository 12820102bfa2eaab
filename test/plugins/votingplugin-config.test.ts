import path from 'node:path';
import { expect, test } from 'vitest';
import { desk } from '../kit/place.ts';
import { temporaryFolder } from '../support/folder.ts';

interface Converted {
  // biome-ignore lint/suspicious/noExplicitAny: values of every shape
  readonly fragment: any;
  readonly notConverted: readonly { readonly what: string; readonly why: string }[];
}

/** What `teller import votingplugin` would write, and what it says cannot be converted. */
async function converted(folder: string): Promise<Converted> {
  const { run } = desk();
  const words = ['import', 'votingplugin', folder, '--dry-run'];
  const [{ out }, { json }] = [await run(...words), await run(...words, '--json')];
  const rows: readonly { what: string; result: string; sentence: string }[] = json;
  return {
    fragment: JSON.parse(out.slice(out.search(/^\{$/m))),
    notConverted: rows.flatMap(({ what, result, sentence }) =>
      result === 'not-imported' ? { what, why: sentence } : [],
    ),
  };
}

/** A folder with these files; JSON is YAML. */
const folderWith = (files: Readonly<Record<string, unknown>>): string =>
  temporaryFolder(
    Object.fromEntries(Object.entries(files).map(([name, tree]) => [`${name}.yml`, JSON.stringify(tree)])),
  );

/** The rewards of one section, and what was left out of it. */
async function reward(section: unknown, more: Readonly<Record<string, unknown>> = {}) {
  const { fragment, notConverted } = await converted(
    folderWith({ VoteSites: {}, SpecialRewards: { FirstVote: section }, ...more }),
  );
  return {
    rewards: fragment.rewards,
    left: notConverted.map(({ what, why }) => `${what} | ${why}`),
  };
}

let fragment: Converted['fragment'];
let notConverted: Converted['notConverted'];

const named = (name: string) => fragment.rewards.find((each: { name?: string }) => each.name === name);

test('The config of VotingPlugin has each enabled site by its service name, with label, cooldown and page, and the prefix of Bedrock players', async () => {
  ({ fragment, notConverted } = await converted(path.resolve(import.meta.dirname, 'samples/votingplugin')));
  expect(fragment.players).toEqual({ bedrockPrefixes: ['.'] });
  expect(fragment.sites).toEqual({
    'PlanetMinecraft.com': {
      ...{ label: 'Planet Minecraft', cooldown: '24h' },
      url: 'https://www.planetminecraft.com/server/example/vote/',
    },
    'MCList.example': { label: 'MCList', cooldown: 'day 05:00', url: 'https://mclist.example/vote/1077' },
    'lucky.example': { label: 'Lucky', cooldown: '36h', url: 'https://lucky.example/vote' },
  });
});

test('The config of VotingPlugin has the rewards of sites, with their placeholders in our words', () => {
  expect(fragment.rewards.length).toBe(7);
  expect(named('PlanetMinecraft')).toEqual({
    name: 'PlanetMinecraft',
    if: { site: 'PlanetMinecraft.com' },
    commands: ['eco give {player} 250', 'crate key give {player} vote 1'],
    message: '&aThanks for voting on {site}!',
    broadcast: '&6{player} voted on {service}',
  });
  expect(named('MCList')).toMatchObject({
    if: { site: 'MCList.example', chance: '40%' },
    when: 'always',
    commands: ['give {player} diamond 1'],
  });
  expect(named('every-site')).toMatchObject({ if: { not: { site: 'default' } } });
});

test('The config of VotingPlugin has milestones', () => {
  expect(named('Daily')).toMatchObject({
    if: { votes: { at: [5, '10..50 step 10', 100], of: 'day' } },
    limit: { per: 'player', count: 1, within: 'week' },
    commands: ['say {player} reached {votesDay} today'],
  });
  expect(named('All')).toMatchObject({ if: { allSites: true } });
  expect(named('FirstEver')).toMatchObject({ if: { votes: { at: [1] } } });
  expect(named('Monthly20')).toMatchObject({
    if: { votes: { every: 20, of: 'month' } },
    message: '&aYou got {votesMonth} votes!',
  });
});

test('The config of VotingPlugin names what takes the place of posts to a chat, of sounds, streaks and older milestones', async () => {
  const SpecialRewards = {
    ...{ FirstVote: { Sound: { Sound: 'a' } }, VoteStreaks: { a: { Type: 'DAILY' } } },
    ...{ VoteStreak: { Day: { '3': {} } }, Cumulative: { '20': {} }, MileStones: { '5': {} } },
  };
  const Config = { DiscordSRV: { Enabled: true } };
  const found = await converted(folderWith({ VoteSites: {}, Config, SpecialRewards }));
  const whyOf = (word: string) => found.notConverted.find(({ what }) => what.includes(word))?.why;
  expect(whyOf('DiscordSRV')).toContain('`events`');
  expect(whyOf('Sound')).toContain('`sound`');
  expect(whyOf('VoteStreaks, VoteStreak')).toContain('"streak"');
  expect(whyOf('Cumulative')).toContain('"every"');
  expect(whyOf('MileStones')).toContain('"at"');
});

test('The config of VotingPlugin lists each option that is in use and was not converted, and says why', () => {
  expect(notConverted.map(({ what }) => what)).toEqual([
    'Rewards/vip.yml: Permission',
    'VoteSites.yml: VoteSites.PlanetMinecraft.Priority, DisplayItem',
    'VoteSites.yml: VoteSites.MCList.WaitUntilVoteDelay',
    'VoteSites.yml: VoteSites.MCList.CoolDownEndRewards',
    'VoteSites.yml: VoteSites.Lucky.Rewards.AdvancedPriority',
    'VoteSites.yml: VoteSites.Lucky.Rewards.Lucky',
    'VoteSites.yml: VoteSites.Lucky.Rewards.SpecialChance',
    'VoteSites.yml: VoteSites.Lucky.WaitUntilVoteDelay',
    'VoteSites.yml: VoteSites.Old',
    'SpecialRewards.yml: VoteMilestones.Every25',
    'SpecialRewards.yml: VoteMilestones.At100',
    'SpecialRewards.yml: VoteMilestones.Big.Rewards.Items',
    'SpecialRewards.yml: VoteMilestones.Points',
    'SpecialRewards.yml: VoteMilestones.Often',
    'SpecialRewards.yml: VoteMilestones.Disabled',
    'SpecialRewards.yml: VoteParty',
    'SpecialRewards.yml: VoteStreaks, VoteStreak',
    'SpecialRewards.yml: Cumulative',
    'SpecialRewards.yml: MileStones',
    'SpecialRewards.yml: EnableMonthlyAwards, MonthlyAwards, WeeklyAwards',
    'SpecialRewards.yml: NameMCLikeReward',
    'Config.yml: DataStorage, OnlineMode, Format',
    'Config.yml: PointsOnVote',
    'Config.yml: VoteReminderOptions, VoteReminders',
    'Config.yml: VoteBroadcast',
    'Config.yml: BlackList',
    'Shop.yml',
  ]);
  expect(notConverted.every(({ why }) => why.length > 10)).toBe(true);
});

test.each([
  [{ Permission: 'a.b', RequirePermission: true }, 'Permission'],
  [{ Server: 'lobby' }, 'Server'],
  [{ Worlds: ['world'] }, 'Worlds'],
  [{ BlackListedWorlds: ['nether'] }, 'BlackListedWorlds'],
  [{ LocationDistance: { World: 'world', Distance: 5 } }, 'LocationDistance'],
  [{ JavascriptExpression: 'true' }, 'JavascriptExpression'],
  [{ DayOfMonth: { Days: [1] } }, 'DayOfMonth'],
  [{ Timed: { Enabled: true, Hour: 4 } }, 'Timed'],
  [{ RewardType: 'OFFLINE' }, 'offline'],
  [{ Lucky: { '4': { Commands: ['say four'] } } }, 'Lucky'],
  [{ AdvancedPriority: { a: { Commands: ['say a'] } } }, 'AdvancedPriority'],
  [{ RandomCommand: ['say a', 'say b'] }, '`oneOf`'],
  [{ AdvancedRewards: { x: { Commands: ['say x'] } } }, 'one of its own'],
  [{ Delayed: { Enabled: true, Hours: 1 } }, '`delay`'],
  [{ RewardExpiration: '1h' }, '`expiresAfter`'],
  [{ Chance: 0 }, 'Chance is 0'],
])(
  'A reward of VotingPlugin is not paid to others because its requirement %j cannot be converted',
  async (requirement, word) => {
    const { rewards, left } = await reward({ ...requirement, Commands: ['say hi'] });
    expect(rewards).toEqual([]);
    expect(left).toEqual([expect.stringContaining(word)]);
  },
);

test('A reward of VotingPlugin keeps requirements that are off', async () => {
  const off = {
    Permission: 'a.b',
    RequirePermission: false,
    Worlds: [],
    Timed: { Enabled: false },
    RewardType: 'ONLINE',
    Money: 0,
    Chance: 100,
  };
  expect(await reward({ ...off, Commands: ['say hi'] })).toEqual({
    rewards: [{ name: 'first-vote', if: { firstVote: true }, commands: ['say hi'] }],
    left: [],
  });
});

test.each([
  [{ Commands: ['say hi', 'say %vault_rank%'] }, 'FirstVote', '“say %vault_rank%” uses %vault_rank%'],
  [{ Commands: ['say {name}'] }, 'FirstVote', 'misspelled {player}'],
  [{ Commands: ['say {votes} {a: 1}'] }, 'FirstVote', 'uses {votes}'],
  [{ Commands: [`say ${'x'.repeat(2000)}`] }, 'FirstVote', 'bytes long'],
  [{ Commands: Array.from({ length: 80 }, (_, at) => `say ${at}`) }, 'FirstVote', 'it has 81 commands'],
  [{ Commands: { Console: ['say hi'], Player: ['spawn'] } }, 'FirstVote.Commands.Player', 'execute as'],
  [{ Messages: { Player: 'Hi', Other: 'x' } }, 'FirstVote.Messages.Other', 'no counterpart'],
  [{ Message: 'Hi %rank%' }, 'FirstVote', '“Hi %rank%” uses %rank%'],
  [{ Message: 'Hi {player}' }, 'FirstVote', 'uses {player}'],
  [{ Message: '#ff8800Hi' }, 'FirstVote', 'colours by number'],
  [{ Message: '[Text="a",url="b"]' }, 'FirstVote', 'click'],
  [{ Items: { a: { Material: 'BREAD' } } }, 'FirstVote.Items', '`give {player} …`'],
  [{ Money: 100 }, 'FirstVote.Money', '`eco give {player} 100`'],
  [{ EXP: { Min: 5, Max: 10 } }, 'FirstVote.EXP', '`xp add {player} … points`'],
  [{ EXPLevels: 3 }, 'FirstVote.EXPLevels', '`xp add {player} … levels`'],
  [{ Title: { Enabled: true, Title: 'Hi', SubTitle: 'x' } }, 'FirstVote.Title.SubTitle', 'only the title'],
  [{ Chance: 'often' }, 'FirstVote.Chance', 'no counterpart'],
  [{ Sound: { Sound: 'a' } }, 'FirstVote.Sound', '`sound`'],
  [{ Rewards: ['more'] }, 'FirstVote.Rewards', 'one of its own'],
])(
  'A reward of VotingPlugin stays out whole if a part of it cannot be converted: %j',
  async (part, where, why) => {
    const { rewards, left } = await reward({ Command: 'say kept', ...part });
    expect(rewards).toEqual([]);
    const [path, sentence] = left[0]?.split(' | ') ?? [];
    expect([path, left.length]).toEqual([`SpecialRewards.yml: ${where}`, 1]);
    expect(sentence).toMatch(/^the reward was left out: /);
    expect(sentence).toContain(why);
  },
);

test('A reward of VotingPlugin lists each part that kept it out', async () => {
  const { rewards, left } = await reward({ Commands: ['say %x%', 'say %y%'], Sound: { Sound: 'a' } });
  expect(rewards).toEqual([]);
  expect(left).toEqual([
    expect.stringMatching(/^SpecialRewards\.yml: FirstVote \| the reward was left out: .*%x%/),
    expect.stringMatching(/^SpecialRewards\.yml: FirstVote \| the reward was left out: .*%y%/),
    expect.stringMatching(/^SpecialRewards\.yml: FirstVote\.Sound \| the reward was left out: .*`sound`/),
  ]);
});

test('A reward of VotingPlugin can be in files, each of which is a reward of its own', async () => {
  const { rewards, left } = await reward(['Bonus', 'gone', 'more'], {
    'Rewards/bonus': { Commands: ['say bonus'] },
    'Rewards/more': { Chance: 10, Title: { Enabled: true, Title: '&6Hi' } },
  });
  expect(rewards).toEqual([
    { name: 'first-vote', if: { firstVote: true }, commands: ['say bonus'] },
    { name: 'first-vote-2', if: { firstVote: true, chance: '10%' }, title: '&6Hi' },
  ]);
  expect(left).toEqual(['SpecialRewards.yml: FirstVote | there is no file Rewards/gone.yml']);
});

test.each([
  [{ VoteMilestones: { a: { At: [5, 'many'] } } }, 'VoteMilestones.a', '"many" in At'],
  [{ VoteMilestones: { a: { At: 5, Every: 10 } } }, 'VoteMilestones.a', 'At and Every'],
  [{ VoteMilestones: { a: { Every: 10, Other: 1 } } }, 'VoteMilestones.a', 'it has Other'],
  [{ VoteMilestones: { a: { Total: 'ALLSITES', At: [2, 3] } } }, 'VoteMilestones.a', 'one number of sites'],
  [
    { VoteMilestones: { a: { At: 5, Limit: { Type: 'COOLDOWN', Duration: '12h' } } } },
    'VoteMilestones.a',
    '`limit`',
  ],
  [{ VoteMilestones: { a: { Total: 'POINTS', At: 5 } } }, 'VoteMilestones.a', 'no points'],
])(
  'A reward of VotingPlugin stays out whole if it cannot be said when it is paid: %j',
  async (section, where, why) => {
    const a = { ...section.VoteMilestones.a, Rewards: { Commands: ['say hi'] } };
    const SpecialRewards = { VoteMilestones: { a } };
    const found = await converted(folderWith({ VoteSites: {}, SpecialRewards }));
    expect(found.fragment.rewards).toEqual([]);
    expect(found.notConverted).toEqual([
      { what: `SpecialRewards.yml: ${where}`, why: expect.stringContaining(why) },
    ]);
  },
);
