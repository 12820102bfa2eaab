/**
 * What the config's `sites` say about votes: which entry a service falls to, by which rules its votes are decided, and since when the
 * votes that a listing reports are rewarded. Votes that came before their service had an entry are paid once it has one.
 */
import { type Config, forwardTargets, practiceNames, type SiteConfig, zoneOf } from '../config/config.ts';
import { type Cancel, type Clock, isClockSet, startOf } from '../core/clock.ts';
import type { UnrewardedReason } from '../core/decide.ts';
import type { Log } from '../core/log.ts';
import { printableJson } from '../core/printable.ts';
import { Problem } from '../core/problem.ts';
import type { Random } from '../core/random.ts';
import { DEFAULT_SITE, SERVICE_NAME_MAX, serviceNameOf } from '../core/service-name.ts';
import { STAND_IN_SERVICE } from '../core/vote.ts';
import type { Ledger, ListedSite } from '../ledger/ledger.ts';
import { drawFor, type Rules } from '../rewards/reward.ts';

type Sites = ReadonlyMap<string, SiteConfig>;

/**
 * The site entry that applies to a service name (rule 3): the one of exactly this name, else `default`. White space around a name is
 * ignored, both in votes and in the config.
 */
export function matchSite(sites: Sites, serviceName: string) {
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
function byRecipient({ sites }: Config, of: (key: string, site: SiteConfig) => readonly string[]) {
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

/** Deciding so many votes in one transaction takes some milliseconds. */
const VOTES_AT_ONCE = 50;
/** While the clock is doubted, or the ledger cannot be written. */
const RETRY_MS = 60_000;

/**
 * Pays the votes that came before their service had an entry in `sites`, in the process that delivers: when it starts to deliver, and
 * after each reload. What is left when the process ends is paid at the next start.
 */
export class UnlistedPayments {
  private isStarted = false;
  private isClosed = false;
  private paying: Promise<void> = Promise.resolve();
  private cancelRetry: Cancel = () => {};

  /** @param onGranted called after votes were given grants. */
  constructor(
    private config: Config,
    private readonly ledger: Ledger,
    private readonly clock: Clock,
    private readonly random: Random,
    private readonly log: Log,
    private readonly onGranted: () => void,
  ) {}

  /** Call this when the process delivers. */
  start(): void {
    this.isStarted = true;
    this.paySoon();
  }

  apply(config: Config): void {
    this.config = config;
    if (this.isStarted) this.paySoon();
  }

  /** Waits for the portion that is being stored. */
  async close(): Promise<void> {
    this.isClosed = true;
    this.cancelRetry();
    await this.paying;
  }

  private paySoon(): void {
    this.cancelRetry();
    this.paying = this.paying.then(async () => {
      if (this.isClosed || (await this.pay())) return;
      this.cancelRetry = this.clock.after(RETRY_MS, () => this.paySoon());
    });
  }

  /** In portions, each by the config that is then in effect. @returns whether no vote is left that can be paid. */
  private async pay(): Promise<boolean> {
    const { ledger, clock, random, log } = this;
    const sum = { votes: 0, grants: 0 };
    try {
      const services = listedSites(this.config).map(({ service }) => service);
      let isLast = !(await ledger.keepListed(services, clock.now()));
      while (!isLast && !this.isClosed) {
        const order = {
          sites: listedSites(this.config),
          rules: rulesOf(this.config, zoneOf(this.config, clock)),
          draws: Array.from({ length: VOTES_AT_ONCE }, () => drawFor(random)),
        };
        const portion = await ledger.payUnlisted(order, clock.now());
        if (portion.kind === 'clock-doubted') return false;
        sum.votes += portion.votes;
        sum.grants += portion.grants;
        if (portion.grants > 0) this.onGranted();
        isLast = portion.isLast;
      }
      return true;
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      const sentence = `votes that came before their service had an entry in sites are not paid yet: ${error.message}`;
      log.error({ code: error.code }, sentence);
      return false;
    } finally {
      if (sum.votes > 0) {
        const what = `${sum.votes} vote(s) that came before their service had an entry in sites were decided again`;
        log.info({ code: 'unlisted-decided', ...sum }, `${what}, with ${sum.grants} grant(s)`);
      }
    }
  }
}

const listedSites = ({ sites }: Config): readonly ListedSite[] =>
  [...sites]
    .filter(([key]) => key !== DEFAULT_SITE)
    .map(([site, { cooldown, countsAll }]) => ({ service: serviceNameOf(site), site, cooldown, countsAll }));
