/** Random configs: the first one of a history, and those that its reloads change it into. */

import type { Seeded } from '../../support/seeded.ts';
import type { OracleConfig } from './oracle.ts';
import { randomRewards, type Sources } from './random-rewards.ts';
import type { RawFirstOf, RawReward, RawSite } from './written.ts';

const ZONES = [
  'UTC',
  'Europe/Berlin',
  'America/New_York',
  'Africa/Cairo',
  'Asia/Kathmandu',
  'Pacific/Auckland',
];
const COOLDOWNS = [
  '24h',
  '24h',
  '12h',
  '1h',
  'day',
  'day',
  'day 04:00',
  'day 02:30 Europe/Berlin',
  'day 04:00 America/New_York',
];

export const randomConfig = (sources: Sources): OracleConfig => ({
  timeZone: sources.random.pick(ZONES),
  sites: randomSites(sources.random, sources.sites),
  rewards: randomRewards(sources, 1 + sources.random.below(5), 'r'),
});

function randomSites(random: Seeded, listed: readonly string[]): Record<string, RawSite> {
  const sites: Record<string, RawSite> = { default: randomSite(random) };
  for (const service of listed) sites[service] = randomSite(random);
  return sites;
}

function randomSite(random: Seeded): RawSite {
  return {
    ...(random.chance(0.8) ? { cooldown: random.pick(COOLDOWNS) } : {}),
    ...(random.chance(0.15) ? { counts: random.pick(['rewarded', 'all'] as const) } : {}),
  };
}

type Entry = RawReward | RawFirstOf;

/** The changes of the configs of one history, each of the one before it. */
export class Reloads {
  /** Rewards that no config contains at present, but that one contained before. */
  private readonly absent: Entry[] = [];
  private count = 0;

  constructor(
    private readonly sources: Sources,
    private config: OracleConfig,
    private readonly services: readonly string[],
  ) {}

  next(): OracleConfig {
    const { random } = this.sources;
    this.count++;
    const change = random.pick([
      () => this.timeZone(),
      () => this.site(random.pick(Object.keys(this.config.sites))),
      () => this.list(),
      () => this.add(),
      () => this.rename(),
      () => this.remove(),
      () => this.restore(),
      () => this.edit(),
    ]);
    this.config = { ...this.config, ...change() };
    return this.config;
  }

  private timeZone(): Partial<OracleConfig> {
    return { timeZone: this.sources.random.pick(ZONES) };
  }

  private site(entry: string): Partial<OracleConfig> {
    return { sites: { ...this.config.sites, [entry]: randomSite(this.sources.random) } };
  }

  /** One more service, which shared the windows of `default` until now. */
  private list(): Partial<OracleConfig> {
    const service = this.services.find((name) => !(name in this.config.sites));
    return service ? this.site(service) : {};
  }

  private add(): Partial<OracleConfig> {
    return { rewards: [...this.config.rewards, ...randomRewards(this.sources, 1, `new${this.count}`)] };
  }

  private rename(): Partial<OracleConfig> {
    const isRenamed = (): boolean => this.sources.random.chance(0.5);
    return {
      rewards: this.config.rewards.map((entry) => (isRenamed() ? renamed(entry, this.count) : entry)),
    };
  }

  private remove(): Partial<OracleConfig> {
    const { rewards } = this.config;
    const removed = this.sources.random.pick(rewards);
    if (rewards.length === 1) return {};
    this.absent.push(removed);
    return { rewards: rewards.filter((entry) => entry !== removed) };
  }

  private restore(): Partial<OracleConfig> {
    const restored = this.absent.pop();
    return restored ? { rewards: [...this.config.rewards, restored] } : {};
  }

  /** One reward keeps its name and gets another condition. */
  private edit(): Partial<OracleConfig> {
    const edited = this.sources.random.pick(this.config.rewards);
    if ('firstOf' in edited) return {};
    const [other] = randomRewards(this.sources, 1, edited.name) as [Entry];
    if ('firstOf' in other) return {};
    const { was } = edited;
    const entry: RawReward = { ...other, name: edited.name, ...(was ? { was } : {}) };
    return { rewards: this.config.rewards.map((one) => (one === edited ? entry : one)) };
  }
}

const renamed = (entry: Entry, number: number): Entry =>
  'firstOf' in entry
    ? { firstOf: entry.firstOf.map((reward) => renamedReward(reward, number)) }
    : renamedReward(entry, number);

const renamedReward = (reward: RawReward, number: number): RawReward => ({
  ...reward,
  name: `${reward.name}-${number}`,
  was: [reward.name],
});
