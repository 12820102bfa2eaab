/**
 * Random configs: the first one of a history, and those that its reloads change it into, with random rewards from all conditions, limits
 * and choices, as operators could write them without an error.
 */

import type { Seeded } from '../../support/seeded.ts';
import { nameOf } from './calendar.ts';
import type {
  OracleConfig,
  RawAllSites,
  RawFirstOf,
  RawIf,
  RawLimit,
  RawReward,
  RawSite,
  RawStreak,
  RawVotes,
} from './written.ts';

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
      () => ({ timeZone: random.pick(ZONES) }),
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

function renamed(entry: Entry, number: number): Entry {
  const one = (reward: RawReward) => ({ ...reward, name: `${reward.name}-${number}`, was: [reward.name] });
  return 'firstOf' in entry ? { firstOf: entry.firstOf.map(one) } : one(entry);
}

export interface Sources {
  readonly random: Seeded;
  /** The listed services. */
  readonly sites: readonly string[];
  readonly startDay: number;
  /** Whether most rewards are for streaks with short, repeated thresholds: several of them are seldom due at once. */
  readonly isStreaky: boolean;
}

type Key = Exclude<keyof RawIf, 'chance' | 'any' | 'not'>;

const THRESHOLDS = ['votes', 'firstVote', 'streak'] as const satisfies readonly Key[];
const OCCASIONS = [
  ...THRESHOLDS,
  'streak',
  'streak',
  'allSites',
  'returning',
] as const satisfies readonly Key[];
const FILTERS = ['site', 'weekday', 'between', 'hours'] as const satisfies readonly Key[];
const WEEKDAYS = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const;
/** How deep `any` and `not` may be nested. */
const DEPTH = 3;

/** `some` of these, at least one. */
function several<T>(random: Seeded, list: readonly T[]): T[] {
  const picked = list.filter(() => random.chance(0.5));
  return picked.length > 0 ? picked : [random.pick(list)];
}

function randomRewards(sources: Sources, count: number, prefix: string): (RawReward | RawFirstOf)[] {
  return Array.from({ length: count }, (_, index) => {
    const name = `${prefix}${index}`;
    if (!sources.random.chance(0.15)) return randomReward(sources, name);
    const length = 2 + sources.random.below(3);
    return { firstOf: Array.from({ length }, (__, at) => randomReward(sources, `${name}.${at}`)) };
  });
}

function randomReward(sources: Sources, name: string): RawReward {
  const { random } = sources;
  const condition = randomIf(sources, DEPTH);
  const chance = random.chance(0.2) ? { chance: random.pick(['20%', '50%', '100%']) } : {};
  const whole = { ...condition, ...chance };
  return {
    name,
    ...(Object.keys(whole).length > 0 ? { if: whole } : {}),
    ...randomPay(random, whole),
    ...(random.chance(0.3) ? { limit: randomLimit(random) } : {}),
    ...(random.chance(0.1) ? { stop: true } : {}),
  };
}

function randomPay(random: Seeded, condition: RawIf): Partial<RawReward> {
  const otherwise =
    condition.chance !== undefined && random.chance(0.5) ? { otherwise: ['say otherwise'] } : {};
  const kind = random.below(6);
  if (kind === 0) return { ...otherwise, oneOf: randomChoices(random) };
  if (kind < 3 && hasOneThreshold(condition)) {
    const prizes = { '1': ['say one'], '2..3': ['say few'], '5..20': ['say many'] };
    return { ...otherwise, prizes, ...(random.chance(0.5) ? { commands: ['say other'] } : {}) };
  }
  return { ...otherwise, commands: ['say hi'] };
}

/** "Needs one threshold condition." */
const hasOneThreshold = (condition: RawIf): boolean =>
  THRESHOLDS.filter((key) => condition[key] !== undefined).length === 1 &&
  !/"(votes|firstVote|streak)"/.test(JSON.stringify([condition.any, condition.not]));

const randomChoices = (random: Seeded): NonNullable<RawReward['oneOf']> =>
  Array.from({ length: 2 + random.below(2) }, (_, index) => ({
    weight: 1 + random.below(5),
    ...(random.chance(0.5) ? { name: `choice-${index}` } : {}),
    commands: [`say ${index}`],
  }));

const randomLimit = (random: Seeded): RawLimit => ({
  per: random.pick(['player', 'player', 'network'] as const),
  count: 1 + random.below(3),
  within: random.pick(['day', 'week', 'month', '24h', '24h', 'ever'] as const),
});

/** Conditions that depend on history most often; with `any` and `not` down to `depth` levels. */
function randomIf(sources: Sources, depth: number): RawIf {
  const { random } = sources;
  const keys = new Set<Key>();
  if (sources.isStreaky && random.chance(0.7)) keys.add('streak');
  else if (random.chance(0.8)) keys.add(random.pick(OCCASIONS));
  if (random.chance(0.15)) keys.add(random.pick([...THRESHOLDS, 'allSites'] as const));
  if (random.chance(0.3)) keys.add(random.pick(FILTERS));
  const condition: RawIf = Object.assign({}, ...[...keys].map((key) => randomCondition[key](sources)));
  if (depth === 0) return filled(sources, condition);
  const arm = () => filled(sources, randomIf(sources, depth - 1));
  const any = random.chance(0.15) ? { any: Array.from({ length: 1 + random.below(3) }, arm) } : {};
  const not = random.chance(0.1) ? { not: arm() } : {};
  const whole = { ...condition, ...any, ...not };
  return depth < DEPTH ? filled(sources, whole) : whole;
}

/** An arm or a `not` has at least one condition. */
const filled = (sources: Sources, condition: RawIf): RawIf =>
  Object.keys(condition).length > 0 ? condition : randomCondition.votes(sources);

const randomCondition: Record<Key, (sources: Sources) => RawIf> = {
  site: ({ random, sites }) => (sites.length > 0 ? { site: several(random, sites) } : {}),
  weekday: ({ random }) => ({ weekday: several(random, WEEKDAYS) }),
  between: ({ random, startDay }) => {
    const first = startDay + random.below(5);
    return { between: [nameOf('day', first), nameOf('day', first + random.below(20))] };
  },
  hours: ({ random }) => ({
    hours: random.pick(['18:00-02:00', '00:00-12:00', '06:00-23:30', '23:00-00:00']),
  }),
  votes: (sources) => ({ votes: randomVotesCondition(sources) }),
  firstVote: ({ random }) => ({ firstVote: random.pick([true, 'site', 'day'] as const) }),
  streak: (sources) => ({ streak: randomStreak(sources) }),
  allSites: (sources) => ({ allSites: randomAllSites(sources) }),
  returning: ({ random }) => ({ returning: random.pick(['24h', '36h', '3d', '7d', '30d']) }),
};

function randomVotesCondition({ random, sites }: Sources): RawVotes {
  const of = random.pick(['total', 'total', 'site', 'day', 'week', 'month', 'network'] as const);
  return {
    ...(random.chance(0.6)
      ? { every: 1 + random.below(5) }
      : { at: random.pick([[1], [2, 5], [3, '5..20 step 5'], ['1..9 step 2']]) }),
    ...(random.chance(0.7) ? { of } : {}),
    ...(sites.length > 0 && random.chance(0.2) ? { sites: several(random, sites) } : {}),
  };
}

function randomStreak({ random, isStreaky }: Sources): number | RawStreak {
  const length = 2 + random.below(isStreaky ? 2 : 4);
  if (random.chance(isStreaky ? 0.1 : 0.3)) return length;
  return {
    length,
    ...(random.chance(0.3) ? { per: random.pick(['day', 'week', 'month'] as const) } : {}),
    ...(random.chance(0.15) ? { votes: 2 } : {}),
    ...(random.chance(isStreaky ? 0.9 : 0.5) ? { repeat: true } : {}),
    ...(random.chance(0.5) ? { forgive: randomForgive(random) } : {}),
  };
}

const randomForgive = (random: Seeded): NonNullable<RawStreak['forgive']> =>
  random.pick([
    { missed: 1, in: 7 },
    { missed: 1, in: 3 },
    { missed: 1, in: 2 },
    { missed: 2, in: 5 },
  ]);

function randomAllSites({ random, sites }: Sources): true | RawAllSites {
  if (random.chance(0.4) || sites.length === 0) return true;
  const listed = random.chance(0.5) ? several(random, sites) : undefined;
  return {
    ...(listed ? { sites: listed } : {}),
    ...(random.chance(0.5) ? { atLeast: 1 + random.below((listed ?? sites).length) } : {}),
    ...(random.chance(0.5) ? { within: random.pick(['day', 'week'] as const) } : {}),
  };
}
