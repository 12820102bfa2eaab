/** A listing on which votes are cast. The config and the checks share these. */
export interface Site {
  /** The service name, which is also the key of the entry. */
  readonly name: string;
  readonly game: 'minecraft' | 'fivem';
  /** What it reports votes by, besides the listener; null: nothing. */
  readonly reports: ListingReports | null;
  readonly windowMs: number;
}

export interface ListingReports {
  readonly listingId: string;
  /** The path of the webhook, and of the root of the API. */
  readonly path: string;
}

const HOUR_MS = 3_600_000;
export const DAY_MS = 24 * HOUR_MS;
/** Votes cast longer before the run are not rewarded. */
export const MAX_AGE_MS = 5 * DAY_MS;
/** Votes cast before this are `before-start`. */
export const PAY_FROM_MS = 6 * DAY_MS;
/** Rule 3. */
const WINDOW_MS = DAY_MS;
/** Of players who vote again and again. */
const SHORT_WINDOW_MS = 1_000;

export const MINECRAFT: Site = {
  name: 'Crash-List.com',
  game: 'minecraft',
  reports: { listingId: 'crash-listing', path: '/crash' },
  windowMs: WINDOW_MS,
};
/** Its votes name user IDs only. */
export const FIVEM: Site = {
  name: 'Crash-City',
  game: 'fivem',
  reports: { listingId: 'crash-city', path: '/city' },
  windowMs: WINDOW_MS,
};
/** Its votes were cast on the days whose tops end in the run. */
export const PAST: Site = {
  name: 'Crash-Past',
  game: 'minecraft',
  reports: { listingId: 'crash-past', path: '/past' },
  windowMs: SHORT_WINDOW_MS,
};
/** Players of `main` and `sky` vote here again and again. */
export const TOWN: Site = {
  ...{ name: 'Crash-Town', game: 'minecraft', reports: null, windowMs: SHORT_WINDOW_MS },
};
/** The same players, and strangers. */
export const NEWS: Site = { ...TOWN, name: 'Crash-News' };
/** Its voters are renamed, and strangers take their names. */
export const ACCOUNTS: Site = { ...TOWN, name: 'Crash-Accounts' };
/** Those with an entry from the beginning. */
export const SITES: readonly Site[] = [MINECRAFT, FIVEM, PAST, TOWN, NEWS, ACCOUNTS];
/** They get their entries during the run. */
export const NEW_SITES: readonly Site[] = [1, 2, 3, 4, 5, 6].map((number) => ({
  ...{ name: `Crash-New-${number}`, game: 'minecraft', reports: null, windowMs: WINDOW_MS },
}));

export const WEBHOOK_SECRET = 'whsec_crash';

export interface RewardConfig {
  readonly name: string;
  /** What the reward depends on, besides the site; `grant-promises.ts` says by other means when that holds. */
  readonly if?: object;
  readonly limit?: object;
  readonly delay?: string;
  readonly when: 'always' | 'online';
  readonly servers: readonly string[] | { readonly whereOnline: readonly string[] };
  readonly commands?: readonly string[];
  /** Other keys. */
  readonly [key: string]: unknown;
}

/** Commands are paid as they are written here, each grant for itself. */
export const PLAIN_REWARDS: Readonly<Record<string, readonly RewardConfig[]>> = {
  [MINECRAFT.name]: [
    {
      name: 'announcement',
      when: 'always',
      servers: ['main'],
      commands: ['say one {player}', 'say two {player}'],
    },
    {
      ...{ name: 'daily', when: 'online', servers: ['main'] },
      commands: ['give {player} diamond 1', 'give {player} emerald 1'],
    },
    {
      ...{ name: 'second', when: 'always', servers: ['main'] },
      if: { votes: { every: 2 } },
      commands: ['say {player} has {votes} votes'],
    },
    {
      ...{ name: 'tenth', when: 'always', servers: ['main'] },
      if: { votes: { every: 10, of: 'network' } },
      commands: ['say {player} cast the {occasion}'],
    },
    {
      ...{ name: 'scarce', when: 'always', servers: ['main'] },
      limit: { per: 'network', count: 30, within: 'ever' },
      commands: ['say {player} is one of 30'],
    },
    {
      ...{ name: 'later', when: 'always', servers: ['main'] },
      delay: '1s',
      commands: ['say later {player}'],
    },
  ],
  [FIVEM.name]: [
    {
      ...{ name: 'cash', when: 'always', servers: ['city'] },
      commands: ['cash {userId} 100', 'notify {userId}'],
    },
    { name: 'news', when: 'always', servers: ['main', 'city'], commands: ['say news of {userId}'] },
  ],
  [PAST.name]: [
    { name: 'past', when: 'always', servers: ['main'], commands: ['say {player} has {votes} past votes'] },
  ],
};

/** Of votes on the sites that have no entry at first. */
export const FOUND: RewardConfig = {
  ...{ name: 'found', when: 'always', servers: ['main'] },
  commands: ['say {player} found {service}'],
};

/** Where a player is. */
export const POOL = ['main', 'sky'] as const;
export const TRAVEL: RewardConfig = {
  ...{ name: 'travel', when: 'online', servers: { whereOnline: POOL } },
  commands: ['give {player} apple 1', 'give {player} bread 1'],
};
export const KIT_EXPIRES_MS = 60_000;
export const KIT: RewardConfig = {
  ...{ name: 'kit', when: 'online', servers: ['main'], expiresAfter: `${KIT_EXPIRES_MS}ms` },
  commands: ['say kit {player} {votes}'],
};
export const HELLO: RewardConfig = {
  ...{ name: 'hello', when: 'online', servers: ['main'], announce: true },
  commands: ['say hello {player} {votes}'],
  message: '&aThanks, {player} {votes}',
};
export const SHOUT: RewardConfig = {
  ...{ name: 'shout', when: 'always', servers: ['main'] },
  atMost: { count: 2, within: '3s' },
  broadcast: '{player} {votes}: &6voted',
};
export const GIFT: RewardConfig = {
  ...{ name: 'gift', when: 'online', servers: ['realm'] },
  commands: ['give {player} apple 1'],
};

/** A file of promises of its own says what becomes of each of them. */
export const SPECIAL_REWARDS: Readonly<Record<string, readonly RewardConfig[]>> = {
  [TOWN.name]: [TRAVEL, KIT, HELLO],
  [NEWS.name]: [SHOUT],
  [ACCOUNTS.name]: [GIFT],
};

/** Everyone who cast one of so many rewarded votes for Minecraft players is paid once. */
export const PARTY = {
  ...{ name: 'party', every: 10, for: 'voters', when: 'always', servers: ['main'], announceLeft: [] },
  if: { site: [MINECRAFT.name] },
  commands: ['say {player} made {occasion}'],
};

/** Everyone who is on `sky` when it is due is paid; none of them votes for it. */
export const CROWD = {
  ...PARTY,
  ...{ name: 'crowd', for: 'online', servers: ['sky'], commands: ['say {player} was at {occasion}'] },
};

/** Teller had these tops so many days before the run, and was down since. */
export const DOWN_FOR_DAYS = 4;
export const TOP_TIES = ['first', 'share', 'first'] as const;
/** The sites whose votes count for them. */
export const TOP_SITES: readonly string[] = [MINECRAFT.name, PAST.name];
/** The places that win something. */
export const TOP_PLACES = 3;

/** An entry of `tops`. */
export interface TopConfig {
  readonly name: string;
  readonly ties: 'first' | 'share';
  readonly settle: string;
  readonly [key: string]: unknown;
}

/** No lifetime of a run of so many kills takes longer on average. */
const MS_PER_KILL = 1_000;

/**
 * Days end at midnight, which no run can wait for. So Teller had the tops for some days and was down when these
 * ended, and `settle` ends now for the first top, and later in the run for the others.
 */
export const topsFor = (startedAt: number, kills: number): readonly TopConfig[] =>
  TOP_TIES.map((ties, at) => {
    const name = `top-${at}`;
    const settleMs = (startedAt % DAY_MS) + Math.round((at / TOP_TIES.length) * kills * MS_PER_KILL);
    return {
      ...{ name, period: 'day', ties, settle: `${settleMs}ms`, when: 'always', servers: ['main'] },
      if: { site: TOP_SITES },
      prizes: { [`1..${TOP_PLACES}`]: [`say {player} won {occasion} of ${name}`] },
    };
  });

/** From this time on, the places of a day (since 1970) may be stored. */
export const settlesAt = ({ settle }: TopConfig, day: number): number =>
  (day + 1) * DAY_MS + Number(settle.replace('ms', ''));

export const dayName = (day: number): string => new Date(day * DAY_MS).toISOString().slice(0, 10);
