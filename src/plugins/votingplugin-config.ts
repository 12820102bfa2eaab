import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { commonJs } from '../core/common-js.ts';
import { DAY_MS, HOUR_MS } from '../core/duration.ts';
import { minuteText } from '../core/local-time.ts';
import { Problem } from '../core/problem.ts';
import { SERVICE_NAME_MAX, serviceNameOf } from '../core/service-name.ts';
import { requireNoPipe } from '../platform/plain-file.ts';
import { type Conversion, ConversionReport, type Fragment, Section } from './conversion.ts';
import { specialRewards } from './votingplugin-milestones.ts';
import { RewardConversion } from './votingplugin-rewards.ts';

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

/**
 * Reads the plugin's folder, or the one of the server that it is in.
 *
 * @throws Problem `import-nothing`, `import-unreadable`
 */
export async function readVotingPlugin(
  dir: string,
): Promise<{ readonly folder: string; readonly files: VotingPluginFiles }> {
  for (const place of ['', 'VotingPlugin', 'plugins/VotingPlugin']) {
    const folder = path.resolve(dir, place);
    const names = await namesIn(folder);
    if (!names.has('votesites.yml') && !names.has('bungeeconfig.yml')) continue;
    const read = (wanted: string) => yamlIn(folder, names.get(wanted));
    const files = {
      config: await read('config.yml'),
      voteSites: await read('votesites.yml'),
      specialRewards: await read('specialrewards.yml'),
      bungeeSettings: await read('bungeesettings.yml'),
      rewardFiles: await rewardFilesIn(path.join(folder, names.get('rewards') ?? 'Rewards')),
      others: Object.keys(NOT_READ).filter((name) => names.has(name.toLowerCase())),
    };
    return { folder, files };
  }
  throw new Problem(
    'import-nothing',
    `there is no VotingPlugin in ${path.resolve(dir)}: it has no VoteSites.yml, nor a folder plugins/VotingPlugin`,
  );
}

/** What a folder has, by name in lower case. */
async function namesIn(folder: string): Promise<ReadonlyMap<string, string>> {
  const names = await readdir(folder).catch(() => []);
  return new Map(names.map((name) => [name.toLowerCase(), name]));
}

async function rewardFilesIn(folder: string): Promise<ReadonlyMap<string, Fields>> {
  const names = [...(await namesIn(folder))].filter(([name]) => name.endsWith('.yml'));
  const read = names.map(
    async ([name, file]) => [name.slice(0, -'.yml'.length), await yamlIn(folder, file)] as const,
  );
  return new Map(await Promise.all(read));
}

const yaml = (): typeof import('yaml') => commonJs('yaml');

/** As plugins read YAML, with version 1.1: `yes` and `on` are true, and of two equal keys the last one counts. */
async function yamlIn(folder: string, name: string | undefined): Promise<Fields> {
  if (name === undefined) return {};
  const file = path.join(folder, name);
  await requireNoPipe(file);
  try {
    const text = await readFile(file, 'utf8');
    const options = { version: '1.1', uniqueKeys: false, logLevel: 'error', maxAliasCount: 1000 } as const;
    const value: unknown = yaml().parse(text, options) ?? {};
    if (typeof value === 'object' && !Array.isArray(value)) return value as Fields;
    throw new Error('is a list or a single value, not keys');
  } catch (error) {
    const [reason = ''] = (error as Error).message.split('\n');
    throw new Problem('import-unreadable', `${file}: ${reason}`);
  }
}

/** Service names by the key of each site in VoteSites.yml, in lower case, whether it is enabled or not. */
export function servicesIn({ voteSites }: VotingPluginFiles): ReadonlyMap<string, string> {
  const sites = new Section(voteSites, '').sections('VoteSites');
  return new Map(
    sites.flatMap(([key, site]) => {
      const service = serviceNameOf(site.text('ServiceSite') ?? '');
      return service === '' ? [] : [[key.toLowerCase().replaceAll('.', '_'), service] as const];
    }),
  );
}

/** The config of VotingPlugin in ours. */
export function convertVotingPlugin(files: VotingPluginFiles): Conversion {
  const report = new ConversionReport();
  const rewards = new RewardConversion(report, files.rewardFiles);
  const voteSites = new Section(files.voteSites, 'VoteSites.yml: ');
  const special = new Section(files.specialRewards, 'SpecialRewards.yml: ');
  const config = new Section(files.config, 'Config.yml: ');
  const everySite = rewards.at(voteSites, 'EverySiteReward', {
    ...{ name: 'every-site', if: { not: { site: 'default' } } },
  });
  const found = voteSites.sections('VoteSites').flatMap(([key, site]) => siteFrom(key, site, rewards) ?? []);
  const fragment = {
    sites: Object.fromEntries(found.map(({ service, entry }) => [service, entry])),
    rewards: [
      ...everySite,
      ...found.flatMap((site) => site.rewards),
      ...specialRewards(special, found.length, rewards),
    ],
    ...playersFrom(config, report),
  };
  report.leaveUnread(voteSites, {});
  report.leaveUnread(special, NOT_IN_SPECIAL);
  report.leaveUnread(config, NOT_IN_CONFIG, 'is about how the plugin works inside the game server');
  report.leaveUnread(new Section(files.bungeeSettings, 'BungeeSettings.yml: '), {}, PROXY);
  for (const name of files.others) report.left(name, NOT_READ[name] ?? 'is not read');
  return { fragment, notConverted: report.notConverted };
}

const MENU = 'is about the plugin’s menus, which Teller does not have';
const PROXY = 'Teller sends commands to each game server itself; list the servers in gameServers';
const SHOP = 'Teller has no points and no shop; use a plugin for these, and pay its points with a command';
const TOPS = 'write an entry of `tops`, with `exclude` and `ties`';
const REMIND = 'write an entry of `remind`';
const CHATS = 'write the URL of the channel’s webhook into an entry of `events`, which posts votes to chats';
const STREAK = 'write each as a reward with `"if": { "streak": … }`';

/** Files that are named and not read. */
const NOT_READ: Readonly<Record<string, string>> = {
  ...{ 'Shop.yml': SHOP, 'GUI.yml': MENU, 'bungeeconfig.yml': PROXY, 'bungee.yml': PROXY },
};

const NOT_IN_SPECIAL: Readonly<Record<string, string>> = {
  ...{ votestreaks: STREAK, votestreak: STREAK },
  cumulative: 'write each as a reward with `"if": { "votes": { "every": … } }`',
  milestones: 'write each as a reward with `"if": { "votes": { "at": … } }`',
  voteparty: 'write an entry of `party`',
  ...{
    enablemonthlyawards: TOPS,
    enableweeklyawards: TOPS,
    enabledailyawards: TOPS,
    enabledailyrewards: TOPS,
  },
  ...{ monthlyawards: TOPS, weeklyawards: TOPS, dailyawards: TOPS },
};

const NOT_IN_CONFIG: Readonly<Record<string, string>> = {
  ...{ blacklist: TOPS, topvoterawardsties: TOPS, pointsonvote: SHOP },
  ...{ voteremindoptions: REMIND, votereminderoptions: REMIND, votereminders: REMIND, votereminding: REMIND },
  votebroadcast: 'write a reward with `broadcast`',
  offlinevoteslimit: 'set `expiresAfter` of the rewards, so that what waits too long is cancelled',
  ...{ discordsrv: CHATS, webhooks: CHATS },
};

function playersFrom(config: Section, report: ConversionReport): Pick<Fragment, 'players'> {
  const prefix = config.text('BedrockPlayerPrefix');
  if (prefix === null) return {};
  if (/^[^@"'\\/#;\s\p{C}]{1,3}$/u.test(prefix)) return { players: { bedrockPrefixes: [prefix] } };
  report.left(config.at('BedrockPlayerPrefix'), 'is no prefix of 1 to 3 characters');
  return {};
}

interface Site {
  readonly service: string;
  readonly entry: object;
  readonly rewards: readonly object[];
}

const NOT_IN_SITE: Readonly<Record<string, string>> = {
  ...{
    displayitem: MENU,
    item: MENU,
    priority: MENU,
    hidden: MENU,
    permissiontoview: MENU,
    ignorecanvote: MENU,
  },
  cooldownendrewards: 'nothing is paid without a vote; `remind` tells players who may vote again',
  waituntilvotedelayrewards:
    'a vote within the cooldown pays nothing, so that voting more often earns nothing',
};

/** A section of `VoteSites`. Read from ConfigVoteSites.java and VoteSite.java of VotingPlugin 7.1. */
function siteFrom(key: string, site: Section, rewards: RewardConversion): Site | null {
  const { report } = rewards;
  const service = serviceNameOf(site.text('ServiceSite') ?? '');
  const whyNot = whyNoSite(site, service);
  if (whyNot !== null) {
    report.leave(site, whyNot);
    return null;
  }
  const label = labelOf(site.text('Name') ?? key, service);
  const cooldown = cooldownOf(site, report);
  const url = urlOf(site, report);
  const isForced = site.flag('ForceOffline', site.flag('GiveOffline', false));
  const paid = rewards.at(site, 'Rewards', {
    ...{ name: key, if: { site: service }, keys: isForced ? { when: 'always' } : {} },
  });
  if (!site.flag('WaitUntilVoteDelay', false))
    report.left(
      site.at('WaitUntilVoteDelay'),
      'the plugin paid votes before the delay was over as well; Teller pays one in each cooldown, so if the listing lets players vote more often, shorten `cooldown`',
    );
  report.leaveUnread(site, NOT_IN_SITE);
  const entry = {
    ...(label === null ? {} : { label }),
    ...(cooldown === null ? {} : { cooldown }),
    ...(url === null ? {} : { url }),
  };
  return { service, entry, rewards: paid };
}

function whyNoSite(site: Section, service: string): string | null {
  if (!site.flag('Enabled', false)) return 'the site is not enabled';
  if (service === '' || service === 'default') return 'the site has no ServiceSite, so no vote would be its';
  return service.length > SERVICE_NAME_MAX ? 'its ServiceSite is too long to be one' : null;
}

/** Characters that could end a placeholder or a string in a command are not in labels. */
function labelOf(name: string, service: string): string | null {
  const plain = name
    .replaceAll(/&[0-9a-fk-or]/gi, '')
    .replaceAll(/[{}"\\\p{C}]/gu, '')
    .trim();
  return plain === '' || plain === service || Buffer.byteLength(plain) > 64 ? null : plain;
}

function cooldownOf(site: Section, report: ConversionReport): string | null {
  const hour = site.number('VoteDelayDailyHour') ?? 0;
  const written = site.text('VoteDelay');
  const minutes = site.number('VoteDelayMin') ?? 0;
  if (site.flag('VoteDelayDaily', false)) {
    const begins = minuteText((Math.trunc(Math.abs(hour)) % 24) * 60);
    return begins === '00:00' ? 'day' : `day ${begins}`;
  }
  if (written === null) return null;
  const ms = (delayMs(written) ?? Number.NaN) + minutes * 60_000;
  if (ms >= 1000 && ms <= 366 * DAY_MS) return durationWritten(ms);
  report.left(site.at('VoteDelay'), `${written} is no delay; the site gets the usual cooldown of 24h`);
  return null;
}

const UNIT_MS: Readonly<Record<string, number>> = {
  ...{ s: 1000, m: 60_000, h: HOUR_MS, d: DAY_MS, w: 7 * DAY_MS, mo: 30 * DAY_MS },
};

const PART = /(\d+(?:\.\d+)?)\s*(mo|[smhdw])/gi;

/** `24h`, `1d 12h` or `30m`; a number alone is in hours. A month is 30 days. @returns null if it is something else. */
function delayMs(written: string): number | null {
  const text = /^\s*\d+(?:\.\d+)?\s*$/.test(written) ? `${written}h` : written;
  const parts = [...text.matchAll(PART)];
  if (text.replaceAll(PART, '').trim() !== '') return null;
  const ms = parts.map(([, count, unit = '']) => Number(count) * (UNIT_MS[unit.toLowerCase()] ?? 0));
  return Math.round(ms.reduce((sum, each) => sum + each, 0));
}

/** In the largest unit that needs no fraction; days from two on. */
function durationWritten(ms: number): string {
  if (ms % DAY_MS === 0 && ms > DAY_MS) return `${ms / DAY_MS}d`;
  if (ms % HOUR_MS === 0) return `${ms / HOUR_MS}h`;
  return ms % 60_000 === 0 ? `${ms / 60_000}m` : `${Math.round(ms / 1000)}s`;
}

function urlOf(site: Section, report: ConversionReport): string | null {
  const written = site.text('VoteURL');
  if (written === null) return null;
  const [, inner] = /url="([^"]+)"/i.exec(written) ?? [];
  const text = inner ?? written;
  const url = /^https?:\/\//i.test(text) ? text : `https://${text}`;
  const isUsable =
    /^[^{}"\\\s\p{C}]{1,500}$/u.test(url) && URL.canParse(url) && new URL(url).hostname.includes('.');
  if (isUsable) return url;
  report.left(site.at('VoteURL'), 'is no web address; set `url` to the page where players vote');
  return null;
}
