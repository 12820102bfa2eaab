/**
 * What the config's `sites` say about votes: which entry a service falls to, by which rules its votes are decided, and since when the
 * votes that a listing reports are rewarded.
 */
import { type Config, forwardTargets, practiceNames, type SiteConfig } from '../config/config.ts';
import { type Clock, isClockSet, startOf } from '../core/clock.ts';
import type { UnrewardedReason } from '../core/decide.ts';
import { printableJson } from '../core/printable.ts';
import { DEFAULT_SITE, SERVICE_NAME_MAX, serviceNameOf } from '../core/service-name.ts';
import { type Recipient, STAND_IN_SERVICE } from '../core/vote.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { Rules } from '../rewards/reward.ts';

type Sites = ReadonlyMap<string, SiteConfig>;

/** The site entry that applies to a service name (rule 3): the one of exactly this name, else `default`. */
export interface SiteMatch {
  readonly key: string;
  readonly entry: SiteConfig;
  readonly isListed: boolean;
}

/** White space around a name is ignored, both in votes and in the config. */
export function matchSite(sites: Sites, serviceName: string): SiteMatch {
  const key = keysOf(sites).get(serviceNameOf(serviceName)) ?? DEFAULT_SITE;
  const entry = sites.get(key);
  if (entry === undefined) throw new Error('a loaded config has sites.default');
  return { key, entry, isListed: key !== DEFAULT_SITE };
}

const known = new WeakMap<Sites, ReadonlyMap<string, string>>();

/** The keys of `sites` by service name. A key is kept as it is written, because windows are stored under it. */
function keysOf(sites: Sites): ReadonlyMap<string, string> {
  const keys = known.get(sites) ?? new Map([...sites.keys()].map((key) => [serviceNameOf(key), key]));
  known.set(sites, keys);
  return keys;
}

/**
 * What an operator adds to `sites` to give a service its own window; null if no entry can have that name, and for
 * `teller send`, which is not a listing.
 */
export const entryToAdd = (serviceName: string): string | null =>
  canBeListed(serviceName) && serviceName !== STAND_IN_SERVICE ? `${printableJson(serviceName)}: {}` : null;

/** Other keys have another meaning in the config, such as `default` or a comment, or cannot be used. */
export const canBeListed = (name: string): boolean =>
  name.length <= SERVICE_NAME_MAX &&
  !name.startsWith('//') &&
  ![DEFAULT_SITE, '$schema', '__proto__'].includes(name);

/** What the config says about rewards, in the form that `decide` needs. */
export function rulesOf(config: Config, zone: string): Rules {
  const targets = forwardTargets(config);
  return {
    rewards: config.rewards,
    parties: config.party,
    practiceServers: new Set(practiceNames(config)),
    labels: labelsOf(config),
    listed: byRecipient(config, (key) => [serviceNameOf(key)]),
    links: linksOf(config),
    zone,
    pay: config.pay,
    ...(targets.length === 0 ? {} : { targets }),
  };
}

/** What `{site}` shows, by entry key. */
export const labelsOf = ({ sites }: Config): Rules['labels'] =>
  new Map([...sites].flatMap(([key, { label }]) => (label === null ? [] : [[key, label] as const])));

/** What `{voteLinks}` shows. What a command could read as a quote, a brace or a placeholder is percent-encoded. */
export const linksOf = (config: Config): Rules['links'] =>
  byRecipient(config, (_, { url }) =>
    url === null
      ? []
      : [url.replaceAll(/[{}"'\\]/g, (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`)],
  );

/** Something about the sites with an entry of their own, by the kind of recipient that their votes name. */
function byRecipient(
  { sites }: Config,
  of: (key: string, site: SiteConfig) => readonly string[],
): Readonly<Record<Recipient['kind'], readonly string[]>> {
  const found = { player: [] as string[], user: [] as string[] };
  for (const [key, site] of sites) {
    if (key === DEFAULT_SITE) continue;
    found[site.game === 'minecraft' ? 'player' : 'user'].push(...of(key, site));
  }
  return found;
}

/** Which of a site's reported votes can be rewarded, by their cast time; it is checked before the window. */
export interface RewardPeriod {
  /** Votes cast before this are not rewarded: another plugin may have paid them. */
  readonly payFrom: number;
  /** null: no limit. */
  readonly maxAgeMs: number | null;
}

type OutsidePeriod = Exclude<UnrewardedReason, 'no-player'>;

/** null: the vote can be rewarded. */
export function unrewardedReason(
  votedAt: number,
  { payFrom, maxAgeMs }: RewardPeriod,
  now: number,
): OutsidePeriod | null {
  if (votedAt < payFrom) return 'before-start';
  return maxAgeMs !== null && now - votedAt > maxAgeMs ? 'too-old' : null;
}

/** @param startedAt when this Teller started: a site that its ledger does not know yet was first seen then. */
export async function rewardPeriodOf(
  site: string,
  { api }: SiteConfig,
  ledger: Pick<Ledger, 'firstSeen'>,
  startedAt: number,
): Promise<RewardPeriod> {
  const firstSeen = await ledger.firstSeen(site, startedAt);
  return { payFrom: api?.payFrom ?? firstSeen, maxAgeMs: api?.maxAgeMs ?? null };
}

/**
 * Judges the votes of webhooks by the periods of their sites, which are kept. If a vote is older than its site's, the period is asked
 * for again for the same start: then the clock may not have been set, or it was ahead and has been corrected, or the listing's API has
 * shown that it is ahead. While the clock is not set, a vote seems to be from the future, and waits.
 */
export function judgeByPeriods(
  sites: Sites,
  ledger: Pick<Ledger, 'firstSeen'>,
  clock: Clock,
): (site: string, votedAt: number) => Promise<OutsidePeriod | null> {
  const startedAt = startOf(clock);
  const periods = new Map<string, RewardPeriod>();
  return async (site, votedAt) => {
    let period = periods.get(site);
    if (period === undefined || votedAt < period.payFrom) {
      const config = sites.get(site);
      if (config === undefined || !isClockSet(clock.now())) return null;
      period = await rewardPeriodOf(site, config, ledger, startedAt(clock.now()));
      periods.set(site, period);
    }
    return unrewardedReason(votedAt, period, clock.now());
  };
}
