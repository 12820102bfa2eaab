/**
 * Random configs of a compared history, as operators could write them without an error, and the configs that its reloads change
 * them into. Rewards, sites and their changes are those of the recomputation (`test/rewards/oracle`). What they run says all
 * figures, so that a wrong one is seen. Chances are won always or never, because a build cannot be told what to draw.
 */
import { API_TOKEN } from '../../kit/listing-api.ts';
import { TOKEN } from '../../kit/vote.ts';
import { hooked } from '../../kit/webhook.ts';
import { localTime } from '../../rewards/oracle/calendar.ts';
import { Reloads, randomConfig, type Sources } from '../../rewards/oracle/random-configs.ts';
import type { OracleConfig, RawFirstOf, RawIf, RawLimit, RawReward } from '../../rewards/oracle/written.ts';
import { Seeded } from '../../support/seeded.ts';

/** It reports its votes over all channels. */
export const LISTING = 'L.example';
/** It posts its votes, and sends them to the listener. */
export const POSTING = 'W.example';
/** The last one is as long as it may be. */
export const SERVICES = ['A', 'B', LISTING, POSTING, 'U1', 'U'.repeat(128)] as const;
export const SERVERS = ['main', 'sky'] as const;
export type ServerName = (typeof SERVERS)[number];

/** How often the listing's API is asked. */
export const API_INTERVAL_MS = 60_000;

/** What a file of the config says, without the ports of one build. */
export interface WrittenConfig {
  readonly timeZone: string;
  readonly sites: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  readonly rewards: readonly object[];
  readonly party: readonly object[];
  readonly tops: readonly object[];
  /** Of all game servers. */
  readonly joinDelay: string;
}

/** The first config of a history, and each one that a reload brings. */
export class Configs {
  private raw: OracleConfig;
  private readonly reloads: Reloads;
  /** In every config, because few random ones have them and much depends on them. */
  private readonly always: readonly RawReward[];
  private readonly together: Pick<WrittenConfig, 'party' | 'tops'>;
  private readonly joinDelay: string;

  constructor(
    random: Seeded,
    private readonly seed: number,
    private readonly startedAt: number,
  ) {
    const listed = SERVICES.filter(
      (name) => name === LISTING || random.chance(name.startsWith('U') ? 0.1 : 0.7),
    );
    const startDay = localTime('UTC', startedAt).day;
    const sources: Sources = { random, sites: listed, startDay, isStreaky: random.chance(0.4) };
    this.raw = certain(randomConfig(sources));
    this.reloads = new Reloads(sources, this.raw, [...SERVICES]);
    this.always = always(random);
    this.together = { party: several(random, party), tops: several(random, top) };
    this.joinDelay = random.pick(['0s', '0s', '1s']);
  }

  get sites(): OracleConfig['sites'] {
    return this.raw.sites;
  }

  get timeZone(): string {
    return this.raw.timeZone;
  }

  /** The names of rewards that can be given by hand, and paused. */
  get rewardNames(): readonly string[] {
    return this.raw.rewards.flatMap((entry) => ('firstOf' in entry ? [] : [entry.name]));
  }

  next(): WrittenConfig {
    this.raw = certain(this.reloads.next());
    return this.written();
  }

  written(): WrittenConfig {
    const { timeZone, sites, rewards } = this.raw;
    return {
      timeZone,
      sites: Object.fromEntries(
        Object.entries(sites).map(([name, site]) => [name, { ...site, ...this.channelsOf(name) }]),
      ),
      rewards: [
        ...this.always.map((reward) => this.dressedReward(reward)),
        ...rewards.map((entry) => this.dressed(entry)),
      ],
      ...this.together,
      joinDelay: this.joinDelay,
    };
  }

  private channelsOf(service: string): object {
    const webhook = hooked(`/${service}`);
    if (service === 'default') return { token: TOKEN };
    if (service === POSTING) return webhook;
    if (service !== LISTING) return { label: `the list ${service.slice(0, 2)}` };
    const own = new Seeded(this.seed);
    const since = this.startedAt - own.below(3) * 12 * 3_600_000;
    const payFrom = own.chance(0.7) ? { payFrom: new Date(since).toISOString() } : {};
    const maxAge = own.pick(['48h', '48h', '6h', '7d']);
    return {
      ...webhook,
      api: { baseUrl: '', token: API_TOKEN, interval: `${API_INTERVAL_MS / 1_000}s`, maxAge, ...payFrom },
    };
  }

  private dressed(entry: RawReward | RawFirstOf): object {
    return 'firstOf' in entry
      ? { firstOf: entry.firstOf.map((reward) => this.dressedReward(reward)) }
      : this.dressedReward(entry);
  }

  private dressedReward({ commands, prizes, oneOf, otherwise, ...reward }: RawReward): object {
    const { name } = reward;
    return {
      ...reward,
      ...(commands ? { commands: [give(name), say(name)] } : {}),
      ...(oneOf ? { oneOf: drawn(name) } : {}),
      ...(otherwise ? { otherwise: [give(`${name}-otherwise`)] } : {}),
      ...(prizes
        ? {
            prizes: Object.fromEntries(
              Object.keys(prizes).map((key) => [key, [give(`${name}-prize-${key}`)]]),
            ),
          }
        : {}),
      ...this.payment(name),
    };
  }

  /** How a reward is paid stays when it is renamed or gets another condition. */
  private payment(name: string): object {
    const first = name.replace(/-.*/, '');
    const own = new Seeded(
      this.seed + [...first].reduce((sum, letter) => sum * 31 + letter.charCodeAt(0), 7),
    );
    const when = own.pick(['online', 'online', 'always'] as const);
    const places =
      when === 'online' ? ['all', ['main'], ['sky'], 'where-online'] : ['all', ['main'], ['sky']];
    return {
      ...{ when, servers: own.pick(places) },
      ...(own.chance(0.15) ? { delay: own.pick(['2h', '1d']) } : {}),
      ...(own.chance(0.2) ? { expiresAfter: own.pick(['1h', '24h', '36h']) } : {}),
      ...own.pick(SENT),
    };
  }
}

/** The file of one build, with its own game servers and its own listing. */
export function configFile(
  { joinDelay, sites, ...config }: WrittenConfig,
  { main, sky }: Readonly<Record<ServerName, { readonly entry: object }>>,
  baseUrl: string,
): string {
  const { [LISTING]: listing, ...others } = sites;
  const api = { ...(listing?.api as object), baseUrl };
  return JSON.stringify({
    ...{ listener: { host: '127.0.0.1', port: 0 }, webhook: { host: '127.0.0.1', port: 0 } },
    ...{ console: { port: 0 }, log: { level: 'info', format: 'json' } },
    ...config,
    sites: { ...others, [LISTING]: { ...listing, api } },
    gameServers: { main: { ...main.entry, joinDelay }, sky: { ...sky.entry, joinDelay } },
  });
}

/** The entries of a config that another one before it has not got, or has otherwise; and those that only that one has. */
export function changedEntries(before: WrittenConfig | null, after: WrittenConfig): readonly string[] {
  const [old, all] = [before === null ? new Map<string, string>() : entriesOf(before), entriesOf(after)];
  const gone = [...old.keys()].filter((name) => !all.has(name));
  const changed = [...all].filter(([name, entry]) => old.get(name) !== entry);
  return [...changed.map(([name, entry]) => `${name}: ${entry}`), ...gone.map((name) => `no ${name}`)];
}

function entriesOf({ sites, rewards, party: parties, tops, ...rest }: WrittenConfig): Map<string, string> {
  const nameOf = (entry: object): string =>
    'firstOf' in entry
      ? (entry.firstOf as object[]).map(nameOf).join(' or ')
      : String((entry as RawReward).name);
  const named = [...rewards, ...parties, ...tops].map((entry) => [nameOf(entry), entry] as const);
  const all = [
    ...Object.entries(rest),
    ...Object.entries(sites).map(([name, site]) => [`site ${name}`, site] as const),
  ];
  return new Map(
    [...all, ...named].map(([name, entry]) => [name, JSON.stringify(entry).replaceAll(` ${FIGURES}`, '')]),
  );
}

const FIGURES = 'v{votes} d{votesDay} w{votesWeek} m{votesMonth} r{streak} b{bestStreak} x{random 1..9}';
const give = (what: string): string => `give {player} ${what} ${FIGURES} s{votesSite} n{nextVote}`;
const giveTogether = (what: string): string => `give {player} ${what} ${FIGURES}`;
const say = (what: string): string => `say ${what} {player} {site} {service} ({occasion}) left {sitesLeft}`;

/** The same rewards, whose chances are won always or never. */
const certain = (config: OracleConfig): OracleConfig => ({
  ...config,
  rewards: config.rewards.map((entry) =>
    'firstOf' in entry ? { firstOf: entry.firstOf.map(certainReward) } : certainReward(entry),
  ),
});

function certainReward(reward: RawReward): RawReward {
  const chance = reward.if?.chance;
  if (chance === undefined) return reward;
  return { ...reward, if: { ...reward.if, chance: chance === '20%' ? NEVER : '100%' } as RawIf };
}

/** Of a hundred million votes, one would win it. */
const NEVER = '0.000001%';

const always = (random: Seeded): readonly RawReward[] => [
  { name: 'each', commands: [] },
  { name: 'back', if: { returning: random.pick(['24h', '36h', '3d']) }, commands: [] },
  { name: 'row', if: { streak: { length: 2, repeat: true, forgive: forgiven(random) } }, commands: [] },
  { name: 'some', limit: limit(random), commands: [] },
  { name: 'all', if: { votes: { every: 2 + random.below(3), of: 'network' } }, commands: [] },
  { name: 'late', if: { hours: random.pick(HOURS) }, limit: limit(random), commands: [] },
];

/** Their ends are among the instants to which time is moved. */
const HOURS = ['00:00-04:00', '04:00-18:00', '18:00-00:00'];
const AT_MOST = { count: 2, within: '5m' };
const SENT = [
  { announce: true, atMost: AT_MOST },
  { broadcast: '{player} has it', atMost: AT_MOST },
  ...[{ safeToRunTwice: true }, {}, {}, {}],
];

const forgiven = (random: Seeded) =>
  random.pick([
    { missed: 1, in: 2 },
    { missed: 1, in: 3 },
    { missed: 2, in: 5 },
  ]);

const limit = (random: Seeded): RawLimit => ({
  per: random.pick(['player', 'network'] as const),
  count: 1 + random.below(2),
  within: random.pick(['day', 'week', '24h', '24h', 'ever'] as const),
});

/** The first one is drawn but once in a million times. */
const drawn = (name: string): readonly object[] => [
  { name: 'never', weight: 1, commands: [give(`${name}-never`)] },
  { name: 'always', weight: 1_000_000, commands: [give(`${name}-drawn`)] },
];

const several = <T>(random: Seeded, one: (random: Seeded, index: number) => T): T[] =>
  Array.from({ length: random.pick([1, 1, 2]) }, (_, index) => one(random, index));

function party(random: Seeded, index: number): object {
  const kind = random.pick(['voters', 'voters', 'online', 'once'] as const);
  const when = random.pick(['online', 'always'] as const);
  const command =
    kind === 'once' ? `say party${index} {partyVotes} {partyLeft}` : giveTogether(`party${index}`);
  return {
    ...{ name: `party${index}`, every: 2 + random.below(5), for: kind, servers: [random.pick(SERVERS)] },
    ...(kind === 'online' && random.chance(0.5) ? { minOnline: 2 } : {}),
    ...(kind !== 'once' && random.chance(0.3) ? { userVotes: 2 } : {}),
    ...(kind === 'once' ? {} : { when }),
    ...(random.chance(0.5) ? { reset: random.pick(['day', 'week', 'month'] as const) } : {}),
    ...(random.chance(0.2) ? { if: random.pick([{ weekday: ['sat', 'sun'] }, { site: LISTING }]) } : {}),
    ...{ announceLeft: [], commands: [command] },
  };
}

const top = (random: Seeded, index: number): object => ({
  ...{
    name: `top${index}`,
    period: random.pick(['day', 'day', 'week', 'month'] as const),
    servers: ['main'],
  },
  prizes: random.pick([
    { '1': [giveTogether(`top${index}`)] },
    { '1': [giveTogether(`top${index}-first`)], '2..3': [giveTogether(`top${index}-next`)] },
  ]),
  ties: random.pick(['first', 'share'] as const),
  ...(random.chance(0.3) ? { exclude: ['Alex'] } : {}),
  ...(random.chance(0.3) ? { settle: '5h' } : {}),
  ...(random.chance(0.2) ? { if: { site: LISTING } } : {}),
  when: random.pick(['online', 'always'] as const),
});
