import { DAY_MS, HOUR_MS } from '../../core/duration.ts';
import { minuteText } from '../../core/local-time.ts';
import { SERVICE_NAME_MAX, serviceNameOf } from '../../core/service-name.ts';
import type { Options } from '../options.ts';
import { durationWritten, parsePluginDuration } from '../plugin-duration.ts';
import { type Reward, type RewardKit, rewardsAt } from './reward.ts';
import { reportUnread } from './unread.ts';

export interface ConvertedSites {
  readonly sites: Readonly<Record<string, object>>;
  readonly rewards: readonly Reward[];
}

/**
 * VoteSites.yml: a section for each site under `VoteSites`, of which those with `Enabled: true` are in use, and
 * `EverySiteReward`. Read from ConfigVoteSites.java and VoteSite.java of VotingPlugin 7.1.
 */
export function sitesFrom(file: Options, kit: RewardKit): ConvertedSites {
  const everySite = rewardsAt(
    file,
    'EverySiteReward',
    { name: 'every-site', if: { not: { site: 'default' } } },
    kit,
  );
  const found = file.sections('VoteSites').flatMap(([key, site]) => siteFrom(key, site, kit) ?? []);
  reportUnread(file, kit.report);
  return {
    sites: Object.fromEntries(found.map(({ service, entry }) => [service, entry])),
    rewards: [...everySite, ...found.flatMap(({ rewards }) => rewards)],
  };
}

interface Site {
  readonly service: string;
  readonly entry: object;
  readonly rewards: readonly Reward[];
}

function siteFrom(key: string, site: Options, kit: RewardKit): Site | null {
  const { report } = kit;
  const service = serviceNameOf(site.text('ServiceSite') ?? '');
  const whyNot = whyNoSite(site, service);
  if (whyNot !== null) {
    site.skip();
    report.left(site.path, whyNot);
    return null;
  }
  const label = labelOf(site.text('Name') ?? key, service);
  const cooldown = cooldownOf(site, kit);
  const url = urlOf(site, kit);
  const isForced = site.flag('ForceOffline', site.flag('GiveOffline', false));
  const keys = isForced ? { when: 'always' } : {};
  const rewards = rewardsAt(site, 'Rewards', { name: key, if: { site: service }, keys }, kit);
  report.became(site.path, `sites.${service}`);
  waiting(site, kit);
  return {
    service,
    entry: {
      ...(label === null ? {} : { label }),
      ...(cooldown === null ? {} : { cooldown }),
      ...(url === null ? {} : { url }),
    },
    rewards,
  };
}

function whyNoSite(site: Options, service: string): string | null {
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

function cooldownOf(site: Options, { report }: RewardKit): string | null {
  const hour = site.number('VoteDelayDailyHour') ?? 0;
  const written = site.text('VoteDelay');
  const minutes = site.number('VoteDelayMin') ?? 0;
  if (site.flag('VoteDelayDaily', false)) {
    const begins = minuteText((Math.trunc(Math.abs(hour)) % 24) * 60);
    return begins === '00:00' ? 'day' : `day ${begins}`;
  }
  const ms = written === null ? null : parsePluginDuration(written, HOUR_MS);
  const total = ms === null ? null : ms + minutes * 60_000;
  if (total !== null && total >= 1000 && total <= 366 * DAY_MS) return durationWritten(total);
  if (written !== null)
    report.left(site.at('VoteDelay'), `${written} is no delay; the site gets the usual cooldown of 24h`);
  return null;
}

function urlOf(site: Options, { report }: RewardKit): string | null {
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

function waiting(site: Options, { report }: RewardKit): void {
  const isWaiting = site.flag('WaitUntilVoteDelay', false);
  if (!isWaiting) {
    const why =
      'the plugin paid votes before the delay was over as well; Teller pays one in each cooldown, so if the listing lets players vote more often, shorten `cooldown`';
    report.left(site.at('WaitUntilVoteDelay'), why);
  }
  for (const key of ['WaitUntilVoteDelayRewards', 'CoolDownEndRewards']) {
    const section = site.section(key);
    if (section === null || section.isEmpty) continue;
    section.skip();
    const why =
      key === 'CoolDownEndRewards'
        ? 'nothing is paid without a vote; `remind` tells players who may vote again'
        : 'a vote within the cooldown pays nothing, so that voting more often earns nothing';
    report.left(section.path, why);
  }
}

/** Service names by the key of each site in VoteSites.yml, in lower case, whether it is enabled or not. */
export function servicesIn(file: Options): ReadonlyMap<string, string> {
  const sites = file.sections('VoteSites');
  return new Map(
    sites.flatMap(([key, site]) => {
      const service = serviceNameOf(site.text('ServiceSite') ?? '');
      return service === '' ? [] : [[key.toLowerCase().replaceAll('.', '_'), service] as const];
    }),
  );
}
