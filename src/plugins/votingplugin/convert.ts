import { type Conversion, ConversionReport } from '../conversion.ts';
import { Options } from '../options.ts';
import { milestonesFrom } from './milestones.ts';
import { type Reward, type RewardKit, rewardsAt } from './reward.ts';
import { sitesFrom } from './sites.ts';
import { streaksFrom } from './streaks.ts';
import { reportUnread } from './unread.ts';

type Fields = Readonly<Record<string, unknown>>;

/** The files of the plugin, parsed. An absent one is empty. */
export interface VotingPluginFiles {
  readonly config: Fields;
  readonly voteSites: Fields;
  readonly specialRewards: Fields;
  readonly bungeeSettings: Fields;
  /** Those of the folder Rewards, by name in lower case, without its ending. */
  readonly rewardFiles: ReadonlyMap<string, Fields>;
  /** Other files of the folder that hold settings, such as Shop.yml. */
  readonly others: readonly string[];
}

const SHOP = 'Teller has no points and no shop; use a plugin for these, and pay its points with a command';

const OF_FILES: Readonly<Record<string, string>> = {
  'Shop.yml': SHOP,
  'GUI.yml': 'is about the plugin’s menus, which Teller does not have',
  'bungeeconfig.yml': 'Teller sends commands to each game server itself; list the servers in gameServers',
  'bungee.yml': 'Teller sends commands to each game server itself; list the servers in gameServers',
};

/** The config of VotingPlugin in ours. */
export function convertVotingPlugin(files: VotingPluginFiles): Conversion {
  const report = new ConversionReport();
  const kit: RewardKit = { report, files: files.rewardFiles };
  const config = new Options(files.config, 'Config.yml: ');
  const special = new Options(files.specialRewards, 'SpecialRewards.yml: ');
  const { sites, rewards } = sitesFrom(new Options(files.voteSites, 'VoteSites.yml: '), kit);
  const prefix = config.text('BedrockPlayerPrefix');
  const found: readonly Reward[] = [
    ...rewards,
    ...rewardsAt(special, 'AnySiteRewards', { name: 'any-site', if: {} }, kit),
    ...milestonesFrom(special, Object.keys(sites).length, kit),
    ...streaksFrom(special, config.flag('UseVoteStreaks', true), kit),
  ];
  const fragment = { sites, rewards: found, ...playersFrom(prefix, report) };
  leavePoints(config, report);
  const bungee = new Options(files.bungeeSettings, 'BungeeSettings.yml: ');
  reportUnread(special, report);
  reportUnread(config, report, 'is about how the plugin works inside the game server');
  reportUnread(bungee, report, OF_FILES['bungeeconfig.yml']);
  for (const name of files.others) report.left(name, OF_FILES[name] ?? 'is not read');
  return { fragment, converted: report.converted, notConverted: report.notConverted };
}

function playersFrom(prefix: string | null, report: ConversionReport): object {
  if (prefix === null) return {};
  if (!/^[^@"'\\/#;\s\p{C}]{1,3}$/u.test(prefix)) {
    report.left('Config.yml: BedrockPlayerPrefix', 'is no prefix of 1 to 3 characters');
    return {};
  }
  report.became('Config.yml: BedrockPlayerPrefix', 'players.bedrockPrefixes');
  return { players: { bedrockPrefixes: [prefix] } };
}

function leavePoints(config: Options, report: ConversionReport): void {
  if ((config.number('PointsOnVote') ?? 0) > 0) report.left('Config.yml: PointsOnVote', SHOP);
}
