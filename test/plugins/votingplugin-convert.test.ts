import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { convertVotingPlugin, type VotingPluginFiles } from '../../src/plugins/votingplugin/convert.ts';
import { readVotingPlugin } from '../../src/plugins/votingplugin/files.ts';
import { temporaryFolder } from '../support/folder.ts';
import { faultsOf } from './loads.ts';

const SAMPLES = path.resolve(import.meta.dirname, 'samples/votingplugin');

const { files } = await readVotingPlugin(SAMPLES);
const { fragment, converted, notConverted } = convertVotingPlugin(files);

const none = { config: {}, voteSites: {}, specialRewards: {}, bungeeSettings: {}, others: [] };

/** The rewards of one section, and what was left out of it. */
function reward(section: object, rewardFiles: VotingPluginFiles['rewardFiles'] = new Map()) {
  const specialRewards = { FirstVote: section };
  const found = convertVotingPlugin({ ...none, specialRewards, rewardFiles });
  return {
    rewards: found.fragment.rewards,
    left: found.notConverted.map(({ what, why }) => `${what} | ${why}`),
  };
}

const named = (name: string) => fragment.rewards.find((each) => 'name' in each && each.name === name);

describe('The config of VotingPlugin', () => {
  test('becomes a config that loads', async () => {
    expect(await faultsOf(fragment)).toEqual([]);
    expect(fragment.rewards.length).toBeGreaterThan(10);
  });

  test('has each enabled site by its service name, with label, cooldown and page', () => {
    expect(fragment.sites).toEqual({
      'PlanetMinecraft.com': {
        ...{ label: 'Planet Minecraft', cooldown: '24h' },
        url: 'https://www.planetminecraft.com/server/example/vote/',
      },
      'MCList.example': { label: 'MCList', cooldown: 'day 05:00', url: 'https://mclist.example/vote/1077' },
      'lucky.example': { label: 'Lucky', cooldown: '36h', url: 'https://lucky.example/vote' },
    });
  });

  test('has the rewards of sites, with their placeholders in our words', () => {
    expect(named('PlanetMinecraft')).toEqual({
      name: 'PlanetMinecraft',
      if: { site: 'PlanetMinecraft.com' },
      commands: [
        'eco give {player} 250',
        'crate key give {player} vote 1',
        'give {player} minecraft:bread 8',
      ],
      message: '&aThanks for voting on {site}!',
      broadcast: '&6{player} voted on {service}',
    });
    expect(named('MCList')).toMatchObject({
      if: { site: 'MCList.example', chance: '40%' },
      when: 'always',
      commands: ['xp add {player} {random 10..50} points'],
      oneOf: [{ commands: ['give {player} diamond 1'] }, { commands: ['give {player} emerald 1'] }],
    });
    expect(named('every-site')).toMatchObject({ if: { not: { site: 'default' } }, delay: '5m' });
  });

  test('has milestones and streaks, old and new', () => {
    expect(named('Daily')).toMatchObject({
      if: { votes: { at: [5, '10..50 step 10', 100], of: 'day' } },
      limit: { per: 'player', count: 1, within: 'week' },
      commands: ['say {player} reached {votesDay} today'],
    });
    expect(named('All')).toMatchObject({ if: { allSites: true } });
    expect(named('FirstEver')).toMatchObject({ if: { votes: { at: [1] } } });
    expect(named('cumulative-20')).toMatchObject({
      if: { votes: { every: 20, of: 'month' } },
      message: '&aYou got {votesMonth} votes!',
    });
    expect(named('ThreeDays')).toMatchObject({
      if: { streak: { length: 3, votes: 2, repeat: true, forgive: { missed: 1, in: 7 } } },
    });
    expect(named('Weeks-Four')).toMatchObject({ if: { streak: { length: 4, per: 'week', votes: 5 } } });
    expect(named('streak-day-10')).toMatchObject({ if: { streak: { length: 10, repeat: true } } });
  });

  test('has the prefix of Bedrock players', () => {
    expect(fragment.players).toEqual({ bedrockPrefixes: ['.'] });
  });

  test('names what takes the place of posts to a chat and of sounds', () => {
    const config = { DiscordSRV: { Enabled: true } };
    const found = convertVotingPlugin({
      ...none,
      ...{ config, rewardFiles: new Map() },
      specialRewards: { FirstVote: { Sound: { Sound: 'a' } } },
    });
    const whyOf = (word: string) => found.notConverted.find(({ what }) => what.includes(word))?.why;
    expect(whyOf('DiscordSRV')).toContain('`events`');
    expect(whyOf('Sound')).toContain('`sound`');
  });

  test('has each option in one of the two lists, and says why those in the second are there', () => {
    expect(converted.map(({ what, into }) => `${what} → ${into}`)).toContain(
      'Config.yml: BedrockPlayerPrefix → players.bedrockPrefixes',
    );
    expect(notConverted.map(({ what }) => what)).toEqual([
      'Rewards/vip.yml',
      'Rewards/thanks.yml: Money',
      'VoteSites.yml: VoteSites.MCList.WaitUntilVoteDelay',
      'VoteSites.yml: VoteSites.MCList.CoolDownEndRewards',
      'VoteSites.yml: VoteSites.Lucky.Rewards',
      'VoteSites.yml: VoteSites.Lucky.WaitUntilVoteDelay',
      'VoteSites.yml: VoteSites.Old',
      'VoteSites.yml: VoteSites.PlanetMinecraft.Priority, DisplayItem',
      'SpecialRewards.yml: VoteMilestones.Every25',
      'SpecialRewards.yml: VoteMilestones.At100',
      'SpecialRewards.yml: VoteMilestones.Points',
      'SpecialRewards.yml: VoteMilestones.Often',
      'SpecialRewards.yml: VoteMilestones.Disabled',
      'SpecialRewards.yml: MileStones.500.Rewards',
      'SpecialRewards.yml: MileStones.500.Rewards.Items.sword',
      'SpecialRewards.yml: MileStones.500.Rewards.Commands.Player',
      'SpecialRewards.yml: VoteStreaks.ProgressGroups.Weeks.LostRewards',
      'Config.yml: PointsOnVote',
      'SpecialRewards.yml: VoteParty',
      'SpecialRewards.yml: EnableMonthlyAwards, MonthlyAwards, EnableWeeklyAwards, WeeklyAwards',
      'SpecialRewards.yml: NameMCLikeReward',
      'Config.yml: DataStorage',
      'Config.yml: OnlineMode, VoteLogging',
      'Config.yml: VoteReminderOptions, VoteReminders',
      'Config.yml: VoteBroadcast',
      'Config.yml: BlackList, TopVoterAwardsTies',
      'Config.yml: Format',
      'Shop.yml',
    ]);
    expect(notConverted.every(({ why }) => why.length > 10)).toBe(true);
  });
});

describe('A reward of VotingPlugin', () => {
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
    [{ Chance: 0 }, 'Chance is 0'],
  ])('is not paid to others because its requirement %j cannot be converted', (requirement, word) => {
    const { rewards, left } = reward({ ...requirement, Commands: ['say hi'] });
    expect(rewards).toEqual([]);
    expect(left).toEqual([expect.stringContaining(word)]);
  });

  test('keeps requirements that are off', () => {
    const off = {
      Permission: 'a.b',
      RequirePermission: false,
      Worlds: [],
      Timed: { Enabled: false },
      Chance: 100,
    };
    expect(reward({ ...off, Commands: ['say hi'] })).toEqual({
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
    [{ Items: { a: { Material: 'BREAD', Name: 'b' } } }, 'FirstVote.Items.a', 'the item has Name'],
    [{ Money: '%amount%' }, 'FirstVote.Money', 'no counterpart'],
    [{ Chance: 'often' }, 'FirstVote.Chance', 'no counterpart'],
    [{ RewardExpiration: 'soon' }, 'FirstVote', 'not a duration'],
    [{ Delayed: { Enabled: true, Hours: 'two' } }, 'FirstVote.Delayed.Hours', 'no counterpart'],
    [{ Sound: { Sound: 'a' } }, 'FirstVote.Sound', '`sound`'],
    [{ RandomCommand: ['say a', 'say %x%'] }, 'FirstVote', '“say %x%” uses %x%'],
    [
      { SpecialChance: { '5': { Commands: ['say a'], Delayed: { Enabled: true, Hours: 1 } } } },
      'FirstVote.SpecialChance.5',
      'an entry that is drawn',
    ],
    [{ Rewards: ['gone'] }, 'FirstVote.Rewards', 'no file Rewards/gone.yml'],
    [{ AdvancedRewards: { x: { Server: 'lobby' } } }, 'FirstVote.AdvancedRewards.x', 'depends on Server'],
  ])('stays out whole if a part of it cannot be converted: %j', (part, where, why) => {
    const { rewards, left } = reward({ Command: 'say kept', ...part });
    expect(rewards).toEqual([]);
    const [path, sentence] = left[0]?.split(' | ') ?? [];
    expect([path, left.length]).toEqual([`SpecialRewards.yml: ${where}`, 1]);
    expect(sentence).toMatch(/^the reward was left out: /);
    expect(sentence).toContain(why);
  });

  test('lists each part that kept it out, also of a file that it names', () => {
    const files = new Map([['bonus', { Sound: { Sound: 'a' }, Commands: ['say bonus'] }]]);
    const { rewards, left } = reward({ Commands: ['say %x%', 'say %y%'], Rewards: ['bonus'] }, files);
    expect(rewards).toEqual([]);
    expect(left).toEqual([
      expect.stringMatching(/^SpecialRewards\.yml: FirstVote \| the reward was left out: .*%x%/),
      expect.stringMatching(/^SpecialRewards\.yml: FirstVote \| the reward was left out: .*%y%/),
      'Rewards/bonus.yml: Sound | the reward SpecialRewards.yml: FirstVote was left out: write `sound` with Minecraft’s name of the sound',
    ]);
  });

  test.each([
    [{ VoteMilestones: { a: { At: [5, 'many'] } } }, 'VoteMilestones.a', '"many" in At'],
    [{ VoteMilestones: { a: { At: 5, Every: 10 } } }, 'VoteMilestones.a', 'At and Every'],
    [{ VoteMilestones: { a: { Every: 10, Other: 1 } } }, 'VoteMilestones.a', 'it has Other'],
    [{ VoteMilestones: { a: { Total: 'ALLSITES', At: [2, 3] } } }, 'VoteMilestones.a', 'one number of sites'],
    [{ Cumulative: { '20': { Other: 1 } } }, 'Cumulative.20', 'it has Other'],
    [{ VoteStreaks: { a: { Type: 'DAILY', Amount: 3, Other: 1 } } }, 'VoteStreaks.a', 'it has Other'],
    [
      { VoteStreaks: { a: { Type: 'DAILY', Amount: 3, AllowMissedAmount: 9, AllowMissedPeriod: 9 } } },
      'VoteStreaks.a',
      'can be forgiven',
    ],
    [
      { VoteStreak: { Requirement: { UsePercentage: true }, Day: { '3': {} } } },
      'VoteStreak.Day.3',
      'share of the sites',
    ],
  ])('stays out whole if it cannot be said when it is paid: %j', (section, where, why) => {
    const [[key, entries]] = Object.entries(section) as [[string, object]];
    const withRewards = (value: unknown): unknown =>
      value !== null && typeof value === 'object' && !Array.isArray(value)
        ? { ...value, Rewards: { Commands: ['say hi'] } }
        : value;
    const filled = Object.entries(entries).map(([name, value]) => [
      name,
      name === 'Day' ? { '3': withRewards({}) } : name === 'Requirement' ? value : withRewards(value),
    ]);
    const specialRewards = { [key]: Object.fromEntries(filled) };
    const found = convertVotingPlugin({ ...none, specialRewards, rewardFiles: new Map() });
    expect(found.fragment.rewards).toEqual([]);
    expect(found.notConverted).toEqual([
      { what: `SpecialRewards.yml: ${where}`, why: expect.stringContaining(why) },
    ]);
  });

  test('can give items, money, experience and titles', () => {
    const { rewards } = reward({
      Items: { a: { Material: 'DIAMOND', MinAmount: 1, MaxAmount: 3 } },
      Item: { Material: 'bread' },
      Money: { Min: 5, Max: 10 },
      EXPLevels: 3,
      Title: { Enabled: true, Title: '&6Hi' },
    });
    expect(rewards).toMatchObject([
      {
        commands: [
          'eco give {player} {random 5..10}',
          'xp add {player} 3 levels',
          'give {player} minecraft:diamond {random 1..3}',
          'give {player} minecraft:bread 1',
        ],
        title: '&6Hi',
      },
    ]);
  });

  test('can contain rewards, by chance or weight, and in files', async () => {
    const files = new Map([['bonus', { Commands: ['say bonus'] }]]);
    const { rewards, left } = reward(
      {
        Rewards: ['bonus'],
        AdvancedRewards: { x: { Chance: 10, Commands: ['say x'] } },
        SpecialChance: { '99_5': { Commands: ['say a'] }, '0_5': { Commands: ['say b'] } },
      },
      files,
    );
    expect(rewards).toEqual([
      {
        name: 'first-vote',
        if: { firstVote: true },
        oneOf: [
          { weight: 9950, commands: ['say a'] },
          { weight: 50, commands: ['say b'] },
        ],
      },
      { name: 'first-vote-2', if: { firstVote: true }, commands: ['say bonus'] },
      { name: 'first-vote-x', if: { firstVote: true, chance: '10%' }, commands: ['say x'] },
    ]);
    expect(left).toEqual([]);
    expect(await faultsOf({ ...fragment, sites: {}, rewards })).toEqual([]);
  });

  test('inside a reward with a chance keep it out, because they would be drawn twice', () => {
    const { rewards, left } = reward({ Chance: 50, Commands: ['say a'], Rewards: { Commands: ['say b'] } });
    expect(rewards).toEqual([]);
    expect(left).toEqual([expect.stringMatching(/FirstVote\.Rewards \| .*drawn twice/)]);
  });
});

describe('The folder of VotingPlugin', () => {
  test('can be that of the server, and its files in any case', async () => {
    const server = temporaryFolder({ 'plugins/VotingPlugin/votesites.yml': 'VoteSites: {}\n' });
    expect((await readVotingPlugin(server)).folder).toBe(path.join(server, 'plugins/VotingPlugin'));
  });

  test('is a problem if it is missing or a file is not YAML', async () => {
    await expect(readVotingPlugin(temporaryFolder({}))).rejects.toMatchObject({ code: 'import-nothing' });
    const broken = temporaryFolder({ 'VoteSites.yml': 'a: [b' });
    await expect(readVotingPlugin(broken)).rejects.toMatchObject({ code: 'import-unreadable' });
    const list = temporaryFolder({ 'VoteSites.yml': '- a\n' });
    await expect(readVotingPlugin(list)).rejects.toMatchObject({ code: 'import-unreadable' });
  });
});
